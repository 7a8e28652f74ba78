"""The command: exit codes, what is printed, selection."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import compliance
from compliance import check
from tests.compliance.logs import good

HERE = Path(compliance.__file__).parent


def test_clean_is_0(run, tree):
    code, out, _ = run(tree.root)
    assert code == 0
    assert out.startswith(f"{tree.root}: 5 logs, checked by the rules v1.0\n")
    assert "\n  reviewers judge 15 points" in out
    told = f"python compliance/audit.py {tree.root} lists it"
    assert out.endswith(f"\n  passed\n\nnext: look at what no program can check, as reviewers will: {told}\n")


def test_errors_are_1_with_place_found_and_wanted(run, broken):
    code, out, _ = run(broken.root)
    assert code == 1
    place = broken.path(1).relative_to(broken.root)
    assert out.splitlines()[1].startswith("  error SEED03: ")
    assert out.splitlines()[2].startswith(f"    error at {place}:8: found seed 5, of 3 bits, wanted ")
    assert "\n  failed: 1 error\n" in out
    line = run(broken.root, "--all")[1].splitlines()[1]
    assert line.startswith(f"{broken.path(1)}:8: SEED03 error: ")
    assert "(found seed 5, of 3 bits, wanted " in line


def test_one_log_one_set_and_a_round(run, broken):
    assert run(broken.path(1))[0] == 1
    assert run(broken.path(0))[0] == 0
    assert run(broken.path(0).parent)[0] == 1
    assert run(broken.root.parent)[0] == 1
    assert run(broken.path(0), broken.path(2))[0] == 0


@pytest.mark.parametrize(
    "arguments",
    [
        *([], ["nowhere"], ["--rules", "v9", "."], ["--select", "XYZ", "."]),
        *(["--seconds", "nan", "."], ["--seconds", "-1", "."]),
    ],
)
def test_could_not_look_is_2(run, arguments, tmp_path):
    assert run(*arguments)[0] == 2
    code, out, _ = run(tmp_path)
    assert code == 2 and "could not be checked" in out


def test_a_premise_that_is_not_selected_is_reported(run, tree):
    """A set of runs 0, 1, 2, 4: RUN02 isn't checked, since RUN01 says that one is missing. So is a misplaced set."""
    tree.path(3).unlink()
    code, out, _ = run(tree.root, "--select", "RUN02", "--all")
    assert code == 1 and "RUN01 error: " in out and "of the rules chosen: failed: 1 error\n" in out
    assert run(tree.root, "--select", "LOG01")[0] == 0
    tree.changed("submission_benchmark", 1, value="nonsense")
    code, out, _ = run(tree.root, "--select", "EVL05", "--all")
    assert code == 1 and re.findall(r": (\w+) error: ", out) == ["RUN10"]
    tree.changed("submission_benchmark", 1, value="scaffold")
    tree.path(0).parent.rename(tree.path(0).parent.with_name("nonsense"))
    code, out, _ = run(tree.root, "--select", "RUN02", "--all")
    assert code == 1 and set(re.findall(r": (\w+) error: ", out)) == {"TREE02"}


def test_select_and_ignore(run, broken):
    assert run(broken.root, "--select", "RUN,LOG")[0] == 0
    assert run(broken.root, "--ignore", "SEED03")[0] == 0
    assert run(broken.root, "--select", "SEED", "--ignore", "SEED05")[0] == 1
    assert "of the rules chosen: passed" in run(broken.root, "--ignore", "SEED03")[1]


def test_severity_hides_and_changes_neither_verdict_nor_exit_code(run, broken):
    broken.put(broken.path(0).with_name("core.1"), "?")
    code, out, _ = run(broken.root, "--severity", "error")
    assert code == 1 and "core.1" not in out and "failed: 1 error, with 1 warning to read" in out
    out = run(broken.root, "--severity", "warning")[1]
    assert "warning at" in out and "SEED03" not in out and "failed: 1 error, with 1 warning to read" in out


