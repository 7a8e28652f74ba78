import pytest

from rules.limits import Benchmark, Published


@pytest.mark.parametrize("splits", [{}, {"train": "a"}, {"train": "a", "validation": "b", "test": "c"}])
def test_a_registered_dataset_has_both_splits(splits):
    with pytest.raises(ValueError, match=r"datasets.site: found .*wanted fingerprints of train and validation"):
        Published("scaffold", 0.9, 1, 1, datasets={"site": splits})


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [("score", ["dice", "mean", None], ["f1", "Dice", 1]), ("epoch_num", ["epochs", "samples"], ["steps", None])],
)
def test_a_benchmark_has_known_kinds_of_scores_and_epochs(field, good, bad):
    for value in good:
        assert getattr(Benchmark(runs=5, metric="eval_accuracy", **{field: value}), field) == value
    for value in bad:
        with pytest.raises(ValueError, match=f"{field}: found {value!r}, wanted "):
            Benchmark(runs=5, metric="eval_accuracy", **{field: value})
