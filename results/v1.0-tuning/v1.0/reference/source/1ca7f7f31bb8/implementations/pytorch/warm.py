"""A process that has loaded what runs load from outside the repository, and forks runs, which then start at once.

    python implementations/pytorch/warm.py DESCRIPTOR [--compile]

`start.py` starts it and asks it by messages on a socket, the descriptor. It loads no module of the repository, computes
nothing and starts no thread: a run that is forked from it finds packages in memory, and does everything else as a start
of train.py does it. In particular it loads the repository's modules itself, under its own recorder. This file is among
what the recorder finds; a warm process whose file was edited forks nothing more.
"""

import contextlib
import ctypes
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = Path(__file__).read_bytes()
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
HANDLED = {  # signals that mean something else to this process, and what Python makes of them in a program
    signal.SIGCHLD: signal.SIG_DFL,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGINT: signal.default_int_handler,
}
PATIENCE = 10.0  # seconds that runs have to end after SIGTERM
ENDS_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux's prctl


def load(compiler: bool) -> None:
    """Import the packages. What is not there a run will miss itself, and say so."""
    for name in (*PACKAGES, *(COMPILER if compiler else ())):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    if compiler:  # which vector instructions the compiler and the processor have: asked of other processes, kept here
        with contextlib.suppress(Exception):
            sys.modules["torch._inductor.cpu_vec_isa"].valid_vec_isa_list()


def serve(control: socket.socket) -> list[str]:
    """Fork a run for every request, and tell its socket the process's number and, at its end, the exit code. Returns in
    a forked process alone: the run's arguments. Ends, and ends all runs, when nobody can ask any more."""
    runs: dict[int, socket.socket | None] = {}  # who asked for each; None: they are gone
    signals = wake_on_signals()
    while True:
        askers = {asker: pid for pid, asker in runs.items() if asker}
        ready, _, _ = select.select([control, signals, *askers], [], [])
        if signals in ready and signal.SIGTERM in os.read(signals, 4096):
            break
        for asker in askers.keys() & set(ready):  # nothing is ever written to us: it was closed
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
            pid = os.fork() if Path(__file__).read_bytes() == SOURCE else -1
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
    """A descriptor from which the numbers of signals come: SIGCHLD and SIGTERM. SIGINT is left to the runs, which get a
    terminal's, too."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)  # without a handler nothing is written to the pipe
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    return reader


def answer(runs: dict[int, socket.socket | None], pid: int, descriptors: list[int]) -> None:
    """Tell who asked which process is their run; or close their socket where none was forked, as this file was edited
    and the run would name other code."""
    asker = socket.socket(fileno=descriptors[0])
    for descriptor in descriptors[1:]:
        os.close(descriptor)
    if pid > 0:
        runs[pid] = asker
        tell(asker, {"pid": pid})
    else:
        asker.close()


def become(request: dict, descriptors: list[int], parent: int) -> list[str]:
    """Be the run that was asked for: its input and outputs, folder, variables and signals. The arguments."""
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
    """Tell the exit codes of runs that have ended."""
    for pid in list(runs):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended and (asker := runs.pop(pid)):
            tell(asker, {"code": os.waitstatus_to_exitcode(status)})
            asker.close()


def tell(asker: socket.socket, what: dict) -> None:
    """One message to whoever asked for a run, if they still are there."""
    with contextlib.suppress(OSError):
        asker.send(json.dumps(what).encode())


def send(pid: int, number: int) -> None:
    """Send a signal to a run of ours."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def finish(runs: dict[int, socket.socket | None]) -> None:
    """End all runs: by SIGTERM, so that their logs say so, and those that stay by SIGKILL."""
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
    # From here on in a run. Its recorder is to see this file, under the name that it has in the repository.
    sys.modules[f"implementations.{HERE.name}.warm"] = sys.modules["__main__"]
    sys.argv = [str(HERE / "train.py"), *arguments]
    runpy.run_path(sys.argv[0], run_name="__main__")
