"""Submissions that jobs make with the launchers' stand-ins: every kind of job, from the script to the verdict. Four are
made where nothing else is said; EVERY=1 in the environment makes all."""

import json
import os
from hashlib import sha256

import pytest

from benchmark.run.files import environment_path
from benchmark.tree import set_path
from compliance.engine import judge
from rules.current import current
from tests.harness.launch.conftest import KINDS

RUNS = 2  # of an array; other jobs make one
NAMES = {"slurm": "slurm", "flux": "flux", "pbs": "openmpi", "mpi": "openmpi", "pals": "pals", "mpich": "pmi"}
TRIED = KINDS if os.environ.get("EVERY") else [KINDS[i] for i in (3, 5, 7, 9)]


@pytest.mark.parametrize("kind", TRIED, ids=" ".join)
def test_every_launcher_makes_a_submission(jobs, start, events, published, kind):
    array, image = "--array" in kind, jobs.folder / "image" if "--container" in kind else ""
    if image:
        image.write_text("layers")
    runs = ["--runs", str(RUNS)] if array else []
    done = start(*kind, *runs, RUNS="" if array else 1, CONTAINER=image)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("1 of 1 runs reached the target") == (RUNS if array else 1)

    submission = jobs.folder / "tester"
    logs = sorted(set_path(submission, "two", "scaffold").glob("result_*.txt"))
    assert [log.name for log in logs] == [f"result_{run}.txt" for run in range(RUNS if array else 1)]
    for log in logs:
        last = {e.key: e for e in events(log)}
        assert (last["number_of_ranks"].value, last["run_stop"].metadata["status"]) == (2, "success")
        assert tuple(last["layout"].value.values()) == (1, 2, 1, 1)
        manifest = json.loads(environment_path(log).read_text())
        launcher = NAMES[kind[-1] if "--mpi" in kind else kind[0]]
        wanted = {"launcher": launcher, "ranks": 2, "ranks_per_node": 2, "backend": "gloo"}
        assert manifest["run"]["launcher"]["value"] == wanted
        container = manifest["nodes"][0]["facts"]["container"]["value"]
        assert container.get("digest") == (sha256(image.read_bytes()).hexdigest() if image else None)
    rules = published(logs[0], jobs.folder / "rules", len(logs))
    verdict = judge([submission], edition=current(), rules=rules)
    assert [f.text() for f in verdict.findings if f.severity in ("error", "warning")] == []
    assert [(s.benchmark, len(s.logs)) for s in verdict.all_sets] == [("scaffold", len(logs))]
