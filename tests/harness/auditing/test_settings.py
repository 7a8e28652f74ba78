"""The settings of a logged run: those that define what it trained, and those that nobody here knows."""

from dataclasses import replace

import pytest

from harness.auditing.logged import read_run
from harness.auditing.settings import average_in_epochs, defining, precision_of, unknown
from rules.current import EDITION
from rules.edition import load
from tests.support import ROOT

LOG = ROOT / "results" / "v1.0" / "reference" / "results" / "epyc-2core" / "strong" / "scaffold" / "result_0.txt"


@pytest.fixture(scope="module")
def edition():
    return load(EDITION)


@pytest.fixture(scope="module")
def run():
    return read_run(LOG)


def without(run, *names):
    return replace(run, settings={key: value for key, value in run.settings.items() if key not in names})


def test_those_that_define_are_as_logged(run, edition):
    known = edition.benchmarks["scaffold"].settings
    found = defining(run, edition)
    assert found == {name: run.settings[name] for name in known if name in run.settings}
    assert all(known[name].optional for name in known.keys() - found.keys())


def test_one_left_out_has_the_value_that_the_closed_division_fixes(run, edition):
    settings = edition.benchmarks["scaffold"].settings
    fixed = [name for name, s in settings.items() if s.within("closed").fixed and not s.optional]
    assert fixed
    found = defining(without(run, *fixed), edition)
    assert {name: found[name] for name in fixed} == {name: settings[name].within("closed").only for name in fixed}


def test_one_left_out_that_nothing_determines_is_refused(run, edition):
    settings = edition.benchmarks["scaffold"].settings
    open_ones = [name for name, s in settings.items() if not s.within("closed").fixed and not s.optional]
    assert open_ones
    for name in open_ones:
        with pytest.raises(ValueError, match=f"result_0.txt: hyperparameters: found no {name}, wanted it"):
            defining(without(run, name), edition)


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ({"batch_size": 2, "average_decay": 0.75}, {"batch_size": 2, "average_epochs": 0.5}),
        ({"batch_size": 2}, {"batch_size": 2, "average_epochs": 0.0}),
        ({"batch_size": 2, "average_epochs": 0.25}, {"batch_size": 2, "average_epochs": 0.25}),
    ],
)
def test_an_older_average_is_told_in_epochs(run, settings, wanted):
    assert average_in_epochs(run, settings, 16) == wanted


@pytest.mark.parametrize("settings", [{"average_decay": 1, "batch_size": 2}, {"average_decay": "x", "batch_size": 2}])
def test_an_average_that_is_none_is_refused(run, settings):
    with pytest.raises(ValueError, match=r"result_0\.txt: hyperparameters: found average_decay"):
        average_in_epochs(run, settings, 16)


def test_an_unknown_benchmark_is_refused(run, edition):
    with pytest.raises(ValueError, match="found benchmark 'climate', wanted one of "):
        defining(replace(run, benchmark="climate"), edition)


def test_a_precision_that_the_reference_lacks_is_audited_in_float32():
    found = [precision_of({"precision": name}) for name in ("bfloat16", "float8")]
    assert [*found, precision_of({})] == ["bfloat16", "float32", "float32"]


def test_nothing_of_the_references_log_is_unknown(run, edition):
    assert unknown(run, edition) == []


def test_what_neither_defines_nor_is_of_the_machine_is_unknown(run, edition):
    more = replace(run, settings={**run.settings, "sharpening": 2, "dropout": 0.1})
    assert unknown(more, edition) == ["dropout", "sharpening"]
    assert unknown(replace(more, machine=(*run.machine, "dropout")), edition) == ["sharpening"]


def test_without_the_logs_own_word_the_rules_machine_settings_count(run, edition):
    known = sorted(edition.limits.machine_settings)[0]
    old = replace(run, machine=None, settings={known: 1, "sharpening": 2})
    assert unknown(old, edition) == ["sharpening"]
