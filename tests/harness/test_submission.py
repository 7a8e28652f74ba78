"""What is judged before runs are made, and when. The checker's answers are given."""

from types import SimpleNamespace

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
    monkeypatch.setattr(Setup, "published", property(lambda self: SimpleNamespace(reference_epochs={})))
    return calls, found


@pytest.mark.slow
def test_what_is_judged_before_runs_and_when(published, fake, monkeypatch):
    calls, _ = published

    def made(*wanted):
        calls.clear()
        assert make_submission(fake.setup(), Wanted(*wanted)) == 0
        return calls, len(fake.runs())

    assert made(2) == (["data", "step", "data"], 2)
    assert made(3) == (["head", "data", "data"], 1)  # it has begun before
    assert made(3) == (["data"], 0)
    assert made(4, 1) == (["data"], 0)  # of an array, whose runs are made one by one
    monkeypatch.setattr(submission, "has_data", lambda *_: False)
    assert made(1, None, True) == (["head", "data", "step", "data"], 1)


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