@pytest.mark.parametrize("form", check.FORMATS)
def test_options_of_text_for_other_formats_are_refused(run, broken, form):
    codes = [run(broken.root, "--format", form, *option)[0] for option in (["--all"], ["--severity", "error"])]
    assert codes == [1 if form == "text" else 2, 2 if form in check.WHOLE else 1]


def test_runs_from_anywhere_and_without_torch_and_changes_nothing(tree, tmp_path):
    before = {p: p.stat().st_mtime_ns for p in tree.root.rglob("*")}
    code = (
        "import sys, runpy\n"
        "for name in ('torch', 'h5py', 'mlperf_logging', 'pandas', 'tqdm', 'scipy'): sys.modules[name] = None\n"
        f"sys.argv = ['check.py', {str(tree.root)!r}]\n"
        f"runpy.run_path({str(HERE / 'check.py')!r}, run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert "LOG12" in done.stdout, done.stderr  # the repository's own rules don't publish the tiny problem
    assert done.returncode == 1
    assert {p: p.stat().st_mtime_ns for p in tree.root.rglob("*")} == before


def test_no_module_is_named_like_one_of_the_standard_library():
    """Run as a file, `compliance/` comes first on the path until the first lines have replaced it."""
    assert not {path.stem for path in HERE.glob("*.py")} & sys.stdlib_module_names


@pytest.mark.parametrize("folder", ["", "results", "results/box/strong/scaffold", "source"])
def test_a_prepared_submission_has_no_runs_yet(tree, run, folder):
    """Its systems are described; what is wrong with that is an error."""
    shutil.rmtree(tree.root / "results")
    shutil.rmtree(tree.root / "source")
    (tree.root / folder).mkdir(parents=True, exist_ok=True)
    code, out, _ = run(tree.root)
    assert code == 2 and "could not be checked: no runs yet; all the rest was judged" in out
    assert f"{tree.root}: 0 logs, checked by the rules v1.0" in out
    assert "\n  no runs yet, and nothing wrong so far\n\nnext: see above why 1 place could not be checked\n" in out
    assert "no runs yet" in run(tree.root, "--format", "markdown")[1]
    assert json.loads(run(tree.root, "--format", "json")[1])["missed"][0]["reason"].startswith("no runs yet")
    assert run(tree.root.parent)[0] == 2
    line = tree.described(submitter="bolt")
    code, out, _ = run(tree.root)
    assert code == 1 and f"systems/box.json:{line}: found submitter bolt" in out and "no runs yet" in out


def test_runs_by_other_names_are_no_missing_runs(tree, run):
    """Logs that are not called result_<i>.txt, with a description beside them and without."""
    for index in range(5):
        tree.path(index).rename(tree.path(index).with_name(f"run_{index}.log"))
    code, out, _ = run(tree.root)
    assert code == 1 and "TREE09" in out and "as result_<i>.txt" in out and "no runs yet" not in out
    code, out, _ = run(tree.path(0).parent)
    assert code == 2 and "no log: logs are called result_<i>.txt" in out


def test_beside_others_the_report_is_on_the_given_paths_alone(run, tree, submissions, tmp_path):
    other = submissions.Tree(tmp_path / "other", make=lambda index: good(index + 20))
    other.changed("seed", 1, value=5)
    home = tree.root.with_name("bolt")
    other.root.rename(home)
    assert [run(home, "--beside", tree.root)[0], run(tree.root, "--beside", tree.root.parent)[0]] == [1, 0]
    code, out, _ = run(tree.root, "--beside", tree.root.parent, "--format", "json")
    findings = json.loads(out)["findings"]
    assert code == 0 and {f["path"].startswith(f"{tree.root}/") for f in findings} <= {True}
    code, _, said = run(tree.path(0).parent, "--beside", tree.root.parent)
    assert code == 2 and "wanted whole ones" in said
