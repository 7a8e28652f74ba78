"""A process that has loaded the packages of a run, and forks runs of the reference, which then start at once.

    python tests/support/warm.py DESCRIPTOR SCRIPT [--compile]

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
import time

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
COMPILER = (
    "torch._inductor.compile_fx",
    "torch._inductor.codegen.cpp",
    "torch._inductor.codegen.cpp_wrapper_cpu",
    "torch._dynamo.backends.inductor",
    "torch.export._trace",
    "torch.utils.cpp_extension",
    "sympy.tensor.tensor",
    "setuptools",
)
HANDLED = {  # signals that this process handles in its own way, with Python's usual handlers for forked runs
    signal.SIGCHLD: signal.SIG_DFL,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGINT: signal.default_int_handler,
}
PATIENCE = 10.0  # seconds that runs have to end after SIGTERM
ENDS_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux's prctl


def load(compiler: bool) -> None:
    """Import the packages. A run reports a missing one itself."""
    for name in (*PACKAGES, *(COMPILER if compiler else ())):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    remember_digests()
    if compiler:  # finding out the vector instructions takes other processes; the answer is kept here
        with contextlib.suppress(Exception):
            sys.modules["torch._inductor.cpu_vec_isa"].valid_vec_isa_list()


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
    runs: dict[int, socket.socket | None] = {}  # the socket of each run's request; None if it was closed
    signals = wake_on_signals()
    while True:
        askers = {asker: pid for pid, asker in runs.items() if asker}
        ready, _, _ = select.select([control, signals, *askers], [], [])
        if signals in ready and signal.SIGTERM in os.read(signals, 4096):
            break
        for asker in askers.keys() & set(ready):  # readable means closed, since nothing is ever written to it
            send(askers[asker], signal.SIGTERM)
            asker.close()
            runs[askers[asker]] = None
        reap(runs)
        if control in ready:
            data, descriptors, _, _ = socket.recv_fds(control, 2**20, 4)
            if not data:
                break
            parent = os.getpid()
            signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)  # in the fork until it has handlers of its own
            pid = os.fork()
            if pid == 0:
                for held in (control, *filter(None, runs.values())):
                    held.close()
                os.close(signals)
                return become(json.loads(data), descriptors, parent)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)
            answer(runs, pid, descriptors)
    finish(runs)
    os._exit(0)


def wake_on_signals() -> int:
    """Return a descriptor from which the numbers of SIGCHLD and SIGTERM can be read. SIGINT is ignored, because the
    runs get a terminal's SIGINT as well."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)  # without a handler nothing is written to the pipe
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    return reader


def answer(runs: dict[int, socket.socket | None], pid: int, descriptors: list[int]) -> None:
    """Answer a request with the run's process number."""
    runs[pid] = asker = socket.socket(fileno=descriptors[0])
    for descriptor in descriptors[1:]:
        os.close(descriptor)
    tell(asker, {"pid": pid})


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
    os.close(signal.set_wakeup_fd(-1))
    for number, handler in HANDLED.items():
        signal.signal(number, handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)
    os.chdir(request["cwd"])
    os.environ.update(request["environment"])
    return request["arguments"]


def reap(runs: dict[int, socket.socket | None]) -> None:
    """Send the exit codes of runs that have ended."""
    for pid in list(runs):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended and (asker := runs.pop(pid)):
            tell(asker, {"code": os.waitstatus_to_exitcode(status)})
            asker.close()


def tell(asker: socket.socket, what: dict) -> None:
    """Send a message to the socket of a request, unless it was closed."""
    with contextlib.suppress(OSError):
        asker.send(json.dumps(what).encode())


def send(pid: int, number: int) -> None:
    """Send a signal to a run."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def finish(runs: dict[int, socket.socket | None]) -> None:
    """End all runs by SIGTERM, so that their logs say so, and those that remain by SIGKILL."""
    for pid in runs:
        send(pid, signal.SIGTERM)
    until = time.monotonic() + PATIENCE
    while runs and time.monotonic() < until:
        reap(runs)
        time.sleep(0.02)
    for pid in runs:
        send(pid, signal.SIGKILL)


if __name__ == "__main__":
    load("--compile" in sys.argv)
    arguments = serve(socket.socket(fileno=int(sys.argv[1])))
    sys.argv = [sys.argv[2], *arguments]
    runpy.run_path(sys.argv[0], run_name="__main__")
