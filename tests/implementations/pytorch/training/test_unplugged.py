"""Two ranks whose cable is pulled: both end, and say why. Their hosts are network namespaces."""

import os
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from tests.support.waiting import comes_to

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("ip") or os.geteuid() != 0, reason="needs network namespaces"),
]
ADDRESSES = ("10.99.7.1", "10.99.7.2")


@pytest.fixture
def hosts() -> Iterator[list[str]]:
    """The names of two namespaces with a cable between them, whose ends have their names."""
    hosts = [f"t{os.getpid() % 100000}{end}" for end in "ab"]
    lines = [f"netns add {host}" for host in hosts]
    lines += ["link add {0} netns {0} type veth peer name {1} netns {1}".format(*hosts)]
    for host, address in zip(hosts, ADDRESSES, strict=True):
        lines += [f"-n {host} addr add {address}/24 dev {host}"]
        lines += [f"-n {host} link set {device} up" for device in (host, "lo")]
    try:
        for line in lines:
            if subprocess.run(["ip", *line.split()], capture_output=True).returncode:
                pytest.skip("no network namespaces here")
        yield hosts
    finally:
        for host in hosts:
            subprocess.run(["ip", "netns", "del", host], capture_output=True)


def start(tiny, log, rank: int, host: str) -> subprocess.Popen:
    """A rank of two on its host, without a launcher that would end it."""
    told = {"RANK": rank, "LOCAL_RANK": 0, "WORLD_SIZE": 2, "LOCAL_WORLD_SIZE": 1, "MASTER_PORT": 29501}
    named = {"MASTER_ADDR": ADDRESSES[0], "GLOO_SOCKET_IFNAME": host, "OMP_NUM_THREADS": "1"}
    command = tiny.command(log, "--layout", "1,2,1,1", "epochs=1000000", "timeout_seconds=5")
    environment = {**os.environ, **named, **{name: str(value) for name, value in told.items()}}
    return subprocess.Popen(["ip", "netns", "exec", host, *command], env=environment, stderr=subprocess.PIPE, text=True)


def test_unplugged_rank(endless, events, log, hosts):
    ranks = [start(endless, log, rank, host) for rank, host in enumerate(hosts)]
    try:
        comes_to(ranks[0], log, "eval_accuracy")
        subprocess.run(["ip", "-n", hosts[0], "link", "set", hosts[0], "down"], check=True)
        for rank, process in enumerate(ranks):
            _, said = process.communicate(timeout=90)
            assert f"rank {rank}: another rank ended or cannot be reached" in said and process.returncode == 1
    finally:
        for process in ranks:
            process.kill()
    assert "another rank ended" in events(log)[-1].metadata["reason"]
