"""HYP: what the closed division may not change; hyperparameters that are incomplete, or don't agree."""

import pytest

from compliance.families import hyperparameters as checks
from rules.key import Key
from rules.settings import Setting
from tests.compliance.families.damages import damage, event_changed
from tests.compliance.logs import event, read
from tests.compliance.made import log_of, terms

another_optimizer = event_changed("HYP01", "opt_name", runs=range(5), value="lamb")


@damage
def batch_of_more_than_all(tree):
    for index in range(5):
        tree.settings(index, batch_size=16)
        tree.changed("global_batch_size", index, value=16)
    return [(f"result_{i}.txt", log.line_of("global_batch_size"), "HYP02") for i, log in enumerate(tree.logs)]


learning_rate_that_the_configuration_denies = event_changed(
    "HYP03", "opt_base_learning_rate", runs=range(5), value=0.002
)
digest_of_another_configuration = event_changed("HYP04", "config_digest", value="0" * 64)


def settings_changed(code, **fields):
    """A damage: all runs have other settings."""

    @damage
    def entry(tree):
        return [(f"result_{i}.txt", tree.settings(i, **fields), code) for i in range(5)]

    return entry


hyperparameter_left_out = settings_changed("HYP05", epochs=...)
another_weight_in_the_loss = settings_changed("HYP01", background_weight=0.9)
setting_that_the_rules_do_not_know = settings_changed("HYP06", foreground_weight=0.9)


@damage
def data_type_that_nobody_knows(tree):
    values = [tree.settings(i, precision="float7") and tree.changed("precision", i, value="float7") for i in range(5)]
    return [(f"result_{i}.txt", line, "HYP07") for i, line in enumerate(values)]


@pytest.mark.parametrize("value", [1e-300, "\udcff\u202e", {"b": 1, "a": {"d": 1, "c": 2}}])
def test_digest_of_any_values(tree, found, value):
    tree.settings(epochs=value)
    assert found(tree.path(2)) == []


@pytest.mark.parametrize(
    ("machine", "unknown"),
    [
        ({}, "loader"),  # the log names none: the reference's, of which `tile` and `threads` are
        ({"machine": ["loader", "tile", "threads", "device"]}, "loader as settings of the machine"),
        ({"machine": "loader"}, "device, threads, loader, tile"),
        ({"machine": [5, None, "loader", "tile", "threads", "device"]}, "loader as settings of the machine"),
    ],
)
def test_hyp06_a_log_names_the_settings_of_its_machine(tree, findings, machine, unknown):
    tree.settings(loader="quick", tile=[1, 1, 1, 1])
    tree.changed("hyperparameters", metadata=machine)
    assert [f.found for f in findings(tree.path(2))] == [f"hyperparameters with {unknown}"]


def test_hyp01_settings_of_training_are_none_of_the_machine(tree, found):
    line = tree.settings(background_weight=0.9)
    tree.changed("hyperparameters", metadata={"machine": ["background_weight", "device", "threads"]})
    assert found(tree.path(2)) == [("result_2.txt", line, "HYP01")]


def test_open_division_may_change_optimizer_model_and_settings(tree, found):
    tree.described(division="open")
    for index, log in enumerate(tree.logs):
        log.one("submission_division")["value"] = "open"
        log.one("opt_name")["value"] = "lamb"
        log.one("parameter_count")["value"] = 4321
        log.events.remove(log.one("opt_adam_beta_1"))
        tree.settings(index, background_weight=0.9, average_epochs=3, warmup_epochs=30, foreground_weight=2)
    assert found(tree.root) == []


@pytest.mark.parametrize(
    ("key", "good", "bad"),
    [
        (Key(equals=1), [1, 1.0], [0, 2, True, "1", None]),
        (Key(equals=True), [True], [False, None]),
        (Key(close=0.5), [0.5, 0.5 + 0.45e-9, 0.5 - 0.45e-9], [0.5 + 0.55e-9, 0.5 - 0.55e-9, "0.5"]),
        (Key(close=1), [1, 1.0], [True, 2]),
        (Key(choices=("a", "b")), ["a", "b"], ["c", None]),
        (Key(kind="number", min=1, below=2), [1, 1.9], [0.9, 2, "1"]),
    ],
)
def test_a_value_is_the_one_that_its_key_asks_for(key, good, bad):
    assert [value for value in (*good, *bad) if not checks._violates(value, key)] == good


def judged(check, keys=(), settings=None, division="closed", more=(), **values):
    """What a check finds: (line, found). Values are logged once each, from line 1 on; `more` are further events."""
    log = read(*(event(i, key, value=value) for i, (key, value) in enumerate(values.items(), 1)), *more)
    twice = {"a_logged": "a", "b_logged": "b"}
    by = terms(keys=dict(keys), division=division, settings=settings or {}, configured=twice)
    return [(fault.line, fault.found) for fault in check(log, by, None)]


