"""TREE: what lies where nothing is looked for, or has no place in a submission."""

from dataclasses import replace
from pathlib import Path

import pytest

from compliance.engine import judge
from compliance.families import tree as checks
from compliance.reading import tree as tree_module
from compliance.reading.rounds import NAME, sha256
from compliance.reading.tree import Entry, LogFile, Set, Submission, place_in
from rules.edition import load
from tests.compliance import made
from tests.compliance.families.damages import damage, files_changed
from tests.compliance.logs import good


@damage
def logs_under_other_names(tree):
    for index in range(5):
        tree.path(index).rename(tree.path(index).with_name(f"run_{index}.log"))
    return [(f"run_{index}.log", 1, "TREE09") for index in range(5)]


scaling_folder_misspelt = files_changed(
    "TREE01", "scaffold", lambda tree: tree.path(0).parents[1].rename(tree.path(0).parents[1].with_name("Strong"))
)
benchmark_folder_misspelt = files_changed(
    "TREE02", "scafold", lambda tree: tree.path(0).parent.rename(tree.path(0).parent.with_name("scafold"))
)
unknown_file = files_changed("TREE03", "core.1234", lambda tree: tree.put(tree.path(0).with_name("core.1234"), "?"))
scaling_json_planted = files_changed(
    "TREE04", "scaling.json", lambda tree: tree.put(tree.path(0).with_name("scaling.json"), '{"scaling": 0.5}')
)
link_out_of_the_tree = files_changed(
    "TREE05", "secrets", lambda tree: (tree.implementation / "secrets").symlink_to("/etc")
)
log_misnamed = files_changed(
    "TREE06", "Result_2.txt", lambda tree: tree.path(2).rename(tree.path(2).with_name("Result_2.txt"))
)
events_in_a_document = files_changed(
    "TREE09", "notes.rst", lambda tree: good(7).write(tree.root / "results" / "notes.rst")
)
all_logs_deleted = files_changed("TREE08", "scaffold", lambda tree: [tree.path(index).unlink() for index in range(5)])


@damage
def more_entries_than_can_be_walked(tree, monkeypatch):
    monkeypatch.setattr(tree_module, "MOST_ENTRIES", len(list(tree.root.rglob("*"))))
    tree.put(tree.path(0).with_name("zz.md"), "The last file.")
    return [("acme", 1, "TREE07")]


OURS, ROUND = load("v1.0"), load("mlperf-hpc-v0.7")  # which has no scalings
SET = "results/box/strong/scaffold"
CAMPAIGN = "results/box/tuning/scaffold/c1"


def listed(*paths, **kinds):
    """A submission of files, and of folders, which end in a slash."""
    entries = [Entry(tuple(p.strip("/").split("/")), "folder" if p.endswith("/") else "file") for p in paths]
    entries += [Entry(tuple(p.split("/")), kind) for kind, p in kinds.items()]
    return Submission(Path("acme"), "acme", Path("acme"), tuple(entries), ())


@pytest.mark.parametrize(
    ("edition", "path", "placed"),
    [
        (OURS, "README.md", True),
        (OURS, "notes.txt", False),
        (OURS, "source/any/thing.bin", True),
        (OURS, "systems/more/box.json", False),
        (OURS, "systems/box.yaml", False),
        (OURS, "results/box/strong/weights/a.safetensors", True),
        (OURS, "results/box/weights/a.safetensors", False),
        (OURS, "results/box/environment_0.json", False),
        (OURS, "results/box/strong/environment_0.json", True),
        (OURS, "results/box/strong/receipts_0.jsonl", True),
        (OURS, f"{SET}/superseded/1/result_0.txt", True),
        (OURS, f"{SET}/superseded/1/notes.txt", False),
        (OURS, f"{SET}/superseded/1/weights/a.safetensors", True),
        (OURS, f"{SET}/superseded/1/a.safetensors", False),
        (OURS, "results/box/strong/ledger.jsonl", False),
        (OURS, f"{SET}/more/ledger.jsonl", False),
        (OURS, f"{CAMPAIGN}/confirmation/ledger.jsonl", True),
        (OURS, f"{CAMPAIGN}/confirmation/campaign.json", False),
        (OURS, f"{SET}/campaign.json", False),
        (ROUND, "results/box/x/deepcam/ledger.jsonl", False),
        (ROUND, "results/box/deepcam/environment_0.json", False),
        (ROUND, "results/box/deepcam/x/weights/a.safetensors", False),
        (ROUND, "results/box/deepcam/superseded/1/result_0.txt", False),
        (ROUND, "results/box/tuning/deepcam/c1/campaign.json", False),
    ],
)
def test_what_has_a_place_in_a_submission(edition, path, placed):
    assert len(list(checks.files_have_a_place(listed(path), edition))) == (not placed)


