"""The settings of a logged run: those that define what it trained, and those that nobody here knows."""

from dataclasses import replace

import pytest

from harness.auditing.logged import read_run
from harness.auditing.settings import average_in_epochs, defining, precision_of, unknown
from rules.current import EDITION
from rules.edition import load
from tests.support import LOG


@pytest.fixture(scope="module")
def edition():
    return load(EDITION)


@pytest.fixture(scope="module")
def run():
    return read_run(LOG)


def without(run, *names):
    return replace(run, settings={key: value for key, value in run.settings.items() if key not in names})


def test_those_that_define_are_as_logged_or_as_the_rules_fix_them(run, edition):
    known = edition.benchmarks["scaffold"].settings
    found = defining(run, edition)
    assert found == {name: run.settings[name] for name in known if name in run.settings}
    assert all(known[name].optional for name in known.keys() - found.keys())
    fixed = {name: s.within("closed").only for name, s in known.items() if s.within("closed").fixed and not s.optional}
    assert fixed and defining(without(run, *fixed), edition).items() >= fixed.items()


def test_one_left_out_that_nothing_determines_is_refused(run, edition):
    with pytest.raises(ValueError, match=r"result_0\.txt: hyperparameters: found no learning_rate, wanted it"):
        defining(without(run, "learning_rate"), edition)


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


@pytest.mark.parametrize(("decay", "batch"), [(1, 2), (-0.1, 2), ("x", 2), (0.5, "x"), (0.5, 0), (0.5, 10**400)])
def test_an_average_that_is_none_is_refused(run, decay, batch):
    with pytest.raises(ValueError, match=r"result_0\.txt: hyperparameters: found average_decay"):
        average_in_epochs(run, {"average_decay": decay, "batch_size": batch}, 16)


def test_an_unknown_benchmark_is_refused(run, edition):
    with pytest.raises(ValueError, match="found benchmark 'climate', wanted one of "):
        defining(replace(run, benchmark="climate"), edition)


def test_a_precision_that_the_reference_lacks_is_audited_in_float32():
    found = [precision_of({"precision": name}) for name in ("bfloat16", "float8")]
    assert [*found, precision_of({})] == ["bfloat16", "float32", "float32"]


def test_what_neither_defines_nor_is_of_the_machine_is_unknown(run, edition):
    assert unknown(run, edition) == []
    more = replace(run, settings={**run.settings, "sharpening": 2, "dropout": 0.1})
    assert unknown(more, edition) == ["dropout", "sharpening"]
    assert unknown(replace(more, machine=(*run.machine, "dropout")), edition) == ["sharpening"]
    known = sorted(edition.limits.machine_settings)[0]
    silent = replace(run, machine=None, settings={known: 1, "sharpening": 2})  # which the rules say, then
    assert unknown(silent, edition) == ["sharpening"]
