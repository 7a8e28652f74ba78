"""Checks and their premises: the closure, the order, and what is refused."""

import pytest

from compliance import rule as module
from compliance.rule import EVERY, OF_A_KEY, RUN, RUNS, STEPS, TRIAL, applying, breaking, of_keys, ordered, premises


@pytest.fixture
def check(monkeypatch):
    """Defines a check; none of the real ones is there."""
    monkeypatch.setattr(module, "CHECKS", {})
    clear()

    def define(code, level="log", **options):
        def function(*arguments):
            yield from ()

        module.rule(code, level, **options)(function)
        return module.CHECKS[code]

    yield define
    clear()


def clear():
    premises.cache_clear()
    breaking.cache_clear()
    ordered.cache_clear()


def codes(level, *chosen):
    return [c.code for c in ordered(level, frozenset(chosen))]


def test_a_code_that_is_taken_and_words_that_nobody_knows_are_refused(check):
    check("A01")
    for options in ({"code": "A01"}, {"level": "logs"}, {"runs": "some"}, {"on": frozenset({"walks"})}):
        with pytest.raises(ValueError, match="check function"):
            check(**{"code": "A02", **options})
    assert list(module.CHECKS) == ["A01"]


def test_premises_are_those_of_premises_too(check):
    check("A01")
    check("A02", after=("A01",))
    check("A03", after=("A02", "B01"))
    check("A04", after=("A03", "A01"))
    assert premises("A04") == {"A01", "A02", "A03", "B01"}
    assert premises("A01") == premises("Z99") == frozenset()
    assert [c.after for c in ordered("log", frozenset({"A04", "A01"}))] == [set(), {"A01", "A02", "A03", "B01"}]


def test_checks_follow_their_premises_through_unchosen_ones(check):
    check("A09")
    check("A05", after=("A09",))
    check("A01", after=("A05",))
    assert codes("log", "A01", "A05", "A09") == ["A09", "A05", "A01"]
    assert codes("log", "A01", "A09") == ["A09", "A01"]
    check("A02", level="set", after=("A01",))
    assert codes("log", "A01", "A02") == ["A01"] and codes("set", "A01", "A02") == ["A02"]


def test_checks_that_wait_for_each_other_are_refused_by_name(check):
    check("A01", after=("A03",))
    check("A02", after=("A01",))
    check("A03", after=("A02",))
    with pytest.raises(ValueError, match=r"checks wait for each other: .*A0[123] -> A0[123]"):
        codes("log", "A01", "A02", "A03")


@pytest.mark.parametrize("level", ["tree", "submission", "round"])
def test_a_premise_that_would_not_count_is_refused(check, level):
    check("A01")
    with pytest.raises(ValueError, match="found reads"):
        check("A02", level=level, reads=("seed",))
    check("A02", level=level, after=("A01",))
    with pytest.raises(ValueError, match="A02: found the premise A01, of the level log, wanted"):
        ordered(level, frozenset({"A01", "A02"}))


def test_an_error_of_a_key_hides_the_checks_that_read_it(check):
    for code in OF_A_KEY:
        check(code)
    check("A01", reads=("seed", "layout"))
    check("A02", after=("A01",))
    check("A03")
    for code in ("A01", "A02"):
        assert not breaking(code).isdisjoint(of_keys("LOG06", ("layout", "configured")))
        assert not breaking(code).isdisjoint(of_keys("LOG01", ()))
        assert breaking(code).isdisjoint(of_keys("LOG06", ("devices",)))
        assert breaking(code).isdisjoint({"LOG06"})
    assert breaking("A03") == frozenset() and "A01" in breaking("A02") and premises("A02") == {"A01", *OF_A_KEY}


def test_rules_apply_to_all_kinds_of_a_log(check):
    check("A01")
    check("A02", on=RUNS | STEPS)
    check("A03", on=RUN | STEPS)
    check("A04", on=EVERY)
    codes = frozenset({"A01", "A02", "A03", "A04", "A05"})  # A05 is for people
    applying.cache_clear()
    told = {kinds: sorted(codes - applying(codes, kinds)) for kinds in (RUN, STEPS, RUN | TRIAL, STEPS | TRIAL)}
    applying.cache_clear()
    assert told == {RUN: [], STEPS: ["A01"], RUN | TRIAL: ["A03"], STEPS | TRIAL: ["A01", "A03"]}
