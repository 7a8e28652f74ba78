"""What is judged before runs are made, and when. The checker's answers are given."""

from types import MappingProxyType

import pytest

from benchmark.tree import set_path, system_path
from harness import submission
from harness.options import Setup
from harness.preflight import Finding, Step
from harness.submission import Wanted, make_submission, set_of
from tests.support.described import described

ERROR = Finding("error", "HYP01 It holds")


@pytest.fixture
def published(fake, monkeypatch):
    """Judging of a published problem: its calls, in order, and what the checker finds, by call."""
    calls, found = [], {"head": (), "step": ()}

    def judge_head(setup):
        calls.append("head")
        return found["head"]

    def measure_step(setup):
        calls.append("step")
        return Step(found["step"], 1.0, 1)

    monkeypatch.setattr(submission, "judge_head", judge_head)
    monkeypatch.setattr(submission, "measure_step", measure_step)
    monkeypatch.setattr(submission, "make_data", lambda *_: calls.append("data"))
    monkeypatch.setattr(Setup, "published", property(lambda self: PUBLISHED))
    return calls, found


class PUBLISHED:
    """What the rules publish."""

    reference_epochs = MappingProxyType({})


@pytest.mark.slow
def test_a_set_begins_with_a_step(published, fake):
    calls, _ = published
    assert make_submission(fake.setup(), Wanted(2)) == 0
    assert calls == ["data", "step", "data"] and len(fake.runs()) == 2
    calls.clear()
    assert make_submission(fake.setup(), Wanted(3)) == 0
    assert calls == ["head", "data", "data"] and len(fake.runs()) == 1  # it has begun before
    calls.clear()
    assert make_submission(fake.setup(), Wanted(3)) == 0 and calls == ["data"] and not fake.runs()


def test_before_there_are_data_the_head_is_judged(published, fake, monkeypatch):
    calls, _ = published
    monkeypatch.setattr(submission, "has_data", lambda *_: False)
    assert make_submission(fake.setup(), Wanted(1)) == 0 and calls == ["head", "data", "step", "data"]


@pytest.mark.parametrize("where", ["head", "step"])
def test_what_is_refused_leaves_nothing_behind(published, fake, monkeypatch, capsys, where):
    _, found = published
    found[where] = (ERROR,)
    monkeypatch.setattr(submission, "has_data", lambda *_: where == "step")
    assert make_submission(fake.setup(), Wanted(1)) == 2 and not fake.runs()
    assert "error: HYP01 It holds" in capsys.readouterr().err
    assert not set_path(fake.submission, "laptop", "scaffold").exists()
    path = system_path(fake.submission, "laptop")
    assert not path.exists()
    path.write_text("{}")  # what a person wrote stays
    assert make_submission(fake.setup(), Wanted(1)) == 2 and path.exists()


@pytest.mark.parametrize(("findings", "code"), [((ERROR,), 1), ((), 0), ((Finding("warning", "x"),), 0)])
def test_a_check_makes_no_runs_and_keeps_the_description(published, fake, findings, code):
    calls, found = published
    found["step"] = findings
    assert make_submission(fake.setup(), Wanted(check=True)) == code
    assert calls == ["data", "step"] and not fake.runs() and system_path(fake.submission, "laptop").exists()


def test_a_run_of_an_array_that_is_finished_asks_nothing(published, fake):
    calls, _ = published
    assert make_submission(fake.setup(), Wanted(3, only=1)) == 0 and len(fake.runs()) == 1
    calls.clear()
    assert make_submission(fake.setup(), Wanted(3, only=1)) == 0 and calls == ["data"] and not fake.runs()


def test_what_a_set_is(fake):
    setup, lacking = fake.setup(), described()
    runs = set_of(setup, Wanted(), lacking)
    assert (runs.runs, runs.what, runs.folder) == (5, "run", set_path(fake.submission, "laptop", "scaffold"))
    models = set_of(setup, Wanted(models=3), lacking)
    assert (models.runs, models.what, models.folder.parent.name) == (3, "model", "weak")
    assert set_of(setup, Wanted(0), lacking).runs == 0
    with pytest.raises(ValueError, match="--run: found 5, wanted 0 to 4"):
        set_of(setup, Wanted(only=5), lacking)
    with pytest.raises(ValueError, match="--checkpoint: found no such option"):
        set_of(setup, Wanted(checkpoints=fake.folder), lacking)
