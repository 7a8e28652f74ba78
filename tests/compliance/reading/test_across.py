"""Logs that are given together: copies and replays are seen whichever round they were handed in to."""

import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from compliance.engine import judge
from compliance.reading import across as module
from compliance.reading.across import Across
from compliance.reading.series import Numbers
from results import freeze
from rules import new
from rules.edition import load


@pytest.fixture
def rules(law, tmp_path):
    """The editions, with another one by the same numbers."""
    root = shutil.copytree(law, tmp_path / "rules")
    new.make("v9.1", "v1.0", root)
    return root


def test_a_seed_of_another_round_is_for_people_to_judge(tree, rules, submissions, logs, tmp_path):
    other = submissions.Tree(tmp_path / "other", make=lambda index: logs.good(20 + index))
    other.changed("seed", 0, value=tree.logs[1].one("seed")["value"])
    other.into("v9.1")
    findings = [f for f in judge([tree.root, other.root], rules=rules).findings if f.code == "SEED05"]
    assert [(f.severity, f.path) for f in findings] == [("review", str(other.path(0)))]


@pytest.mark.parametrize("given", [slice(None), slice(None, None, -1)])
def test_a_later_round_takes_nothing_from_an_earlier_one(weighted, rules, logs, submissions, tmp_path, given):
    """Another organisation hands in the same weights in the next round."""
    thief = submissions.Weighted(tmp_path / "other", lambda index: logs.good(index + 20))
    for index in range(5):
        thief.weigh(index, weighted.state(index))
    thief.into("v9.1")
    findings = judge([weighted.root, thief.root][given], rules=rules).findings
    told = [(f.path, f.severity) for f in findings if f.code == "WGT08"]
    assert told == [(str(thief.path(index)), "error") for index in range(5)]


@pytest.mark.parametrize("frozen", [(), (0,), (1,), (0, 1)])
def test_a_frozen_round_was_published_first(tree, law, logs, tmp_path, frozen):
    """Of two rounds of one edition, one frozen, the other is at fault; else logs don't tell who copied."""
    other = tmp_path / "tuning" / "v1.0" / "acme"
    shutil.copytree(tree.root, other)
    homes = [tree.root, other]
    for index in frozen:
        assert freeze.main([str(homes[index].parent), "--with-errors"]) == 0
    findings = judge(homes, rules=law).findings
    at_fault = {
        index for index in (0, 1) for f in findings if f.code == "RUN05" and f.path.startswith(f"{homes[index]}/")
    }
    assert at_fault == ({0, 1} - set(frozen) if len(frozen) == 1 else {0, 1})


EDITION = load("v1.0")
SEEDS = EDITION.limits.seeds


def fake(name, *seeds, folder="a", curve=(), **more):
    """A run, as far as its seeds and its scores go: seeds in lines 10, 20 and so on. Its evaluations are its own."""
    path = Path("/", folder, name)
    run = {"path": str(path), "file": path, "set_path": folder, "edition": EDITION, "start_ms": 0, "size": 0}
    run |= {"seeds": tuple((10 * i, seed) for i, seed in enumerate(seeds, 1)), "curve": list(enumerate(curve, 1))}
    run |= {"benchmark": "b", "problem": "p", "home": "h", "evaluations": [str(path)]}
    return SimpleNamespace(**run | more)


def across(*runs):
    return Across(list(runs), {r.path: r.edition for r in runs}, {r.path: r.home for r in runs})


def without(**seeds):
    return replace(EDITION, limits=replace(EDITION.limits, seeds=replace(SEEDS, **seeds)))


LOW, MODULUS = 1 << SEEDS.low_bits, 1 << SEEDS.modulus_bits
FAR = 1 << 50
ALIKE = f"whose low {SEEDS.low_bits} bits are those of the one in /a/0"
EVEN = [FAR * (1 + 2 * i) + 1000 * i * i for i in range(3)]


