"""Ways around the one reading that were tried: each ends without a figure, or is named."""

import shutil

import pytest

from compliance.engine import judge
from compliance.reviewing.waiver import Waiver, Waivers
from results.statistics.result import summarize
from rules.edition import load
from tests.compliance.logs import good, mean_run

SLOW = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.995)


def waive(*places):
    """Waivers of (code, path)."""
    made = enumerate((Waiver("acme", code, path, "a reason", "me") for code, path in places), 1)
    return Waivers("w", tuple(made))


@pytest.fixture
def look(law):
    """Judges paths and scores them: (figure or none, rank, word) by organisation and system, and the verdict."""

    def go(*paths, as_logged=False, **options):
        verdict = judge([str(p) for p in paths], rules=law, **options)
        found = summarize(verdict, as_logged)
        return {r.judged.path: (r.fom, r.rank, r.standing.word) for r in found}, verdict

    return go


def each(tree, change):
    for index, log in enumerate(tree.logs):
        change(log, index)
        tree.write(index)


def strong(tree):
    return tree.path(0).parent


def test_a_system_named_weak_prunes_nothing(tree, look):
    weak = tree.root / "results" / "weak" / "strong" / "scaffold"
    tree.write_system({**tree.description, "system_name": "weak"}).rename(tree.root / "systems" / "weak.json")
    shutil.rmtree(tree.root / "results")
    for index in range(8):
        log = good(index) if index < 5 else good(index, SLOW)
        log.one("submission_platform")["value"] = "weak"
        log.write(weak / ("" if index < 5 else "pruned_results") / f"result_{index}.txt")
    found, verdict = look(tree.root)
    assert [f.code for f in verdict.findings] == ["TREE09"] * 3
    assert found[str(weak)][:2] == (None, None)  # runs that were left out concern the set


def test_a_run_cannot_take_the_problem_of_another_benchmark(tree, look):
    each(tree, lambda log, index: [log.one(k).update(value=v) for k, v in (("problem", "mean"), ("target", 0.2))])
    found, verdict = look(tree.root)
    assert {f.code for f in verdict.findings} >= {"LOG12"} and verdict.exit_code == 1
    assert found[str(strong(tree))][0] is None


def test_of_two_submissions_with_the_same_runs_neither_has_a_figure(tree, look):
    """Logs don't tell who copied: the copy may be given first, and may have any times."""
    each(tree, lambda log, index: log.one("submission_org").update(value="beta"))
    tree.described(submitter="beta")
    beta = tree.root.rename(tree.root.with_name("beta"))
    copy = shutil.copytree(beta, beta.with_name("aaa"))
    for paths in ([beta.parent], [beta, copy], [copy, beta]):
        found, verdict = look(*paths)
        assert {path.split("/")[-5] for path, (fom, *_) in found.items() if fom is None} == {"aaa", "beta"}
        assert sum(f.code == "RUN05" for f in verdict.findings) == 10


def test_logs_given_beside_their_set_change_nothing(tree, look):
    tree.logs = [mean_run(index) for index in range(5)]  # of another benchmark than the folder's
    each(tree, lambda log, index: None)
    alone, beside = look(tree.root), look(tree.root, *(tree.path(i) for i in range(5)))
    assert [f.code for f in beside[1].findings] == [f.code for f in alone[1].findings] == ["RUN10"] * 5
    assert beside[0] == alone[0] and beside[0][str(strong(tree))][0] is None


def test_a_path_given_twice_is_one(tree, look, tmp_path):
    (tmp_path / "link").symlink_to(tree.root.parent)
    for again in (f"{tree.root.parent}/./", str(tmp_path / "link"), str(tree.root), str(strong(tree))):
        _, verdict = look(tree.root.parent, again)
        assert (verdict.findings, verdict.looked) == ((), 5)


def test_a_waived_gate_gives_no_figure(tree, look):
    each(tree, lambda log, index: log.one("submission_benchmark").update(value="ScaFFold"))
    waivers = waive(*(("RUN10", f"result_{i}.txt") for i in range(5)))
    for as_logged in (False, True):
        found, _ = look(tree.root, waivers=waivers, as_logged=as_logged)
        assert found[str(strong(tree))][:2] == (None, None)


@pytest.mark.parametrize("place", ["strong/Scaffold", "strong/extra/scaffold", "Strong/scaffold"])
def test_a_set_that_lies_wrong_has_no_figure_waived_or_as_logged(tree, look, place):
    target = tree.root / "results" / "box" / place
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(strong(tree), target)
    waivers = waive(("TREE01", place), ("TREE02", place))
    for as_logged in (False, True):
        found, _ = look(tree.root, waivers=waivers, as_logged=as_logged)
        assert [value[:2] for value in found.values()] == [(None, None)]


NOWHERE = ["more/result_5.txt", "power/result_5/result_5.txt", "pruned_results/more/result_5.txt", "../result_5.txt"]


@pytest.mark.parametrize("place", [*NOWHERE, "pruned_results/result_5.txt", "result_1234567890.txt", "result_5.md"])
def test_a_run_left_out_beside_its_set_takes_the_figure_away(tree, look, place):
    good(9, (0.5, 0.6, 0.94)).write((strong(tree) / place).resolve())
    found, verdict = look(tree.root)
    assert found[str(strong(tree))][0] is None and verdict.exit_code == 1


def test_results_by_another_name_are_no_submission(tree, look):
    (tree.root / "results").rename(tree.root / "Results")
    found, verdict = look(tree.root.parent)
    assert not found and {f.code for f in verdict.findings} == {"TREE08", "TREE09", "SYS06"} and verdict.exit_code == 1
    for folder in ("systems", "source"):
        shutil.rmtree(tree.root / folder)
    found, verdict = look(tree.root.parent)
    assert list(found.values()) == [(None, None, "not judged")]
    assert verdict.exit_code == 2 and "no submission" in verdict.missed[0][1]


def test_a_set_given_by_itself_says_so_and_has_no_rank(tree, look):
    (value,) = look(strong(tree))[0].values()
    assert value[0] is not None and value[1:] == (None, "clean as a set")


def test_a_lone_set_in_a_folder_of_any_name_is_of_its_runs_benchmark(tree, law, look):
    folder = tree.root.parent / "zeta" / "x"
    for index in range(5):
        mean_run(index).write(folder / f"result_{index}.txt")
    _, verdict = look(folder)
    (runs,) = verdict.all_sets
    assert (runs.benchmark, runs.required) == ("probe", load("v1.0", law).benchmarks["probe"].runs)


def test_a_value_nested_deeply_is_read(tree, look):
    log = tree.logs[2]
    log.add("odd", 0)
    event = log.events.pop()
    log.events.insert(3, {**event, "time_ms": log.events[2]["time_ms"]})
    text = log.text().replace('"key": "odd", "value": 0', f'"key": "odd", "value": {"[" * 600}{"]" * 600}')
    tree.put(tree.path(2), text)
    assert look(tree.root)[1].looked == 5


def test_the_division_is_read_once(tree, look):
    tree.described(division="closed ")
    _, verdict = look(tree.root)
    assert {run.run.division for run in verdict.all_sets[0].logs} == {"closed"}
