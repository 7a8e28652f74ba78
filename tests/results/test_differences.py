"""What a comparison shows of sets of runs."""

from results.differences import different, settings


def test_settings_that_vary_within_a_set_are_all_shown(new_log, read):
    facts = {"hyperparameters": {"rate": 1, "submission_poc_name": "Ann"}, "Submission_POC_name": "Ann"}
    runs = [read(new_log.scaffold(precision=p, **facts)) for p in ("float32", "bfloat16")]
    found = settings(runs)
    assert "Submission_POC_name" in runs[0].facts and "poc" not in str(found).lower()  # a contact
    assert found["precision"] == "float32, in other runs bfloat16" and found["hyperparameters.rate"] == "1"


def test_what_is_written_differently_is_no_difference():
    said = [
        {"opt": "SGD", "nodes": "2", "rate": "2.0", "x": "NaN"},
        {"opt": "sgd ", "nodes": "2.0", "rate": "2", "x": "nan"},
    ]
    assert different(said) == []
    assert different([{"rate": "2.0"}, {"rate": "2.01"}]) == [("rate", ["2.0", "2.01"])]
    assert different([{"rate": "2"}, {}]) == [("rate", ["2", "-"])]
