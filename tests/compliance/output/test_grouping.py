"""Findings by rule and set: order, counts, what fits, and the words for a verdict."""

from dataclasses import replace
from pathlib import Path

import pytest

from compliance.finding import Finding
from compliance.output.grouping import COPY, Kind, fitted, kinds, label, shown, tally, verdict
from compliance.output.report import Report, Summary, owned, told_as
from compliance.reading.digest import CRLF
from rules.text import Rule
from tests.support.sides import sides


def texts(*codes):
    return {code: Rule(code, "A seed is fresh", "Why.\n\nFix: do so", Path("x.md"), 1) for code in codes}


SETS = ("acme/results/a", "acme/results/b")


def finding(path, code="SEED03", severity="error", line=1, **fields):
    return Finding(path, line, code, severity, "A seed is fresh", **fields)


@pytest.fixture
def found():
    """An error twice in one set and once in another, a warning, a review, one waived, one of no submission."""
    return (
        finding("acme/results/a/result_0.txt", line=3),
        finding("acme/results/b/result_0.txt"),
        finding("acme/results/b/result_1.txt"),
        finding("acme/systems/x.json", "SYS06", "warning"),
        finding("acme/results/a", "RUN22", "review"),
        finding("acme/results/a", "RUN03", waived="r: agreed"),
        finding("w.yaml", "WAI01", "warning"),
    )


def report(found, *more, **fields):
    first = Summary("acme", "v1.0", 2, 9, (), sets=SETS)
    own = owned(["acme", *(summary.path for summary in more)], found)
    told = tuple(replace(summary, findings=tuple(own[summary.path])) for summary in (first, *more))
    return Report(found, told, (), {}, 0, **fields)


@pytest.mark.parametrize(("second", "copied"), [(CRLF, True), ("another", False)])
def test_where_line_endings_alone_are_wrong_the_fix_is_a_copy(second, copied):
    some = [finding("a/x", found=f"sha256 5, with {CRLF}"), finding("a/y", found=f"sha256 6, with {second}")]
    (kind,) = kinds(some, rules=texts("SEED03"))
    assert (kind.fix == COPY) == copied and (kind.fix == "do so") != copied


def test_kinds_are_rules_by_severity_and_number_and_sets_by_number(found):
    made = kinds(
        (*found, finding("acme/results/a", "RUN01", "warning"), finding("x", "RUN01", "warning")),
        report(()).summaries[0],
    )
    assert [(k.severity, k.code, len(k.findings)) for k in made] == [
        ("error", "SEED03", 3),
        ("review", "RUN22", 1),
        ("warning", "RUN01", 2),
        ("warning", "SYS06", 1),
        ("warning", "WAI01", 1),
        ("waived", "RUN03", 1),
    ]
    assert [(g[0].path.rpartition("/")[0], len(g)) for g in made[0].groups] == [(SETS[1], 2), (SETS[0], 1)]
    assert [k.size for k in made] == ["3 times in 2 sets", "", "2 times in 1 set and outside", "", "", ""]
    assert kinds([finding("x"), finding("y")])[0].size == "2 times"
    assert made[0].sentence == "A seed is fresh" and kinds([]) == ()


def test_a_copy_stands_before_what_follows_from_it():
    codes = ("REG03", "LED03", "REG03", "RUN05", "ENV01")
    rules = texts("REG03", "LED03", "RUN05")
    made = kinds([finding(f"acme/{n}", code) for n, code in enumerate(codes)], rules=rules)
    assert [k.code for k in made] == ["LED03", "RUN05", "REG03", "ENV01"] and not any(k.cause for k in made)
    made = kinds([finding("acme/1", code) for code in codes], rules=rules)
    assert [(k.code, k.cause) for k in made] == [("RUN05", ""), ("REG03", "RUN05"), ("LED03", "RUN05"), ("ENV01", "")]
    review = kinds([finding("acme/1", "RUN05", "review"), finding("acme/1", "LED03")])
    assert [k.code for k in review] == ["LED03", "RUN05"]


@pytest.mark.parametrize(
    ("code", "path", "cause"),
    [
        ("ENV10", "a/set/environment_3.json", "RUN01"),
        ("ENV10", "a/other/environment_3.json", ""),
        ("ENV13", "a/set/environment_3.json", ""),  # RUN01 is no cause of it
    ],
)
def test_what_an_error_of_the_set_brings_with_it_names_it(code, path, cause):
    made = kinds([finding("a/set", "RUN01"), finding(path, code)], rules=texts("RUN01", code))
    assert [(k.code, k.cause) for k in made if k.code == code] == [(code, cause)]


@pytest.mark.parametrize(
    ("path", "follows"),
    sides(
        (["a/result_1.txt", "a/environment_1.json", "a/environment_1_2.json"], []),  # the last one of a resumption
        ([], ["a/environment_2.json", "a/x"]),  # the first one of another run, whose log is waived
    ),
)
def test_what_is_wrong_in_a_file_that_was_changed_follows_from_it(path, follows):
    some = [finding("a/result_1.txt", "LED06"), finding("a/result_2.txt", "LED06", waived="r"), finding(path)]
    made = {kind.code: kind.fix for kind in kinds(some, None, texts("LED06", "SEED03")) if kind.severity == "error"}
    assert made["LED06"] == "do so" and made["SEED03"].startswith("first fix LED06: " if follows else "do so")


