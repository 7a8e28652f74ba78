"""Where ranks meet: the host of rank 0 and a port, where nobody has said them. Schedulers imply both."""

import os
import re
import socket
import subprocess
import zlib
from collections.abc import Mapping
from pathlib import Path

from benchmark.launch import Launch

NODES = ("SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST")
JOBS = ("SLURM_JOB_ID", "SLURM_STEP_ID", "FLUX_JOB_ID", "PBS_JOBID", "LSB_JOBID", "PALS_APID", "PMIX_NAMESPACE")
FIRST_PORT, PORTS = 10_000, 10_000  # below the ports that systems assign themselves, and those that submit.py draws
SECONDS = 60.0  # for `flux hostlist`


def meet(launch: Launch) -> None:
    """Set MASTER_ADDR and MASTER_PORT for this process, where the environment has none. Raises ValueError if there is
    no telling the address, or if it is not rank 0's own."""
    if "MASTER_ADDR" not in os.environ:
        host = "127.0.0.1" if launch.local_world_size == launch.world_size else first_host(os.environ, launch.launcher)
        if launch.rank == 0:
            check_own(host)
        os.environ["MASTER_ADDR"] = host
    os.environ.setdefault("MASTER_PORT", str(port(os.environ)))


def check_own(host: str) -> None:
    """Raise ValueError if a host is not this one. Ranks that look for rank 0 elsewhere would wait for their timeout."""
    try:
        socket.create_server((host, 0), family=socket.getaddrinfo(host, 0)[0][0]).close()
    except (OSError, UnicodeError) as error:  # a UnicodeError: no host has such a name
        reason = getattr(error, "strerror", None) or error
        why = f"found {host}, the job's first host, for rank 0 on {socket.gethostname()} ({reason})"
        raise ValueError(f"MASTER_ADDR: {why}, wanted MASTER_ADDR=<host of rank 0>") from None


def port(environ: Mapping[str, str]) -> int:
    """Return a port that follows from the job's number, and from the step's: one for all of its ranks."""
    job = " ".join(environ.get(name, "") for name in JOBS)
    return FIRST_PORT + zlib.crc32(job.encode()) % PORTS


def first_host(environ: Mapping[str, str], launcher: str) -> str:
    """Return the job's first host, which has rank 0 as long as ranks are placed in order. Raises ValueError if no
    scheduler says which that is."""
    if launcher == "flux":
        return ask_flux()
    if found := next((environ[name] for name in NODES if environ.get(name)), ""):
        return first_of_list(found)
    if found := first_to_compute(environ.get("LSB_MCPU_HOSTS", "")):
        return found
    nodes = environ.get("PBS_NODEFILE")
    if nodes and Path(nodes).is_file() and (hosts := Path(nodes).read_text(errors="replace").split()):
        return hosts[0]
    what = f"found {launcher} on several nodes, and no scheduler's list of them"
    raise ValueError(f"MASTER_ADDR: {what}, wanted MASTER_ADDR=<host of rank 0>, for all ranks")


def first_of_list(text: str) -> str:
    """Return the first of the hosts that Slurm writes in short: n01 of n[01-04,07],m1, and n1-ib of n[1,3]-ib."""
    one = re.split(r",(?![^\[]*\])", text.strip())[0]
    return re.sub(r"\[(\w+)[^\]]*\]", r"\1", one)


def first_to_compute(text: str) -> str:
    """Return the first host of LSF's "batch 1 n01 42 n02 42", "" if there is none. A host with one slot before others
    with more runs the job's script alone."""
    words = text.split()
    hosts = list(zip(words[::2], words[1::2], strict=False))
    alone = all(slots == "1" for _, slots in hosts)
    return next((host for host, slots in hosts if alone or slots != "1"), "")


def ask_flux() -> str:
    """Return the first host of this job of Flux. Raises ValueError if Flux does not say it."""
    command = ("flux", "hostlist", "--nth=0", "local")  # of FLUX_JOB_ID
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True, errors="replace", timeout=SECONDS)
        if host := done.stdout.strip():
            return host
        why = "it is empty"
    except (OSError, subprocess.SubprocessError) as error:
        why = f"{error!s:.80}"
    what = f"found no answer to `{' '.join(command)}` ({why})"
    raise ValueError(f"MASTER_ADDR: {what}, wanted MASTER_ADDR=<host of rank 0>, for all ranks")
