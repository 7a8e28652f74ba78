"""Checks and their premises: the closure, the order, and what is refused."""

import pytest

from compliance import rule as module
from compliance.rule import ordered, premises, rule


@pytest.fixture
def check(monkeypatch):
    """Defines a check; none of the real ones is there."""
    monkeypatch.setattr(module, "CHECKS", {})
    clear()

    def define(code, level="log", sentence="Something holds.", **options):
        def function(*arguments):
            yield from ()

        function.__doc__ = sentence
        rule(code, level, **options)(function)
        return module.CHECKS[code]

    yield define
    clear()


def clear():
    premises.cache_clear()
    ordered.cache_clear()


def codes(level, *chosen):
    return [c.code for c in ordered(level, frozenset(chosen))]


def test_a_sentence_is_the_docstrings_first_line_without_its_stop(check):
    assert check("A01", sentence="\n    A log has events.\n\n    More of it.\n    ").sentence == "A log has events"


@pytest.mark.parametrize(
    "options",
    [{"code": "A01"}, {"level": "logs"}, {"runs": "some"}, {"sentence": "."}, {"sentence": ""}],
    ids=lambda o: next(iter(o)),
)
def test_a_code_that_is_taken_and_words_that_nobody_knows_are_refused(check, options):
    check("A01")
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
    assert [c.after for c in ordered("log", frozenset({"A04", "A01"}))] == [(), ("A01", "A02", "A03", "B01")]


def test_checks_come_behind_their_premises_also_through_one_that_is_not_chosen(check):
    check("A09")
    check("A05", after=("A09",))
    check("A01", after=("A05",))
    assert codes("log", "A01", "A05", "A09") == ["A09", "A05", "A01"]
    assert codes("log", "A01", "A09") == ["A09", "A01"]


def test_checks_of_other_levels_and_codes_are_left_out(check):
    check("A01")
    check("A02", level="set", after=("A01",))
    check("A03")
    assert (
        codes("log", "A01", "A02") == ["A01"] and codes("set", "A01", "A02") == ["A02"] and codes("tree", "A01") == []
    )


def test_checks_that_wait_for_each_other_are_refused_by_name(check):
    check("A01", after=("A03",))
    check("A02", after=("A01",))
    check("A03", after=("A02",))
    with pytest.raises(ValueError, match=r"checks wait for each other: .*A0[123] -> A0[123]"):
        codes("log", "A01", "A02", "A03")
