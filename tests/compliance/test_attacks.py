"""Attacks on the committed runs, by class: what a cheat does, and the codes that tell. Where no text can show it, there
are none: replay, re-evaluation, a registry or people must."""

import copy
import functools

import pytest

from compliance.engine import judge
from compliance.reading import files
from rules.witness import Start
from tests.compliance.attack_table import NONE, TABLE
from tests.compliance.attacks import (
    Submission,
    each,
    quick_epoch,
    scaled,
    text_of,
)
from tests.compliance.attacks_beside import (
    launch,
    weighed,
)
from tests.compliance.submissions import KEYS
from tests.support.witness import FakeWitness

WRITTEN = [(kind, what) for kind, what, *_ in TABLE]


@pytest.fixture(scope="module", autouse=True)
def each_file_once():
    """All submissions have the same source: it is parsed once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "read_python", functools.cache(files.read_python))
        yield


@pytest.mark.parametrize(("benchmark", "attack", "codes"), [r[2:] for r in TABLE], ids=["-".join(r[:2]) for r in TABLE])
def test_attack(tmp_path, benchmark, attack, codes):
    submission = Submission(benchmark)
    made = attack(submission)
    given = made if isinstance(made, list) and made and isinstance(made[0], Submission) else [submission]
    for one_of in given:
        one_of.write(tmp_path / "v1.0")
    found = {f.code for f in judge([tmp_path / "v1.0"]).findings}
    assert " ".join(sorted(found)) == codes


@pytest.mark.parametrize("benchmark", ["scaffold", "cosmoflow", "deepcam"])
def test_without_an_attack_nothing_is_found(tmp_path, benchmark):
    Submission(benchmark).write(tmp_path / "v1.0")
    assert judge([tmp_path / "v1.0"]).findings == ()


def test_weights_of_honest_runs_are_quiet(tmp_path):
    submission = Submission("cosmoflow")
    weighed()(submission)
    submission.write(tmp_path / "v1.0")
    assert judge([tmp_path / "v1.0"]).findings == ()


@pytest.mark.parametrize("benchmark", ["scaffold", "cosmoflow", "deepcam"])
def test_nothing_is_found_in_runs_with_a_ledger(tmp_path, benchmark):
    submission = Submission(benchmark)
    launch(submission)
    submission.write(tmp_path / "v1.0")
    assert judge([tmp_path / "v1.0"]).findings == ()


SHOWN = {  # what shows an attack that no text shows, if a round requires it: docs/trust.md
    "times and figures halved": "witness",
    "a later epoch ten times shorter": "witness",
    "an epoch of every slow run cut out": "witness",
    "the same with other last digits": "witness",
    "the same weights with noise in all tensors": "re-evaluation",
    "random numbers": "re-evaluation",
    "digests of files that nobody sees": "re-evaluation",
    "one thread for two": "witness",
    "written anew with all logs": "witness",
    "every threshold used up": "witness",
    "weights swapped in, their state logged": "spot checks",
    "a meter of half the machine": "nothing",
}


def test_there_are_many_and_few_go_unseen():
    assert len(set(WRITTEN)) == len(TABLE) >= 120
    unseen = [what for _, what, *_, codes in TABLE if codes == NONE]
    assert len(unseen) <= min(60, len(TABLE) // 10) and unseen == list(SHOWN)
    assert sum(shown == "nothing" for shown in SHOWN.values()) <= len(TABLE) // 20


def told(submission, clock=None):
    """Has a witness see the runs as they are now, at the times of `clock`, other runs, if its clock is not theirs."""
    witness, folder = FakeWitness(), f"results/epyc-2core/strong/{submission.benchmark}"
    for number, run in enumerate(submission.runs):
        log = f"result_{number}.txt"
        names = {name: run.one(key)["value"] for key, name in KEYS.items()}
        start = witness.receipt(Start(**names, log=log, run=f"{number:032x}"), run.one("init_start")["time_ms"] - 2000)
        run.one("seed").update(value=start.seed, metadata={"source": "witness", "entry": 1})
        times = (event["time_ms"] for event in (clock or submission.runs)[number])
        timed = [{**event, "time_ms": time} for event, time in zip(run, times, strict=True)]
        receipts = [start, *witness.steps(start.told.run, timed, text_of(run))]
        submission.files[f"{folder}/receipts_{number}.jsonl"] = "".join(f"{receipt.text}\n" for receipt in receipts)
    submission.files["../witness.jsonl"] = "".join(f"{receipt.text}\n" for receipt in witness.chain)


def witness_codes(submission, folder, law):
    submission.write(folder / "v1.0")
    return {f.code for f in judge([folder / "v1.0"], rules=law).findings if f.code.startswith("WIT")}


EDITED = [row for row in TABLE if SHOWN.get(row[1]) == "witness"]


@pytest.mark.parametrize(
    ("benchmark", "attack"), [row[2:4] for row in EDITED], ids=["-".join(row[:2]) for row in EDITED]
)
def test_a_witness_shows_edits_that_no_text_shows(tmp_path, law, benchmark, attack):
    submission = Submission(benchmark)
    told(submission)
    attack(submission)
    assert witness_codes(submission, tmp_path, law) & {"WIT03", "WIT04"}


@pytest.mark.parametrize(
    ("attack", "codes"),
    [
        (lambda s: None, set()),
        (each(lambda r: scaled(r, 0.5, True)), {"WIT05"}),
        (each(lambda r: quick_epoch(r, 2, 0.1)), {"WIT05"}),
    ],
    ids=["honest", "a clock of half the speed", "a clock that stands still for most of an epoch"],
)
def test_a_witness_shows_clocks_that_run_otherwise(tmp_path, law, attack, codes):
    submission = Submission()
    seen = copy.deepcopy(submission.runs)
    attack(submission)
    told(submission, seen)
    assert witness_codes(submission, tmp_path, law) == codes
