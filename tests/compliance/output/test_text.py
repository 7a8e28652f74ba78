"""Text for people: a screen for each submission, findings by rule and set, a verdict at the end."""

from dataclasses import replace

import pytest

from compliance.output.text import NEVER, SCREEN, render
from compliance.reviewing.checklist import Review, checklist
from rules.edition import load

FIX = load("v1.0").rules["SEED03"].fix

NEXT = "next: fix the error and check again; python compliance/check.py --explain SEED03 says more"
FOOT = "with --all, check.py gives each finding with its place"


@pytest.fixture
def round_(report, summed):
    """A report of two submissions, v1.0/acme and v1.0/other, with sets."""

    def make(*findings, **fields):
        made = report(*findings, **fields)
        sets = ("v1.0/acme/results/a", "v1.0/acme/results/b")
        first, other = replace(made.summaries[0], sets=sets), replace(made.summaries[0], path="v1.0/other")
        return summed(made, first, other)

    return make


def test_findings_by_rule_then_the_verdict(report, seed, file):
    assert render(report(seed, file)).splitlines() == [
        "v1.0/acme: 5 logs, checked by the rules v1.0",
        "  error SEED03: A seed is fresh",
        "    error at result_1.txt:8: found seed 5, wanted 48 bits",
        f"    fix: {FIX}",
        "  warning TREE03: A file has a place",
        "    warning at core.1: found core.1, wanted none",
        "  failed: 1 error, with 1 warning to read",
        "",
        NEXT,
        NEVER,
    ]


def test_every_finding_has_its_place_on_demand(report, seed, file):
    waived = replace(seed, line=9, waived="r: agreed")
    assert render(replace(report(file, seed, waived), every=True)).splitlines() == [
        "v1.0/acme: 5 logs, checked by the rules v1.0",
        "v1.0/acme/result_1.txt:8: SEED03 error: A seed is fresh (found seed 5, wanted 48 bits)",
        "v1.0/acme/core.1:1: TREE03 warning: A file has a place (found core.1, wanted none)",
        "v1.0/acme/result_1.txt:9: SEED03 waived error: A seed is fresh (found seed 5, wanted 48 bits) "
        "[waived by r: agreed]",
        "  failed: 1 error, with 1 warning to read, 1 waived",
        "",
        NEXT,
        NEVER,
    ]


def test_a_round_begins_with_totals_errors_and_what_is_refused(round_, seed, file):
    found = [replace(seed, path=f"v1.0/acme/results/{name}/result_0.txt", line=n) for n in (1, 2) for name in "ab"]
    lines = render(round_(*found, replace(file, path="v1.0/other/x"))).splitlines()
    assert lines[:12] == [
        "1 of 2 passed, 10 logs: 4 errors, 1 warning",
        "  error SEED03 in v1.0/acme, 4 times in 2 sets: A seed is fresh",
        "  warning TREE03 in v1.0/other: A file has a place",
        "",
        "v1.0/acme: 5 logs, checked by the rules v1.0",
        "  error SEED03, 4 times in 2 sets: A seed is fresh",
        *(f"    error at results/{n}/result_0.txt{i}: found seed 5, wanted 48 bits" for n in "ab" for i in ("", ":2")),
        f"    fix: {FIX}",
        "  failed: 4 errors",
    ]
    assert (
        lines[13] == "v1.0/other: 5 logs, checked by the rules v1.0" and lines[-4] == "  passed, with 1 warning to read"
    )
    worse = render(round_(replace(seed, path="v1.0/other/x"))).splitlines()
    assert worse[3] == "v1.0/other: 5 logs, checked by the rules v1.0"
    assert render(round_()).startswith("2 of 2 passed, 10 logs: nothing found\n\nv1.0/acme: ")


@pytest.mark.parametrize(
    ("severities", "last"),
    [
        (["error"] * 5, "  error SEED05 in v1.0/acme: A seed is fresh"),
        (["error"] * 6, "  error: 2 more rules, each below its submission"),
        (["warning", *["review"] * 5], "  review and warning: 2 more rules, each below its submission"),
    ],
)
def test_the_head_names_five_rules_or_four_and_how_many_more(round_, seed, severities, last):
    found = [replace(seed, code=f"SEED{n:02d}", severity=severity) for n, severity in enumerate(severities, 1)]
    lines = render(round_(*found)).splitlines()
    assert lines.index("") == 6 and lines[5] == last


