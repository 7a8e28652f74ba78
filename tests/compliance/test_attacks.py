"""Attacks on the committed runs, by class: what a cheat does, and the codes that tell. Where no text can show it, there
are none: replay, re-evaluation, a registry or people must. Attacks that the damage of a rule in families/ makes as
well, such as those that change one value, are left out."""

import functools

import pytest

from compliance.engine import judge
from compliance.reading import files
from tests.compliance.attacks import beside, clock, copies, evidence, measured, scores
from tests.compliance.attacks.beside import weighed
from tests.compliance.attacks.submission import Submission, both

BENCHMARKS = ("scaffold", "cosmoflow", "deepcam")
ATTACKS = {  # class -> (what a cheat does, how, the codes that tell, and the benchmark if it is not ScaFFold)
    "clock": clock.CLOCK,
    "parallel": clock.PARALLEL,
    "scores": scores.SCORES,
    "epochs": scores.EPOCHS,
    "copies": copies.COPIES,
    "names": copies.IDENTITIES,
    "parked": copies.PARKED,
    "evidence": evidence.EVIDENCE,
    "data": evidence.DATA,
    "hardware": evidence.HARDWARE,
    "settings": evidence.SETTINGS,
    "weights": beside.WEIGHTS,
    "ledger": beside.LEDGER,
    "measured": measured.MEASURED,
    "source": measured.SOURCE,
}
TABLE = {f"{kind}-{what}": how for kind, rows in ATTACKS.items() for what, *how in rows}
SHOWN = {  # what shows an attack that no text shows, if a round requires it: docs/trust.md
    "clock-times and figures halved": "witness",
    "clock-a later epoch ten times shorter": "witness",
    "clock-every threshold used up": "witness",
    "epochs-an epoch of every slow run cut out": "witness",
    "epochs-an epoch of one run cut out": "witness",
    "copies-the same with other last digits": "witness",
    "evidence-weights swapped in, their state logged": "spot checks",
    "hardware-one thread for two": "witness",
    "weights-the same weights with noise in all tensors": "re-evaluation",
    "weights-random numbers": "re-evaluation",
    "weights-digests of files that nobody sees": "re-evaluation",
    "ledger-written anew with all logs": "witness",
    "measured-a meter of half the machine": "nothing",
}


@pytest.fixture(scope="module", autouse=True)
def each_file_once():
    """All submissions have the same source: it is parsed once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "read_python", functools.cache(files.read_python))
        yield


@pytest.mark.parametrize("name", TABLE)
def test_attack(tmp_path, name):
    attack, codes, *benchmark = TABLE[name]
    submission = Submission(tmp_path, *benchmark)
    attack(submission)
    found = {f.code for f in judge([submission.hand_in()]).findings}
    assert " ".join(sorted(found)) == codes


@pytest.mark.parametrize(
    ("benchmark", "beside"),
    [*((name, more) for name in BENCHMARKS for more in (both(), Submission.launch)), ("cosmoflow", weighed())],
)
def test_without_an_attack_nothing_is_found(tmp_path, benchmark, beside):
    """Of runs as they are, with a ledger, and with weights."""
    submission = Submission(tmp_path, benchmark)
    beside(submission)
    assert judge([submission.hand_in()]).findings == ()


def test_there_are_many_and_few_go_unseen():
    assert sum(map(len, ATTACKS.values())) == len(TABLE) >= 120
    unseen = {name for name, (_, codes, *_) in TABLE.items() if not codes}
    assert len(unseen) <= len(TABLE) // 10 and unseen == set(SHOWN)
    assert sum(shown == "nothing" for shown in SHOWN.values()) <= len(TABLE) // 20


@pytest.mark.parametrize("name", [name for name, shown in SHOWN.items() if shown == "witness"])
def test_a_witness_shows_edits_that_no_text_shows(tmp_path, law, name):
    attack, _, *benchmark = TABLE[name]
    submission = Submission(tmp_path, *benchmark)
    submission.witness_all()
    attack(submission)
    assert {f.code for f in judge([submission.hand_in()], rules=law).findings} & {"WIT03", "WIT04"}
