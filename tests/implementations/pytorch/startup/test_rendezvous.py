"""Ranks that a bare `srun train.py` starts find each other, as ReFrame, Benchpark and JUBE start them."""

import json
import os
import socket
import subprocess
import sys

import pytest

from tests.support import ROOT

pytestmark = pytest.mark.slow

TRAIN = ROOT / "implementations" / "pytorch" / "train.py"


def test_two_ranks_on_two_nodes_without_an_address(tmp_path):
    log, own = tmp_path / "result_0.txt", {k: v for k, v in os.environ.items() if not k.startswith("MASTER_")}
    step = {"SLURM_JOB_ID": str(os.getpid()), "SLURM_STEP_ID": "1", "SLURM_STEP_NUM_TASKS": "2", "PMI_SIZE": "2"}
    step |= {"SLURM_STEP_TASKS_PER_NODE": "1(x2)", "SLURM_STEP_NODELIST": f"{socket.gethostname()},other"}
    words = ["--problem", "smoke", "--data", str(tmp_path), "--log", str(log), "--head", "--layout", "1,2,1,1"]
    ranks = []
    for rank in map(str, range(2)):
        place = {"SLURM_PROCID": rank, "SLURM_NODEID": rank, "SLURM_LOCALID": "0", "PMI_RANK": rank}
        command = [sys.executable, str(TRAIN), *words, "compile=false", "device=cpu"]
        ranks.append(subprocess.Popen(command, env={**own, **step, **place}, stderr=subprocess.PIPE, text=True))
    said = [rank.communicate(timeout=300)[1] for rank in ranks]
    assert [rank.returncode for rank in ranks] == [0, 0], said
    events = [json.loads(line.partition(":::MLLOG ")[2]) for line in log.read_text().splitlines()]
    found = {event["key"]: event["value"] for event in events}
    assert (found["number_of_ranks"], found["number_of_nodes"]) == (2, 2)
