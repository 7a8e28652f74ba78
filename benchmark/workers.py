"""Work on samples in several processes, which end when their parent ends."""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
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


def share(items: Sequence[Item], rank: int, world_size: int) -> list[Item]:
    """Return one rank's or worker's share: every world_size-th item."""
    return list(items[rank::world_size])


def work(
    job: Job[Problem, Task, Result], root: Path, problem: Problem, tasks: Sequence[Task], workers: int
) -> Iterator[Result]:
    """Yield job(root, problem, task) for every task, in any order, from `workers` processes. 1 means this process.

    Raises ValueError if a job fails or a worker dies. The other workers are then stopped.
    """
    workers = min(workers, len(tasks))
    if workers <= 1:
        for task in tasks:
            yield job(root, problem, task)
        return
    context = multiprocessing.get_context("spawn")  # no inherited HDF5 state, locks or pipe ends
    processes, pipes = [], []
    try:
        for worker in range(workers):
            receive, send = context.Pipe(duplex=False)
            arguments = (job, root, problem, share(tasks, worker, workers), send)
            process = context.Process(target=toil, args=arguments, daemon=True)
            process.start()
            send.close()  # this process's copy, so that the worker's death ends the pipe
            processes.append(process)
            pipes.append(receive)
        yield from collect(pipes, len(tasks))
    finally:
        for process in processes:
            process.terminate()
            process.join()


def collect(pipes: list[Connection], wanted: int) -> Iterator[Any]:
    """Yield results as they arrive, until all `wanted` are there."""
    while wanted:
        ready = wait(pipes)
        for pipe in [p for p in pipes if p in ready]:
            try:
                error, result = pipe.recv()
            except EOFError:
                raise ValueError(f"a worker process died; {wanted} samples are left: start again to resume") from None
            if error == "done":
                pipes.remove(pipe)
            elif error:
                raise ValueError(error)
            else:
                wanted -= 1
                yield result


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