def test_parts_are_those_with_errors_first_and_elsewhere_last(found):
    other = replace(report(()).summaries[0], path="other", sets=())
    told = report((*found, finding("other/x", severity="info")), other).parts
    assert [part.path for part in told] == ["acme", "other", ""]
    assert [part.path for part in report((finding("other/x"),), other).parts] == ["other", "acme"]
    assert told[0].counts == {"error": 3, "warning": 1, "review": 1, "info": 0, "waived": 1}
    assert told[1].counts["info"] == told[2].counts["warning"] == 1
    assert [part.path for part in report(()).parts] == ["acme"]
    assert [told_as(f) for f in found][-3:] == ["review", "waived", "warning"]
    assert [label(f) for f in found][-3:] == ["review", "waived error", "warning"]


def test_a_chosen_severity_hides_the_others_and_counts_them(found):
    for severity, codes in (("error", {"SEED03"}), ("review", {"RUN22"}), ("warning", {"SYS06", "WAI01"})):
        made = report(found, severity=severity)
        assert {kind.code for _, some in shown(made) for kind in some} == codes
        assert made.parts[0].counts == {"error": 3, "warning": 1, "review": 1, "info": 0, "waived": 1}


def kind(groups, each=1, **fields):
    some = (tuple(finding(str(n), line=i) for i in range(each)) for n in range(groups))
    return Kind("error", "SEED03", tuple(some), **fields)


def test_more_than_ten_findings_show_the_first_of_three_sets():
    assert [(f.path, f.line, more) for f, more in kind(2, 5).examples] == [(p, i, 0) for p in "01" for i in range(5)]
    assert [(f.path, f.line, more) for f, more in kind(4, 3).examples] == [(p, 0, 2) for p in "012"]
    assert [more for _, more in kind(1, 11).examples] == [10]


@pytest.mark.parametrize(
    ("logs", "severity", "having", "common"),
    [(5, "warning", 3, True), (4, "warning", 2, False), (5, "error", 5, False), (1, "warning", 1, False)],
)
def test_a_warning_that_most_logs_have_is_common_and_takes_one_line(logs, severity, having, common):
    some = [finding(f"acme/a/result_{n}.txt", severity=severity, line=i) for n in range(having) for i in (1, 2)]
    some += [finding(f"acme/x{n}", severity=severity) for n in range(9)]
    (made,) = kinds(some, replace(report(()).summaries[0], logs=logs))
    assert made.common == common
    assert fitted([made], 9)[0][0][1] == (0 if common else len(made.examples))
    assert len(made.examples) == 1 or not common


@pytest.mark.parametrize(
    ("severity", "codes"),
    [
        ("error", ["TREE09", "RUN01", "ENV10", "CODE03", "NEW01"]),  # in the order in which they are fixed
        ("review", ["ENV10", "RUN01", "TREE09", "CODE03", "NEW01"]),  # the most first
    ],
)
def test_errors_are_in_the_order_of_fixing_others_by_number(severity, codes):
    some = [finding(f"x{n}", code, severity) for n, code in enumerate((*reversed(codes), "ENV10"))]
    order = texts("RUN01", "TREE09", "ENV10", "CODE03")
    assert [k.code for k in kinds(some, None, order)] == codes
    edited = kinds([*some, finding("y", "CODE05", "review")], None, order)
    assert next(k.code for k in edited if k.severity == "review") == "CODE05"


@pytest.mark.parametrize(
    ("groups", "room", "examples", "left"),
    [
        ([1], 1, [0], 0),
        ([12], 9, [3], 0),  # three sets of a rule with more than ten findings
        ([5, 5], 6, [2, 2], 0),
        ([1, 5], 6, [1, 3], 0),
        ([1, 1, 1], 2, [0], 2),  # the other line says what is left out
    ],
)
def test_what_fits_is_each_rule_then_its_first_example_then_more(groups, room, examples, left):
    chosen, rest = fitted([kind(n) for n in groups], room)
    assert ([n for _, n, _ in chosen], len(rest)) == (examples, left)
    assert len(chosen) + sum(n for _, n, _ in chosen) + bool(rest) <= max(room, bool(rest))


@pytest.mark.parametrize(
    ("room", "shown"),
    [
        *((2, [(0, False)] * 2), (4, [(1, False)] * 2), (5, [(1, True), (1, False)])),
        *((8, [(2, True)] * 2), (99, [(5, True)] * 2)),
    ],
)
def test_a_fix_takes_a_line_after_the_first_example(room, shown):
    chosen, rest = fitted([kind(5, fix="do this")] * 2, room)
    assert ([tuple(more) for _, *more in chosen], rest) == (shown, [])


def test_an_error_and_a_review_say_what_to_do():
    for severity, waived, fix in (("review", "", "do so"), ("warning", "", ""), ("error", "r: agreed", "")):
        (made,) = kinds([finding("x", severity=severity, waived=waived)], None, texts("SEED03"))
        assert made.fix == fix


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({}, "passed"),
        ({"warning": 41, "review": 1}, "passed, with 1 review and 41 warnings to read"),
        ({"waived": 2}, "passed, 2 waived"),
        ({"error": 1}, "failed: 1 error"),
        ({"error": 2, "warning": 3, "waived": 1}, "failed: 2 errors, with 3 warnings to read, 1 waived"),
    ],
)
def test_a_verdict_says_whether_it_is_in_order_and_what_is_to_read(counts, words):
    full = report(()).summaries[0].counts | counts
    assert verdict(full) == words
    assert verdict(full, chosen=True) == f"of the rules chosen: {words}"
    assert verdict(full, objections=2) == f"{words}, 2 objections by reviewers"


def test_a_tally_names_all_that_was_found():
    counts = {"error": 1, "warning": 2, "review": 0, "info": 1, "waived": 4}
    assert tally(counts) == "1 error, 2 warnings, 1 info, 4 waived" and tally(dict.fromkeys(counts, 0)) == ""
