import os
import socket
import stat

import pytest

from benchmark.launch import Launch
from benchmark.rendezvous import check_own, first_host, meet, port

TWO_NODES = Launch(9, 16, 1, 8, "slurm")


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch):
    """An environment in which nobody says where ranks meet."""
    for name in ("MASTER_ADDR", "MASTER_PORT", "SLURM_JOB_NODELIST", "SLURM_STEP_NODELIST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "environ", os.environ.copy())


@pytest.mark.parametrize(
    ("environ", "launcher", "first"),
    [
        ({"SLURM_JOB_NODELIST": "n[1-8]", "SLURM_STEP_NODELIST": "n[5-6]"}, "slurm", "n5"),
        ({"SLURM_JOB_NODELIST": "n[01-04,07],m1"}, "openmpi", "n01"),
        ({"SLURM_JOB_NODELIST": "m1,n[01-04]"}, "slurm", "m1"),
        ({"SLURM_JOB_NODELIST": "n[3,5]-ib,n[7-9]-ib"}, "slurm", "n3-ib"),
        ({"SLURM_JOB_NODELIST": "rack[1-2]n[01-04].site"}, "slurm", "rack1n01.site"),
        ({"LSB_MCPU_HOSTS": "batch2 1 n07 42 n08 42"}, "jsrun", "n07"),
        ({"LSB_MCPU_HOSTS": "n07 1 n08 1"}, "openmpi", "n07"),
    ],
)
def test_the_host_that_a_scheduler_implies(environ, launcher, first):
    assert first_host(environ, launcher) == first


def test_the_first_host_of_pbs(tmp_path):
    (tmp_path / "nodes").write_text("x1c2\nx1c2\nx1c3\n")
    assert first_host({"PBS_NODEFILE": str(tmp_path / "nodes")}, "pals") == "x1c2"
    (tmp_path / "empty").write_text("\n")
    for environ in (
        {"PBS_NODEFILE": str(tmp_path / "not here")},
        {"PBS_NODEFILE": str(tmp_path / "empty")},
        {"LSB_MCPU_HOSTS": "n07"},
    ):
        with pytest.raises(ValueError, match=r"found pals on several nodes, .*, wanted MASTER_ADDR=<host of rank 0>"):
            first_host(environ, "pals")


def test_flux_is_asked(tmp_path, monkeypatch):
    flux = tmp_path / "flux"
    flux.write_text('#!/bin/sh\n[ "$*" = "hostlist --nth=0 local" ] && echo n12\n')
    flux.chmod(flux.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert first_host({}, "flux") == "n12"
    for code in (1, 0):
        flux.write_text(f"#!/bin/sh\nexit {code}\n")
        with pytest.raises(ValueError, match="no answer to `flux hostlist --nth=0 local`"):
            first_host({}, "flux")


def test_ranks_of_one_node_meet_on_it_unless_the_environment_says(monkeypatch):
    meet(Launch(0, 8, 0, 8, "openmpi"))
    assert (os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"]) == ("127.0.0.1", str(port(os.environ)))
    monkeypatch.setenv("MASTER_ADDR", "elsewhere")
    monkeypatch.setenv("MASTER_PORT", "7")
    meet(TWO_NODES)
    assert (os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"]) == ("elsewhere", "7")
    first, same, next_step = ({"SLURM_JOB_ID": "71", "SLURM_STEP_ID": step} for step in "001")
    assert port(first) == port(same) != port(next_step)
    assert 10_000 <= port({}) < 20_000


def test_ranks_of_several_nodes_meet_on_the_first(monkeypatch):
    monkeypatch.setenv("SLURM_STEP_NODELIST", "n[5-6]")
    meet(TWO_NODES)
    assert os.environ["MASTER_ADDR"] == "n5"
    del os.environ["MASTER_ADDR"]
    monkeypatch.setenv("SLURM_STEP_NODELIST", "192.0.2.[7-8]")  # addresses that nobody has
    said = f"found 192.0.2.7, .* for rank 0 on {socket.gethostname()} .*, wanted MASTER_A"
    with pytest.raises(ValueError, match=said):
        meet(Launch(0, 16, 0, 8, "slurm"))
    check_own("127.0.0.1")


def test_a_name_that_no_host_can_have_is_said(tmp_path):
    (tmp_path / "nodes").write_bytes(b"\xff\n")
    for host in ("n07..site", "n" * 70, first_host({"PBS_NODEFILE": str(tmp_path / "nodes")}, "pals")):
        with pytest.raises(ValueError, match=r"^MASTER_ADDR: found .*, wanted MASTER_ADDR=<host of rank 0>$"):
            check_own(host)
