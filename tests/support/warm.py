"""A process that has loaded the packages of a run, and forks runs of the reference, which then start at once.

    python tests/support/warm.py DESCRIPTOR SCRIPT

`forked.py` starts it and sends requests on a socket, the descriptor. The process loads no module of the repository,
computes nothing and starts no thread. A forked run finds the packages in memory, and does everything else as an
ordinary start of SCRIPT does. In particular it loads the repository's modules itself, under its own recorder, so that
its log names the same files.
"""

import contextlib
import ctypes
import hashlib
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys

PACKAGES = (
    "h5py",
    "mlperf_logging.mllog",
    "tqdm",
    "yaml",
    "zlib_ng.zlib_ng",
    "torch",
    "torch.distributed.checkpoint.state_dict",
    "torch.distributed.fsdp",
    "safetensors.torch",
    "torch.utils.flop_counter",
)
ENDS_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux's prctl


def load() -> None:
    """Import the packages. A run reports a missing one itself."""
    for name in PACKAGES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    remember_digests()


def remember_digests() -> None:
    """Have runs find the sha256 of large libraries in memory: each of them would read half a gigabyte."""
    digest, known = hashlib.file_digest, {}

    def remembered(file, name):
        state = os.fstat(file.fileno())
        key = (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, name)
        if key not in known:
            known[key] = digest(file, name)
        return known[key]

    hashlib.file_digest = remembered
    with open("/proc/self/maps") as maps:
        libraries = {fields[5] for line in maps if len(fields := line.split(maxsplit=5)) == 6 and ".so" in fields[5]}
    for library in libraries:
        with contextlib.suppress(OSError), open(library.strip(), "rb") as file:
            remembered(file, "sha256")


def serve(control: socket.socket) -> list[str]:
    """Fork a run for every request, and send its process number and, at its end, its exit code to the request's socket.

    It returns only in a forked process, with the run's arguments. When the control socket is closed, it ends all runs
    and then this process.
    """
    runs: dict[int, tuple[int, socket.socket]] = {}  # by a process's descriptor, its number and the request's socket
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the runs get a terminal's SIGINT as well
    while True:
        ready, _, _ = select.select([control, *runs], [], [])
        for descriptor in runs.keys() & set(ready):
            pid, asker = runs.pop(descriptor)
            os.close(descriptor)
            tell(asker, {"code": os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])})
            asker.close()
        if control not in ready:
            continue
        data, descriptors, _, _ = socket.recv_fds(control, 2**20, 4)
        if not data:
            break
        parent, pid = os.getpid(), os.fork()
        if pid == 0:
            control.close()
            for descriptor, (_, asker) in runs.items():
                os.close(descriptor)
                asker.close()
            return become(json.loads(data), descriptors, parent)
        asker = socket.socket(fileno=descriptors[0])
        for descriptor in descriptors[1:]:
            os.close(descriptor)
        runs[os.pidfd_open(pid)] = pid, asker
        tell(asker, {"pid": pid})
    for pid, _ in runs.values():
        os.kill(pid, signal.SIGTERM)  # so that their logs say so
    for pid, _ in runs.values():
        os.waitpid(pid, 0)
    os._exit(0)


def become(request: dict, descriptors: list[int], parent: int) -> list[str]:
    """Turn a forked process into the run: set streams, folder, variables and signals. Return its arguments."""
    ctypes.CDLL(None).prctl(ENDS_WITH_PARENT, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(128 + signal.SIGTERM)
    asker, *streams = descriptors
    os.close(asker)
    for stream, descriptor in enumerate(streams):
        os.dup2(descriptor, stream)
        os.close(descriptor)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(request["cwd"])
    os.environ.update(request["environment"])
    return request["arguments"]


def tell(asker: socket.socket, what: dict) -> None:
    """Send a message to the socket of a request, unless it was closed."""
    with contextlib.suppress(OSError):
        asker.send(json.dumps(what).encode())


if __name__ == "__main__":
    load()
    arguments = serve(socket.socket(fileno=int(sys.argv[1])))
    sys.argv = [sys.argv[2], *arguments]
    runpy.run_path(sys.argv[0], run_name="__main__")