@pytest.mark.parametrize("rules", [1, 57, 58])
@pytest.mark.parametrize("sets", [1, 5])
def test_a_submission_takes_a_screen_whatever_it_has(round_, seed, rules, sets):
    places = [f"v1.0/acme/results/{n}" for n in range(sets)]
    found = [replace(seed, code=f"SEED{n:02d}", path=f"{p}/x") for n in range(rules) for p in places for _ in "12"]
    made = round_(*found)
    made = replace(made, summaries=(replace(made.summaries[0], sets=tuple(places), source="of the reference"),))
    lines = render(made).splitlines()
    end = lines.index("")
    assert lines[0].startswith("v1.0/acme: ") and end <= SCREEN
    assert lines[end - 1] == f"  failed: {2 * sets * rules} errors"
    whole = sum(" at results" in line for line in lines) == 2 * sets * rules
    assert (FOOT in lines) != whole
    if rules > 57:
        rest = f"  error and less: {2 * sets * (rules - 56)} more findings of SEED56, "
        assert lines[57].startswith(rest) and sum(line.startswith("  error SEED") for line in lines) == 56


def test_waived_findings_and_impacts_are_told_behind_the_finding(report, seed):
    text = render(report(replace(seed, waived="r: agreed", impact="score 1 s; none if this run counts as failed")))
    assert text.splitlines()[1:3] == [
        "  waived SEED03: A seed is fresh",
        "    waived at result_1.txt:8: found seed 5, wanted 48 bits [waived by r: agreed] "
        "[score 1 s; none if this run counts as failed]",
    ]
    assert "\n  passed, 1 waived\n" in text


def test_nothing_found_and_one_log(report):
    made = report()
    assert render(made).splitlines() == [
        "v1.0/acme: 5 logs, checked by the rules v1.0",
        "  reviewers judge 2 points that no program can check",
        "  passed",
        "",
        "next: look at what no program can check, as reviewers will: python compliance/audit.py v1.0/acme lists it",
    ]
    one = replace(made, summaries=(replace(made.summaries[0], logs=1, throughput_only=1, review=()),))
    assert render(one) == "v1.0/acme: 1 log (throughput-only: no scored run), checked by the rules v1.0\n  passed\n"
    some = replace(made, summaries=(replace(made.summaries[0], throughput_only=2),))
    assert "5 logs (2 of them throughput-only: no scored run), checked by" in render(some)
    alone = replace(made, summaries=(replace(made.summaries[0], alone=True),))
    assert render(alone).startswith("v1.0/acme: 5 logs, checked by the rules v1.0, without a submission\n")


def test_places_of_a_log_alone_and_elsewhere(report, seed, summed):
    made = report(seed, replace(seed, path="w.yaml"))
    made = summed(made, replace(made.summaries[0], path=seed.path, logs=1, review=()))
    lines = render(made).splitlines()
    assert lines[2] == "    error at line 8: found seed 5, wanted 48 bits"
    assert lines[6:10] == [
        "elsewhere",
        "  error SEED03: A seed is fresh",
        "    error at w.yaml:8: found seed 5, wanted 48 bits",
        "  failed: 1 error",
    ]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"found": "", "wanted": ""}, "    error at result_1.txt:8"),  # the heading says it already
        ({"path": "v1.0/acme", "line": 1}, "    error: found seed 5, wanted 48 bits"),  # of the whole folder
        (
            {"found": "v1.0/acme/x of v1.0/other/x"},
            "    error at result_1.txt:8: found x of v1.0/other/x, wanted 48 bits",
        ),
        ({"found": "5" * 240}, f"    error at result_1.txt:8: found {'5' * 240}, wanted 48 bits"),
    ],
)
def test_places_are_relative_to_the_submission_and_texts_whole(report, seed, changes, told):
    assert render(report(replace(seed, **changes))).splitlines()[2] == told