@pytest.mark.parametrize(
    ("seeds", "how"),  # the seeds of each run of a set, and how the first of the last run is related to others
    [
        ([[5 + 3 * FAR], [5 + 7 * LOW + FAR]], ALIKE),
        ([[5 + 3 * FAR], [5 + LOW // 2 + FAR]], None),
        ([[FAR], [FAR + MODULUS]], None),
        ([[FAR, 3 * FAR + 77], [9 * FAR + 12345, FAR + 5]], None),
        ([[FAR, 3 * FAR + 77], [FAR + 5, 9 * FAR + 12345]], "5 from that of /a/0"),
        ([[5], [MODULUS - 4]], "9 from that of /a/0"),
        ([[seed, 5] for seed in EVEN], "as far from that of /a/1 as that is from that of /a/0"),
        ([[FAR + 150], [77], [MODULUS - FAR]], "as far from that of /a/1 as that is from that of /a/0"),
    ],
)
def test_seeds_are_related_by_distance_low_bits_or_even_steps(seeds, how):
    runs = [fake(str(i), *own) for i, own in enumerate(seeds)]
    told = across(*runs).related_seeds
    assert told == ([(runs[-1], how)] if how else [])


def test_seeds_of_several_sets_are_not_called_even():
    assert across(*(fake("x", seed, folder=f"set{i}") for i, seed in enumerate(EVEN))).related_seeds == []


@pytest.mark.parametrize(("seed", "reused"), [(FAR, 1), (FAR + MODULUS, 1), (FAR + MODULUS // 2, 0)])
def test_seeds_are_reused_that_are_equal_by_the_modulus(seed, reused):
    assert len(across(fake("first", FAR), fake("second", seed)).reused_seeds) == reused


def test_seeds_of_another_edition_are_not_related():
    old = replace(without(distance=0, low_bits=0), name="old")
    first, second = fake("first", FAR, edition=old), fake("second", FAR + 5)
    assert across(first, second).related_seeds == across(second, first).related_seeds == []
    assert across(first, fake("third", FAR + LOW, edition=old)).related_seeds == []  # which old compares with none


def test_each_seed_of_a_log_is_used_at_its_first_line():
    first, other = fake("first", 3, FAR), fake("second", 7, FAR, 8, FAR)
    assert across(first, other).reused_seeds == [((other, 20, FAR), (first, 20, FAR))]
    assert across(fake("alone", FAR, FAR)).reused_seeds == []


@pytest.mark.parametrize(
    ("one", "two", "reused"), [(True, True, 1), (True, False, 1), (False, True, 1), (False, False, 0)]
)
def test_reuse_counts_where_either_edition_wants_own_seeds(one, two, reused):
    first, second = (without(across=wants) for wants in (one, two))
    runs = fake("x", FAR, folder="a", edition=first), fake("y", FAR, folder="b", edition=second)
    assert len(across(*runs).reused_seeds) == reused
    same = fake("x", FAR, edition=first), fake("y", FAR, edition=second)
    assert len(across(*same).reused_seeds) == 1


A, B, C, D = 0.11, 0.22, 0.33, 0.44


@pytest.mark.parametrize(
    ("curve", "told"),
    [
        ([A, B, C, D], (1, 4)),
        ([0.9, B, C, D, 0.8], (2, 3)),
        ([A, B, 0.9, C, D], None),
        ([A, B], None),
        ([A, 0.5, 0, 1, B, C], (1, 3)),  # scores that say nothing are passed over
        ([A, A, A, A], None),
    ],
)
def test_a_replay_shares_three_telling_scores_in_a_row(curve, told):
    first, later = fake("first", curve=[A, B, C, D], start_ms=5), fake("later", curve=curve, start_ms=9)
    for runs in ((first, later), (later, first)):
        found = across(*runs).replays
        assert [(r.run.path, r.line, r.first.path, r.equal) for r in found] == (
            [("/a/later", told[0], "/a/first", told[1])] if told else []
        )


@pytest.mark.parametrize(
    ("one", "two", "replays"), [([A, B], [A, B], 1), ([A, B], [A, B, C], 0), ([A], [A], 0), ([], [], 0)]
)
def test_a_short_curve_is_a_replay_as_a_whole(one, two, replays):
    found = across(fake("x", curve=one), fake("y", curve=two))
    assert len(found.replays) == replays
    assert [len(part) for part in found.by_set()] == [1] * replays


def test_a_replay_behind_a_copy_is_found(tmp_path):
    runs = []
    for name, text, start in (("first", "a log", 5), ("copy", "a log", 5), ("later", "another log", 7)):
        (tmp_path / name).write_text(text)
        runs.append(fake(name, curve=[A, B, C], start_ms=start, file=tmp_path / name, evaluations=[]))
    first, copy, later = runs
    found = across(*runs)
    assert found.copies == {copy.path: first}
    assert [(r.run, r.first) for r in found.replays] == [(later, first)]


@pytest.mark.parametrize(
    ("changes", "read"),
    [
        ({}, 2),
        ({"size": 1}, 0),
        ({"start_ms": 1}, 0),
        ({"evaluations": [A, B, D, D]}, 0),
        ({"evaluations": [A, B, C, C]}, 2),  # no later ones are compared
    ],
)
def test_logs_are_read_only_if_size_start_and_scores_agree(monkeypatch, changes, read):
    files = []
    monkeypatch.setattr(module, "sha256", lambda file: files.append(file.name) or file.name)
    known = {"evaluations": [A, B, C, D]}
    assert across(fake("first", **known), fake("other", **known | changes)).copies == {} and len(files) == read


@pytest.mark.parametrize(
    ("name", "wants", "folder", "severity"),
    [
        ("v1.0", True, "b", ""),
        ("v1.0", False, "a", ""),
        ("v1.0", False, "b", "review"),
        ("old", True, "a", "review"),
    ],
)
def test_one_run_in_two_places_counts_where_the_round_forbids_it(name, wants, folder, severity):
    edition = replace(without(across=wants), name="v1.0")
    run, first = fake("x", edition=edition), fake("y", folder=folder, edition=replace(edition, name=name))
    assert across(run, first).severity(run, first) == severity


TRUE = EDITION.problems["smoke"].class_counts["validation"][1:]


def counted(name, start_ms, **more):
    """A run with one evaluation, in line 5, which is far from perfect."""
    numbers = Numbers([(5, 1.0, tuple(n / 2 for n in TRUE) * 2)], 100)
    return fake(name, start_ms=start_ms, numbers=numbers, **{"benchmark": "scaffold", "problem": "smoke", **more})


def test_of_two_near_runs_the_one_that_started_later_is_told():
    first, later = counted("first", 5), counted("later", 9)
    for runs in ((first, later), (later, first)):
        assert [(n.run, n.line, n.first) for n in across(*runs).near] == [(later, 5, first)]


@pytest.mark.parametrize("unknown", [{"benchmark": "none"}, {"problem": "none"}, {"problem": None}])
def test_runs_of_an_unknown_problem_or_benchmark_are_near_none(unknown):
    assert across(counted("first", 5, **unknown), counted("later", 9, **unknown)).near == []