@pytest.mark.parametrize(
    ("path", "parameters", "named"),
    [
        ("scaling.json", 1, 0),
        (f"{SET}/my_checker.py", 1, 0),
        ("source/x/limits.yaml", 0, 0),
        (f"{SET}/my_checker/", 0, 0),
        (f"{SET}/result_0.log/", 0, 0),
        (f"{SET}/Result_0.txt", 0, 1),
        (f"{SET}/results.log", 0, 1),
        (f"{SET}/power/result_0.log", 0, 0),
        ("systems/result.log", 0, 0),
    ],
)
def test_files_that_other_rules_name(path, parameters, named):
    submission = listed(path)
    assert len(list(checks.parameter_files_are_ignored(submission, OURS))) == parameters
    assert len(list(checks.logs_are_named_by_number(submission, OURS))) == named
    if parameters or named:
        assert list(checks.files_have_a_place(submission, OURS)) == []  # one finding each


def test_a_submission_without_results_is_told_so():
    (fault,) = checks.folders_of_results_hold_logs(listed("source/x"), OURS)
    assert (fault.line, fault.found, fault.wanted) == (1, "no results", "logs below results/")
    assert list(checks.folders_of_results_hold_logs(listed("systems/box.json"), OURS)) == []  # it is being prepared


def test_what_cannot_be_handed_on_is_named_once():
    submission = listed("ok.md", "d/e/bad\nname.md", link="a", special="b", unreadable="c\n")
    found = [fault.found for fault in checks.entries_are_files_and_folders(submission, OURS)]
    assert found == ["the name bad\\nname.md", "a symbolic link", "a pipe, socket or device", "not readable"]


def with_sets(submission, *folders, superseded=()):
    """The submission with sets of runs in these folders; those in the fourth level below results/ are a campaign's."""
    aside, sets = tuple(LogFile(submission.path / file, file, None) for file in superseded), []
    for parts in (tuple(folder.split("/")) if folder else () for folder in folders):
        place, path = place_in(submission.path, parts), submission.path.joinpath("results", *parts)
        sets.append(Set(path, "/".join(parts), submission.path, place, (), aside))
    return replace(submission, sets=tuple(sets))


@pytest.mark.parametrize(
    ("folder", "strong", "rounds"),
    [
        ("box/strong/scaffold", True, False),
        ("strong/Strong/scaffold", False, False),
        ("box/Strong/strong", False, False),
        ("tuning/strong/tuning", True, False),
        ("box/scaffold", False, True),
        ("box/strong/scaffold/more", False, False),
        ("box/tuning/scaffold", False, False),
        ("box/tuning/scaffold/c1", True, False),
        ("", False, False),
    ],
)
def test_logs_lie_at_their_scaling_as_far_as_there_are_any(folder, strong, rounds):
    submission = with_sets(listed(), folder)
    for edition, right in ((OURS, strong), (ROUND, rounds)):
        wanted = "results/<system>/<strong|weak|throughput|tuning>/<benchmark>"
        wanted = wanted if edition is OURS else "results/<system>/<benchmark>"
        found = [(f.path, f.line, f.found, f.wanted) for f in checks.logs_lie_where_they_belong(submission, edition)]
        assert found == ([] if right else [(folder, 1, f"results/{folder}".rstrip("/"), wanted)])


def test_campaigns_belong_into_editions_that_tune():
    campaign = with_sets(listed(), "box/tuning/scaffold/c1")
    for scalings in (("strong", "weak"), ()):
        (fault,) = checks.logs_lie_where_they_belong(campaign, made.edition(scalings=scalings))
        assert fault.path == "box/tuning/scaffold/c1"


BOX = (OURS, "results/box/strong/scaffold/")
TUNED = (OURS, "results/box/tuning/scaffold/")


@pytest.mark.parametrize(
    ("edition", "path", "folder", "benchmark", "empty"),
    [
        (OURS, "results/box/strong/scafold/", None, 1, 1),
        (OURS, "results/box/strong/power/", None, 0, 0),
        (OURS, "results/box/strong/", None, 0, 0),
        (OURS, "results/box/strong/scaffold/deeper/", None, 0, 0),
        (OURS, "source/box/strong/scafold/", None, 0, 0),
        (*BOX, None, 0, 1),
        (*BOX, "box/strong/scaffold", 0, 0),
        (*BOX, "box/strong/deepcam", 0, 1),
        (*BOX, "box/strong/scaffold/more", 0, 1),
        (*TUNED, "box/tuning/scaffold/c1", 0, 0),
        (*TUNED, "box/tuning/scaffold/c1/confirmation", 0, 0),
        (*TUNED, "box/tuning/deepcam/c1", 0, 1),
        (ROUND, "results/box/deepcam/", None, 0, 1),
        (ROUND, "results/box/scaffold/", None, 1, 1),
        (ROUND, "results/box/deepcam/deeper/", None, 0, 0),
    ],
)
def test_folders_of_results_are_of_a_benchmark_and_hold_logs(edition, path, folder, benchmark, empty):
    """Or campaigns."""
    submission = with_sets(listed(path, "results/x.md", "source/x"), *([folder] if folder else []))
    assert len(list(checks.benchmark_folders_are_known(submission, edition))) == benchmark
    found = [(fault.line, fault.path) for fault in checks.folders_of_results_hold_logs(submission, edition)]
    assert found == [(1, f"acme/{path}".rstrip("/"))] * empty


