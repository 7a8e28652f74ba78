"""What a log says of a run, and what is refused."""

from itertools import count
from pathlib import Path

import pytest

from benchmark.problem import load_problem
from harness.auditing.logged import has_weights, matches, read_run
from tests.compliance.logs import good
from tests.support import STRONG
from tests.support.lines import written


def edited(tmp_path: Path, key: str, change) -> Path:
    """A log in which `change` was made to the first event of a key: its fields are changed, or it is gone."""
    log = good()
    event = log.all(key)[0]
    change(event) if change else log.events.remove(event)
    return log.write(tmp_path / "result_0.txt")


def to(value):
    return lambda event: event.update(value=value)


def about(**metadata):
    return lambda event: event["metadata"].update(metadata)


@pytest.mark.parametrize("benchmark", ["scaffold", "cosmoflow", "deepcam"])
def test_a_run_of_each_benchmark(benchmark):
    path = STRONG / benchmark / "result_0.txt"
    run = read_run(path)
    events = written(path)
    scores = [e["value"] for e in events if e["key"] in ("eval_accuracy", "eval_error")]
    losses = [e["value"]["loss"] for e in events if e["key"] == "tracked_stats"]
    facts = {e["key"]: e["value"] for e in events}
    assert [(e.number, e.loss, e.score) for e in run.epochs] == list(zip(count(1), losses, scores, strict=False))
    if benchmark == "scaffold":  # the counts that the score follows from
        assert [len(run.epochs[0].facts[name]) for name in ("intersection", "predicted", "true")] == [6, 6, 6]
    assert (run.benchmark, run.seed, run.ranks) == (benchmark, facts["seed"], 1)
    assert run.settings == facts["hyperparameters"] and run.files[run.config]
    splits = {e["metadata"]["split"]: e["value"] for e in events if e["key"] == "dataset_fingerprint"}
    assert run.validation == splits["validation"] and run.weights == facts["weights"] and has_weights(path)
    matches(run, load_problem(run.problem))


@pytest.mark.parametrize(
    ("key", "change", "message"),
    [
        ("seed", None, "found no seed, wanted one"),
        ("seed", to(True), "seed: found True, wanted int"),
        ("seed", to(1 << 63), "wanted 0 to 2^63 - 1"),
        ("seed", to(-1), "wanted 0 to 2^63 - 1"),
        ("number_of_ranks", to(0), "number_of_ranks: found 0, wanted 1 or more"),
        ("source", about(files={"../up.py": "0"}), "found '../up.py'"),
        ("tracked_stats", to({}), "loss: found None, wanted a finite number"),
        ("tracked_stats", to({"loss": float("nan")}), "loss: found nan"),
        ("tracked_stats", to({"loss": 10**400}), "wanted a finite number"),
        ("tracked_stats", to({"loss": 1.0, "early_loss": "low"}), "early_loss: found 'low', wanted a finite number"),
        ("tracked_stats", about(epoch_num=0), "tracked_stats: found epoch 0, wanted one above 0"),
        ("eval_accuracy", to("0.9"), "eval_accuracy: found '0.9', wanted a finite number"),
        ("eval_accuracy", about(epoch_num=True), "eval_accuracy: found epoch True"),
        ("eval_accuracy", about(true=["x"]), "eval_accuracy: true: found 'x', wanted a finite number"),
        ("eval_accuracy", about(state="x"), "eval_accuracy: state: found 'x', wanted a sha256"),
        ("eval_accuracy", about(epoch_num=2), "found no evaluated epoch"),
        ("seed", lambda e: e.update(key="throughput_only"), "found a log of throughput alone, wanted a run"),
    ],
)
def test_what_is_no_run_is_refused(tmp_path, key, change, message):
    with pytest.raises(ValueError, match=r"result_0\.txt") as error:
        read_run(edited(tmp_path, key, change))
    assert message in str(error.value)


@pytest.mark.parametrize("change", [None, about(config="gone.yaml"), about(config=[1])])
def test_a_config_that_was_not_loaded_is_none(tmp_path, change):
    assert read_run(edited(tmp_path, "source", change)).config is None


@pytest.mark.parametrize(
    ("named", "machine"), [(None, None), (["threads", 5, "tile"], ("threads", "tile")), ("threads", ())]
)
def test_settings_of_the_machine_are_those_that_the_log_names(tmp_path, named, machine):
    assert read_run(edited(tmp_path, "hyperparameters", about(machine=named))).machine == machine


def test_a_run_of_another_problem_is_refused_and_no_log(tmp_path):
    with pytest.raises(ValueError, match=r"gone\.txt"):
        read_run(tmp_path / "gone.txt")
    run = read_run(edited(tmp_path, "problem_digest", to("0" * 64)))
    assert not has_weights(run.path) and read_run(edited(tmp_path, "seed", to(0))).seed == 0
    with pytest.raises(ValueError, match="which smoke has here"):
        matches(run, load_problem("smoke"))


def test_an_epoch_may_have_several_evaluations(tmp_path):
    """Each event says how many epochs are over."""
    log = good()
    logged = read_run(log.write(tmp_path / "result_1.txt")).epochs
    for event in log.events:
        if event["metadata"].get("epoch_num"):
            event["metadata"]["epoch_num"] /= 4
    found = read_run(log.write(tmp_path / "result_0.txt")).epochs
    assert [epoch.number for epoch in found] == [0.25 * n for n in range(1, len(logged) + 1)]
    assert [epoch.score for epoch in found] == [epoch.score for epoch in logged]


def test_counts_by_sample_and_class_are_read_in_their_order(tmp_path):
    path = edited(tmp_path, "eval_accuracy", about(counts=[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]))
    assert read_run(path).epochs[0].facts["counts"] == (1, 2, 3, 4, 5, 6, 7, 8)
    path.unlink()
    with pytest.raises(ValueError, match=r"eval_accuracy: counts: found \[1\], wanted a finite number"):
        read_run(edited(tmp_path, "eval_accuracy", about(counts=[[[[1]]]])))
