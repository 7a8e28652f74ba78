import json

import pytest

from benchmark.collect import files_in
from benchmark.manifest import load_manifest
from benchmark.problem import load_problem
from benchmark.tree import result_path, system_path
from implementations.pytorch import submit


@pytest.fixture(scope="module")
def submitted(tiny, tmp_path_factory):
    """The exit code and the submission of two runs of two ranks that share every sample."""
    out = tmp_path_factory.mktemp("out")
    code = submit.main(arguments(tiny, out, "--runs", "2", "--layout", "1,2,1,1"))
    return code, out


def arguments(tiny, out, *more):
    files = ["--problems", str(tiny.problems), "--config", str(tiny.config), "--data", str(tiny.data)]
    return ["--problem", "tiny", *files, "--org", "Us", "--system", "laptop", "--out", str(out), *more]


def test_tree_is_complete(submitted, events):
    code, out = submitted
    org = out / "Us"
    assert code == 0
    for run in range(2):
        found = {e.key: e for e in events(result_path(org, "laptop", "scaffold", run))}
        assert found["run_stop"].metadata["status"] == "success"
        assert (found["submission_org"].value, found["submission_platform"].value) == ("Us", "laptop")
        assert found["layout"].value == {"data": 1, "depth": 2, "height": 1, "width": 1}
        (source,) = (org / "source").iterdir()
        assert files_in(source) == found["source"].metadata["files"]
        assert found["source"].value.startswith(source.name)
        assert found["source"].metadata["config"] == "config/config.yaml"
    system = json.loads(system_path(org, "laptop").read_text())
    assert (system["submitter"], system["system_name"], system["number_of_nodes"]) == ("Us", "laptop", "1")
    assert system["host_processor_model_name"] and system["framework"].startswith("PyTorch")


def test_the_same_command_again_leaves_everything_as_it_was(submitted, tiny, capsys):
    _, out = submitted
    before = files_in(out)
    assert submit.main(arguments(tiny, out, "--runs", "2", "--layout", "1,2,1,1")) == 0
    assert files_in(out) == before
    assert "2 of 2 runs reached the target" in capsys.readouterr().out


def test_runs_of_other_settings_are_no_part_of_a_set(submitted, tiny, capsys):
    _, out = submitted
    before = files_in(out)
    assert submit.main(arguments(tiny, out)) == 2
    assert "found other settings than now: layout [1, 2, 1, 1], now [1, 1, 1, 1]" in capsys.readouterr().err
    assert files_in(out) == before


@pytest.mark.parametrize("entry", ["0", "1"])
def test_an_entry_that_is_not_there_is_refused(tiny, tmp_path, capsys, entry):
    (tmp_path / "registry.yaml").touch()
    assert submit.main(arguments(tiny, tmp_path, "--entry", entry)) == 2
    assert f"registry.yaml: found 0 entries, wanted entry {entry}" in capsys.readouterr().err


def test_data_of_a_problem_in_a_file_is_generated(tiny, tmp_path):
    data = tmp_path / "data"
    assert submit.main(arguments(tiny, tmp_path / "out", "--runs", "0", "--data", str(data))) == 0
    problem = load_problem("tiny", tiny.problems)
    assert load_manifest(data, problem) == load_manifest(tiny.data, problem)


def test_a_layout_says_how_many_ranks():
    assert [submit.ranks(layout) for layout in ("2,2,1,1", "1", "2;2", "")] == [4, 1, 1, 1]


@pytest.mark.parametrize("change", [["--org", "../up"], ["--problem", "tyni"], ["--layout", "1,3,1,1"], ["epoch=2"]])
def test_what_every_run_would_refuse_is_refused_at_once(tiny, tmp_path, change):
    assert submit.main(arguments(tiny, tmp_path, *change)) == 2
    assert not list(tmp_path.iterdir())