@pytest.mark.parametrize(
    ("logged", "epochs", "wanted"),
    [
        (19, 1.5, "20"),  # of an epoch of 13 steps, 19.5
        (20, 1.5, None),
        (1, 0.01, None),  # 0.13, but at least 1
        (0, 0.01, "1"),
        ([7, 26], [0.5, 2], "[6, 26]"),
        ([6, 26], [0.5, 2], None),
        (5, -1, None),  # what is no number of epochs says nothing
        (5, "1", None),
        (5, [1, "1"], None),
        (5, 1e9, None),
        (5, 9e8, "11700000000"),
    ],
)
def test_hyp03_steps_are_those_of_the_epochs(logged, epochs, wanted):
    values = {"global_batch_size": 8, "train_samples": 100, "hyperparameters": {"length": epochs}, "t_max": logged}

    def found(**more):
        log = log_of(**{**values, **more})
        by = terms(keys={"t_max": Key(min=1)}, configured={}, configured_in_steps={"t_max": "length"})
        return [(fault.found, fault.wanted) for fault in checks.hyperparameters_agree(log, by, None)]

    said = [(f"t_max {logged} here, length {epochs} in line 3", f"{wanted}, as an epoch has 13 steps")]
    assert found() == (said if wanted else [])
    for more in ({"global_batch_size": 0}, {"global_batch_size": "8"}, {"train_samples": 1 << 2000}):
        assert found(**more) == []


def test_hyp01_checks_the_first_event_of_every_closed_key():
    keys = {
        "free": Key(equals=1),
        "elsewhere": Key(closed=True, equals=1, only_if=(("kind", "other"),)),
        "fixed": Key(closed=True, equals=1),
        "last": Key(closed=True, equals=1),
    }
    again = [event(9, "fixed", value=3)]
    values = {"free": 2, "elsewhere": 2, "fixed": 2, "last": 2}
    found = [(3, "fixed 2"), (4, "last 2")]
    assert judged(checks.closed_keeps_the_reference, keys, more=again, **values) == found
    assert judged(checks.closed_keeps_the_reference, keys, division="open", more=again, **values) == []


@pytest.mark.parametrize(
    ("batch", "samples", "good"),
    [(8, 8, True), (9, 8, False), (9.0, 8, True), ("9", 8, True), (9, None, True), (9, 8.0, True), (None, 8, True)],
)
def test_hyp02_compares_integers_alone(batch, samples, good):
    values = {"global_batch_size": batch, "train_samples": samples}
    found = judged(checks.batch_fits_the_data, **{name: v for name, v in values.items() if v is not None})
    assert found == ([] if good else [(1, f"global_batch_size {batch}")])


def test_hyp03_compares_what_is_logged_twice():
    def found(value, **alone):
        return judged(checks.hyperparameters_agree, **alone, hyperparameters=value)

    assert found({"a": 1, "b": 2}, a_logged=1, b_logged=2) == found([1], a_logged=1) == []
    assert found({"b": 3}, a_logged=1, b_logged=2) == [(2, "b_logged 2 here, b 3 in line 3")]
    both = [(1, "a_logged 1 here, a 2 in line 3"), (2, "b_logged 2 here, b 3 in line 3")]
    assert found({"a": 2, "b": 3}, a_logged=1, b_logged=2) == both


def test_hyp04_there_is_no_digest_of_nothing():
    check, digest = checks.config_digest_is_the_configs, {"config_digest": "0" * 64}
    assert judged(check, **digest) == judged(check, hyperparameters={}) == []
    assert judged(check, **digest, hyperparameters=[]) == []
    assert judged(check, **digest, hyperparameters={}) == [(1, f"config_digest {'0' * 64}")]


def test_hyp05_nothing_is_missing_where_no_settings_are_known():
    check, settings = checks.hyperparameters_are_complete, {"a": Setting(), "b": Setting(), "c": Setting(optional=True)}
    assert judged(check, settings=settings) == judged(check, hyperparameters={}) == []
    assert judged(check, settings=settings, hyperparameters=["a"]) == []
    assert judged(check, settings=settings, hyperparameters={"b": 1}) == [(1, "hyperparameters without a")]


TYPES = {"float32": "plain", "mxfp8": "scaled"}


@pytest.mark.parametrize(
    ("precision", "scaling", "types", "found"),
    [
        ("float32", None, TYPES, []),
        ("mxfp8", "a factor for each 32 values", TYPES, []),
        *(("mxfp8", scaling, TYPES, ["precision mxfp8 without scaling"]) for scaling in (None, " ", 1)),
        ("x", None, TYPES, ["precision x"]),
        ("x", None, {}, []),
        (5, None, TYPES, []),
    ],
)
def test_hyp07_a_type_is_known_and_narrow_ones_are_scaled(precision, scaling, types, found):
    log = read(event(1, "precision", value=precision, **({} if scaling is None else {"scaling": scaling})))
    assert [fault.found for fault in checks.data_type_is_known(log, terms(data_types=types), None)] == found
    assert list(checks.data_type_is_known(read(), terms(data_types=types), None)) == []