def test_superseded_logs_are_strays_where_no_ledger_is_known(monkeypatch):
    aside = f"{SET}/superseded/1/result_0.txt"
    files = listed(aside, f"{SET}/result_0.txt", f"{SET}/Result_1.txt", "notes.rst")
    submission = with_sets(files, "box/strong/scaffold", superseded=[aside])
    strays = [(entry, 5) for entry in files.entries[2:]]  # of which another rule names one
    monkeypatch.setattr(Submission, "strays", strays)
    for edition, lines in ((OURS, [5]), (ROUND, [5, 1])):
        faults = list(checks.log_lines_are_of_sets(submission, edition))
        assert [fault.line for fault in faults] == lines
        assert [fault.path for fault in faults] == ["acme/notes.rst", f"acme/{aside}"][: len(lines)]


def test_campaigns_beside_empty_folders_share_what_concerns_them(tree, law):
    home = tree.root / "results" / "box" / "tuning"
    for number in range(30):
        tree.put(home / "scaffold" / f"c{number}" / "result_0.txt", "x\n")
        (home / f"b{number}").mkdir()
    (submission,) = judge([tree.root], rules=law).submissions
    campaigns = [s for s in submission.sets if s.campaign]
    assert len(campaigns) == 30
    assert len({id(s.about) for s in campaigns}) == 1
    assert sum(f.code == "TREE08" for f in campaigns[0].about) == 30


def freeze(tree):
    """Lists the submission's files as results/freeze.py does, and one of another submission."""
    home = tree.root.parent
    files = sorted(p for p in home.rglob("*") if p.is_file())
    lines = [f"{sha256(p)} {p.stat().st_size} {p.relative_to(home).as_posix()}\n" for p in files]
    return tree.put(home / NAME, "".join(lines) + f"{'5' * 64} 5 bolt/README.md\n")


def changed_after_freezing(name, change):
    """A damage: something is found in this file or folder after a submission with a README was frozen and changed."""

    @damage
    def entry(tree):
        readme = tree.put(tree.root / "README.md", "five")
        freeze(tree)
        change(tree, readme)
        return [(name, 1, "TREE13")]

    return entry


byte_changed_after_freezing = changed_after_freezing("README.md", lambda tree, readme: readme.write_text("nine"))
file_removed_after_freezing = changed_after_freezing("acme", lambda tree, readme: readme.unlink())


@files_changed("TREE13", "acme")
def list_of_the_frozen_damaged(tree):
    path = freeze(tree)
    path.write_text(path.read_text() + "and so on\n")


def test_tree13_the_list_of_the_round_counts_alone(tree, found):
    """Also for a submission that came later; none inside a submission."""
    listed = freeze(tree)
    assert found(tree.root) == found(tree.root.parent) == []
    listed.write_text("")
    entries = [p for p in tree.root.rglob("*") if p.is_file()]
    assert [code for *_, code in found(tree.root)] == ["TREE13"] * len(entries)
    listed.rename(tree.root / NAME)
    assert found(tree.root) == [(NAME, 1, "TREE03")]


@damage
def two_systems_by_one_name(tree):
    """Logs of their own, later ones, of another host, in the folder of a system `Box`."""

    def make(index):
        log = good(30 + index)
        log.one("devices")["value"][0]["host"] = "box-2"
        return log

    type(tree)(tree.root.parents[1], make=make, system="Box")
    return [("result_0.txt", 1, "TREE12")] * 2


@pytest.mark.parametrize(("name", "alike"), [("ACME", True), ("a_c-me", True), ("acme2", False)])
def test_tree12_organisations(name, alike):
    paths = [Path("v1.0", org, "results/box/strong/scaffold/result_0.txt") for org in ("acme", name)]
    runs = [made.run(path=str(path), file=path) for path in paths]
    found = [fault.found for fault in checks.names_differ_by_more_than_spelling(made.across(*runs))]
    assert found == [f"organisation {name} beside acme", f"organisation acme beside {name}"] * alike


def test_tree12_a_name_of_punctuation_is_itself():
    assert (checks.spelling("H100_8-x"), checks.spelling("--"), checks.spelling("_")) == ("h1008x", "--", "_")
