"""The terms of a log: what its folder says goes before what it says itself."""

from dataclasses import replace

import pytest

from compliance.reading.terms import terms_for
from compliance.rule import CONFIRMATION, IO, RUN, STEPS, TRIAL
from rules.edition import load

ROUND = load("mlperf-hpc-v2.0")
FIRST = next(iter(ROUND.benchmarks))


@pytest.mark.parametrize(
    ("said", "folder", "name"),
    [
        ("deepcam", "", "deepcam"),
        ("deepcam", "oc20", "oc20"),
        *((odd, "", FIRST) for odd in ("odd", None, ["deepcam"])),
    ],
)
def test_the_benchmark_is_the_folders_then_the_logs_then_the_first(logs, said, folder, name):
    terms = terms_for(logs.read(logs.event(1, "submission_benchmark", value=said)), ROUND, folder)
    assert (terms.benchmark_name, terms.folder_benchmark) == (name, folder)
    assert terms.benchmark is ROUND.benchmarks[name] and terms.keys is ROUND.keys[name]


@pytest.mark.parametrize(
    ("said", "described", "division"),
    [("Closed", "", "closed"), ("closed", "open", "open"), (5, "", ""), (None, "", "")],
)
def test_the_descriptions_division_overrules_the_logs(logs, said, described, division):
    log = logs.read(logs.event(1, "submission_division", value=said))
    assert terms_for(log, ROUND, "deepcam", described).division == division


@pytest.mark.parametrize(("key", "kinds"), [("throughput_only", STEPS), ("io_only", IO)])
@pytest.mark.parametrize(
    ("edition", "value", "only"),
    [("v1.0", True, True), *(("v1.0", wrong, False) for wrong in (1, "true", False)), ("mlperf-hpc-v2.0", True, False)],
)
def test_only_true_makes_a_log_of_its_own_kind(logs, key, kinds, edition, value, only):
    terms = terms_for(logs.read(logs.event(1, key, value=value)), load(edition))
    assert (terms.throughput_only, terms.io_only) == (only, only and key == "io_only")
    assert terms.kinds == (kinds if only else RUN)


def test_the_target_is_the_benchmarks_or_else_the_problems(logs, law):
    ours = load("v1.0", law)
    assert terms_for(logs.read(), ROUND, "deepcam").target == ROUND.benchmarks["deepcam"].target == 0.82
    assert terms_for(logs.read(logs.event(1, "problem", value="tiny")), ours, "scaffold").target == 0.95
    assert terms_for(logs.read(logs.event(1, "problem", value="tinier")), ours, "scaffold").target is None
    assert terms_for(logs.read(logs.event(1, "problem", value=["tiny"])), ours, "scaffold").problem is None
    assert terms_for(logs.read(logs.event(1, "problem", value="tiny")), ours, "cosmoflow").problem is None  # another's


def test_trials_and_confirmations_are_of_their_campaign_in_addition(logs):
    terms = terms_for(logs.read(logs.event(1, "throughput_only", value=True)), load("v1.0"))
    assert replace(terms, kind=TRIAL).kinds == STEPS | TRIAL
    assert replace(terms, throughput_only=False, kind=CONFIRMATION).kinds == RUN | CONFIRMATION
    assert [terms_for(logs.read(), edition, kind=TRIAL).kind for edition in (load("v1.0"), ROUND)] == [TRIAL, set()]
