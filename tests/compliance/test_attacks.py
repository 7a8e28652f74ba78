"""Attacks on the committed runs, by class: what a cheat does, and the codes that tell. Where no text can show it, there
are none: replay, re-evaluation, a registry or people must. Attacks that change one value, as the damage of a rule in
families/ does, are left out."""

import functools

import pytest

from compliance.engine import judge
from compliance.reading import files
from rules.witness import Start
from tests.compliance.attacks import beside, clock, copies, evidence, measured, scores
from tests.compliance.attacks.beside import launch, weighed
from tests.compliance.attacks.submission import Submission, both
from tests.compliance.logs import log_text
from tests.compliance.submissions import KEYS
from tests.support.witness import FakeWitness

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
    submission = Submission(*benchmark)
    made = attack(submission)
    given = made if isinstance(made, list) and made and isinstance(made[0], Submission) else [submission]
    for one_of in given:
        one_of.write(tmp_path / "v1.0")
    found = {f.code for f in judge([tmp_path / "v1.0"]).findings}
    assert " ".join(sorted(found)) == codes


@pytest.mark.parametrize(
    ("benchmark", "beside"),
    [*((name, more) for name in BENCHMARKS for more in (both(), launch)), ("cosmoflow", weighed())],
)
def test_without_an_attack_nothing_is_found(tmp_path, benchmark, beside):
    """Of runs as they are, with a ledger, and with weights."""
    submission = Submission(benchmark)
    beside(submission)
    submission.write(tmp_path / "v1.0")
    assert judge([tmp_path / "v1.0"]).findings == ()


def test_there_are_many_and_few_go_unseen():
    assert sum(map(len, ATTACKS.values())) == len(TABLE) >= 120
    unseen = {name for name, (_, codes, *_) in TABLE.items() if not codes}
    assert len(unseen) <= len(TABLE) // 10 and unseen == set(SHOWN)
    assert sum(shown == "nothing" for shown in SHOWN.values()) <= len(TABLE) // 20


def told(submission):
    """Has a witness see the runs as they are now."""
    witness, folder = FakeWitness(), f"results/xeon-amx-2core/strong/{submission.benchmark}"
    for number, run in enumerate(submission.runs):
        log = f"result_{number}.txt"
        names = {name: run.one(key)["value"] for key, name in KEYS.items()}
        start = witness.receipt(Start(**names, log=log, run=f"{number:032x}"), run.one("init_start")["time_ms"] - 2000)
        run.one("seed").update(value=start.seed, metadata={"source": "witness", "entry": 1})
        receipts = [start, *witness.steps(start.told.run, run, log_text(run))]
        submission.files[f"{folder}/receipts_{number}.jsonl"] = "".join(f"{receipt.text}\n" for receipt in receipts)
    submission.files["../witness.jsonl"] = "".join(f"{receipt.text}\n" for receipt in witness.chain)


@pytest.mark.parametrize("name", [name for name, shown in SHOWN.items() if shown == "witness"])
def test_a_witness_shows_edits_that_no_text_shows(tmp_path, law, name):
    attack, _, *benchmark = TABLE[name]
    submission = Submission(*benchmark)
    told(submission)
    attack(submission)
    submission.write(tmp_path / "v1.0")
    assert {f.code for f in judge([tmp_path / "v1.0"], rules=law).findings} & {"WIT03", "WIT04"}