def test_findings_have_their_own_words_and_a_whole_digest(round_, seed, report):
    own = replace(seed, path="v1.0/acme/results/b/x", sentence="Another")
    lines = render(round_(replace(seed, path="v1.0/acme/results/a/x"), own)).splitlines()
    assert "    error at results/b/x:8: Another (found seed 5, wanted 48 bits)" in lines
    made = report(replace(seed, found=f"sha256 {'ab' * 32}", wanted="c" * 63))
    assert f"found sha256 {'ab' * 6}..., wanted {'c' * 63}\n" in render(made)
    assert "ab" * 32 in render(replace(made, every=True))


def test_a_warning_in_most_logs_is_one_line(report, file):
    logs = [replace(file, path=f"v1.0/acme/results/a/result_{n}.txt", code="LOG08", line=n) for n in range(3)]
    lines = render(report(*logs, file)).splitlines()
    assert lines[1:4] == [
        "  warning LOG08, 3 times: A file has a place (such as results/a/result_0.txt: found core.1, wanted none)",
        "  warning TREE03: A file has a place",
        "    warning at core.1: found core.1, wanted none",
    ]
    assert len([line for line in render(report(*logs[:2])).splitlines() if " at results/a" in line]) == 2


def test_the_last_lines_say_what_to_do(report, seed):
    review = replace(seed, severity="review", code="RUN22")
    both = render(report(seed, replace(seed, line=9), review, missed=[("x", "gone")])).splitlines()
    how = "python compliance/check.py --explain"
    assert both[-4:] == [
        "",
        "next: see above why 1 place could not be checked",
        f"then: fix the 2 errors and check again; {how} SEED03 says more",
        NEVER,
    ]
    told = "next: explain in sw_notes where a fix says so, and hand it in; a person judges the 2 reviews; "
    assert render(report(review, review)).splitlines()[-1].startswith(told)
    chosen = render(replace(report(seed, review), severity="review"))
    assert chosen.splitlines()[-1].startswith("next: explain in sw_notes")


@pytest.mark.parametrize("missed", [3, 4])
def test_what_could_not_be_looked_at_has_a_line_each_up_to_three(report, missed):
    made = report(missed=[("no\nwhere", "gone")] * missed)
    lines = render(made).splitlines()
    assert lines[0] == "no\\nwhere: error: could not be checked: gone"
    assert lines.index("") == min(missed, 4)
    assert ("error: 1 more place could not be checked (--all)" in lines) == (missed == 4)
    assert sum("gone" in line for line in render(replace(made, every=True)).splitlines()) == missed


@pytest.mark.parametrize(("severity", "color"), [("error", "31"), ("info", "2")])
def test_each_severity_has_its_color_on_a_terminal_alone(report, seed, severity, color):
    finding = replace(seed, severity=severity)
    lines = render(report(finding, color=True)).splitlines()
    assert lines[1] == f"\x1b[{color}m  {severity} SEED03: A seed is fresh\x1b[0m"
    assert ("\x1b[31m  failed: 1 error\x1b[0m" in lines) == (severity == "error")
    assert "\x1b" not in render(report(finding))


def test_what_reviewers_said_stands_above_the_verdict(report):
    made, said = report(), Review("RUN01", "acme", "object", "r", "2026-11-22", "why")
    for reviews, words, last in (
        ([], "0 of 1 point accepted", "passed"),
        ([said], "0 of 2 points accepted, 1 objection", "passed, 1 objection by reviewers"),
    ):
        listed = replace(made.summaries[0], checklist=checklist(["EVL90"], reviews))
        lines = render(replace(made, summaries=(listed,))).splitlines()
        assert lines[1:] == [f"  reviewed: {words}; open: EVL90", f"  {last}"]


def test_the_sandbox_is_told_where_it_is_missing_or_all_is_asked_for(report):
    made = replace(report(), sandbox="no writing to files")
    assert "sandbox" not in render(made) + render(replace(report(), every=True))
    assert "\nsandbox: no writing to files\n" in render(replace(made, every=True))
    assert "\nsandbox: none: no such library\n" in render(replace(made, sandbox="none: no such library", exposed=True))
