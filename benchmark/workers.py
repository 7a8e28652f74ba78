"""Work on samples in several processes, which end when their parent ends."""

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, TypeVar

from benchmark.memory import keep_freed_memory
from benchmark.workload import AnyProblem

Item = TypeVar("Item")
Problem = TypeVar("Problem", bound=AnyProblem)
Task = TypeVar("Task")
Result = TypeVar("Result")
Job = Callable[[Path, Problem, Task], Result]
LONGEST = 3600.0  # seconds of a wait: a system's call takes no more than some days, and not infinity


class TooLate(Exception):
    """A task took longer than it may. `task` is which."""

    def __init__(self, task: Any):
        super().__init__(f"{task} took too long")
        self.task = task


def share(items: Sequence[Item], rank: int, world_size: int) -> list[Item]:
    """Return one rank's or worker's share: every world_size-th item."""
    return list(items[rank::world_size])


def work(
    job: Job[Problem, Task, Result],
    root: Path,
    problem: Problem,
    tasks: Sequence[Task],
    workers: int,
    seconds: float | None = None,
) -> Iterator[Result]:
    """Yield job(root, problem, task) for every task, in any order, from `workers` processes. 1 means this process,
    unless a task may take so many `seconds` at most: a C library that never returns lets no thread of its process run.

    Raises ValueError if a job fails or a worker dies, and TooLate. The other workers are then stopped.
    """
    workers = min(workers, len(tasks))
    if workers <= 1 and seconds is None:
        for task in tasks:
            yield job(root, problem, task)
        return
    context = multiprocessing.get_context("spawn")  # no inherited HDF5 state, locks or pipe ends
    processes, shares = [], {}
    try:
        for worker in range(workers):
            receive, send = context.Pipe(duplex=False)
            arguments = (job, root, problem, mine := share(tasks, worker, workers), send)
            process = context.Process(target=toil, args=arguments, daemon=True)
            process.start()
            send.close()  # this process's copy, so that the worker's death ends the pipe
            processes.append(process)
            shares[receive] = mine
        yield from collect(shares, seconds)
    finally:
        for process in processes:
            process.terminate()
            process.join()


def collect(shares: Mapping[Connection, Sequence[Any]], seconds: float | None = None) -> Iterator[Any]:
    """Yield results as they arrive, until all are there. `shares` has the tasks of each worker, in order, by its pipe.
    Raises as `work`."""
    done, heard = dict.fromkeys(shares, 0), dict.fromkeys(shares, time.monotonic())
    while heard:
        until = None if seconds is None else min(LONGEST, max(0.0, min(heard.values()) + seconds - time.monotonic()))
        for pipe in (pipe for pipe in wait(list(heard), until) if isinstance(pipe, Connection)):
            try:
                error, result = pipe.recv()
            except EOFError:
                left = sum(map(len, shares.values())) - sum(done.values())
                raise ValueError(f"a worker process died; {left} samples are left: start again to resume") from None
            heard[pipe] = time.monotonic()
            if error == "done":
                del heard[pipe]
            elif error:
                raise ValueError(error)
            else:
                done[pipe] += 1
                yield result
        for pipe, since in heard.items():
            if seconds is not None and time.monotonic() - since >= seconds and not pipe.poll():
                raise TooLate(shares[pipe][done[pipe]])


def toil(
    job: Job[Problem, Task, Result], root: Path, problem: Problem, tasks: Sequence[Task], send: Connection
) -> None:
    """Do a worker's share and send one result a message. A worker whose parent is gone ends."""
    parent = os.getppid()
    keep_freed_memory()
    try:
        for task in tasks:
            if os.getppid() != parent:
                return
            send.send((None, job(root, problem, task)))
        send.send(("done", None))
    except BrokenPipeError:
        return
    except (ValueError, OSError, MemoryError) as error:
        send.send((f"{type(error).__name__}: {error}", None))
