"""Runs that are killed and go on: the same curve, one clock, one log."""

import itertools
import os
import platform
import random
import resource
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

from benchmark.log import LogWriter
from benchmark.problem import load_problem
from benchmark.run.errors import Aborted, WrongData
from benchmark.run.resuming import latest
from implementations.pytorch.config import RunConfig
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.task import Evaluation
from implementations.pytorch.training import checkpoint, parts
from implementations.pytorch.training.checkpoint import Checkpoints, Origin, open_checkpoints
from implementations.pytorch.training.state import TrainingState
from tests.support.lines import of, values
from tests.support.threaded import in_threads
from tests.support.waiting import comes_to

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds processes in /proc")
LONG = ("--rehearsal-seed", "7", "epochs=4", "average_epochs=0.5")


def kill_when(key: str, times: int, tiny, log: Path, *settings: str, ranks: int = 1) -> None:
    """Start a run and kill it, all its ranks at once, when it has logged a key so many times."""
    before = log.read_text().count(f'"key": "{key}"') if log.exists() else 0
    with tiny.start(log, *settings, ranks=ranks) as run:
        comes_to(run, log, key, before + times)
        run.kill()


def curve(found) -> list[tuple[int, float]]:
    return [(e.metadata["epoch_num"], e.value) for e in of(found, "eval_accuracy")]


@pytest.fixture(scope="module")
def whole(endless, tmp_path_factory):
    """The curve of a run that nobody killed."""
    log = tmp_path_factory.mktemp("whole") / "log.txt"
    return curve(endless.ran(log, *LONG, code=1))


def test_a_run_killed_twice_is_the_same_run(endless, events, log, folder, whole):
    """Killed while it writes a checkpoint, then while it trains, then by the book; its log has one clock."""
    again = (log, "--checkpoint", str(folder), "--resume", *LONG)
    kill_when("eval_stop", 2, endless, *again)
    kill_when("epoch_start", 2, endless, *again)
    done = endless.train(*again)
    assert done.returncode == 1 and len(done.stderr.splitlines()) <= 4, done.stderr
    found = events(log)
    assert curve(found) == whole
    assert all(a.time_ms <= b.time_ms for a, b in itertools.pairwise(found))
    assert [[e.key for e in found].count(key) for key in ("seed", "run_start", "run_stop")] == [1, 1, 1]
    assert [e.metadata["split"] for e in of(found, "dataset_fingerprint")] == ["train", "validation"]
    resumed = of(found, "resumed")
    assert len(resumed) == 2
    for event in resumed:
        scores = of(found[: found.index(event)], "eval_accuracy")
        assert event.metadata["epoch_num"] == scores[-1].metadata["epoch_num"]
        assert event.metadata["lost_seconds"] > 0 and event.value["seed"] == 7
        assert [event.value["source"]] == values(found, "source")
    assert sorted(p.name for p in folder.iterdir()) == ["epoch_000004", "lock"]


def test_one_run_at_a_time(endless, events, log, folder):
    """A second run in the same folder is refused before it touches the log; one after the first's end is not."""
    again = (log, "--checkpoint", str(folder), "--resume", *LONG)
    with endless.start(*again) as first:
        comes_to(first, log, "eval_accuracy")
        os.kill(first.pid, signal.SIGSTOP)
        before = log.read_bytes()
        second = endless.train(*again)
        assert log.read_bytes() == before
        os.kill(first.pid, signal.SIGCONT)
        os.kill(first.pid, signal.SIGKILL)
    assert second.returncode == 2
    holder = f"process {first.pid} on {platform.node()}"
    assert second.stderr == f"train.py: {folder}: found a run at work in it ({holder}), wanted one at a time\n"
    assert endless.train(*again).returncode == 1
    assert curve(events(log))[-1][0] == 4


def test_a_checkpoint_is_of_no_layout(endless, events, log, folder, whole):
    """Written by two ranks that share the weights, gone on with by two that share samples, then by one."""
    again = ["--checkpoint", str(folder), "--resume", *LONG]
    kill_when("eval_accuracy", 1, endless, log, *again, "sharding=fsdp", ranks=2)
    kill_when("eval_accuracy", 1, endless, log, *again, "layout=[1,2,1,1]", ranks=2)
    done = endless.train(log, *again)
    assert done.returncode == 1, done.stderr
    found = curve(events(log))
    assert [epoch for epoch, _ in found] == [1, 2, 3, 4]
    assert max(abs(a - b) for (_, a), (_, b) in zip(found, whole, strict=True)) < 2e-3


@pytest.fixture
def origin(log) -> Origin:
    """A run that has started."""
    writer = LogWriter(log)
    writer.start("run_start")
    writer.close()
    return Origin(load_problem("smoke"), RunConfig(), log)


def small(value: float) -> TrainingState:
    """A model and its optimizer, half a megabyte in all, whose every number is `value`."""
    model = nn.Linear(200, 200)
    state = TrainingState(model, torch.optim.Adam(model.parameters()), None)
    fill(state, value)
    return state


@torch.no_grad()
def fill(state: TrainingState, value: float) -> None:
    for tensor in numbers(state):
        tensor.fill_(value)


def numbers(state: TrainingState) -> list[torch.Tensor]:
    """The tensors that are the run's own."""
    return [tensor for name, tensor in state.tensors().items() if "param_groups" not in name]


ALONE, FOUND = Layout(1), Evaluation(0.5, {"counts": [1, 2]})


def save(folder: Path, origin: Origin, epoch: int, layout: Layout = ALONE, every: bool = False) -> str:
    """Write a checkpoint, whose every number is its epoch."""
    return Checkpoints(folder, origin, every=every).save(small(epoch), layout, 7, epoch, FOUND)


def restored(origin: Origin, folder: Path) -> tuple[int, set[float]]:
    """The last epoch in a folder, 0 for none, and all numbers of the state that it has."""
    checkpoints = open_checkpoints(folder, True, origin)
    if not checkpoints.resumed:
        return 0, {0.0}
    state = small(-1.0)
    checkpoints.restore(state, ALONE)
    return checkpoints.resumed.epoch, {x for tensor in numbers(state) for x in tensor.unique().tolist()}


@pytest.mark.slow
def test_killed_at_any_moment(folder, origin):
    """40 times, in the middle of one checkpoint after the other: what is there is whole, and the last that was done
    or the one after it."""
    dice, done = random.Random(5), 0
    folder.mkdir()

    def save_on(first: int, pipe: int) -> None:
        torch.set_num_threads(1)  # the threads of this process are not there in the other one
        checkpoints, state = Checkpoints(folder, origin), small(0.0)
        for epoch in itertools.count(first):
            fill(state, epoch)
            checkpoints.save(state, ALONE, 7, epoch, FOUND)
            os.write(pipe, b".")

    for _ in range(40):
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            try:
                save_on(done + 1, writing)
            finally:
                os._exit(1)
        os.close(writing)
        os.read(reading, 1)  # one is done
        time.sleep(dice.uniform(0, 0.03))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        told = 1
        while more := os.read(reading, 4096):
            told += len(more)
        os.close(reading)
        epoch, values = restored(origin, folder)
        assert done + told <= epoch <= done + told + 1 and values == {epoch}
        done = epoch
    assert done > 40


def test_every_epochs_checkpoint_stays_where_that_is_asked_for(folder, origin):
    states = [save(folder, origin, epoch, every=True) for epoch in (1, 2)]
    assert sorted(p.name for p in folder.iterdir()) == ["epoch_000001", "epoch_000002"] and len(set(states)) == 2
    assert restored(origin, folder) == (2, {2.0})
    found = open_checkpoints(folder, True, origin).missing_evaluation("eval_accuracy")
    assert found.facts["state"] == states[1]


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Lets this process write files of so many bytes at most."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_loses_nothing(folder, origin):
    """Of every size below that of a part, then below that of the metadata."""
    save(folder, origin, 1)
    sizes = sorted(p.stat().st_size for p in (folder / "epoch_000001").iterdir())
    for limit in (0, sizes[0], sizes[1] - 1):
        with largest_file(limit), pytest.raises(Aborted, match=f"^{folder}/epoch_000002: rank 0: File too large$"):
            save(folder, origin, 2)
        assert restored(origin, folder) == (1, {1.0})
    with largest_file(sizes[1]):
        save(folder, origin, 2)
    assert restored(origin, folder) == (2, {2.0})
    assert [p.name for p in folder.iterdir()] == ["epoch_000002"]


def test_a_folder_that_is_read_only_or_vanishes(folder, origin, read_only):
    checkpoints = Checkpoints(folder, origin)
    checkpoints.save(small(1.0), ALONE, 7, 1, FOUND)
    with read_only(folder), pytest.raises(Aborted, match=f"^{folder}/epoch_000002: rank 0: .*ermi"):
        checkpoints.save(small(2.0), ALONE, 7, 2, FOUND)
    assert restored(origin, folder) == (1, {1.0})
    for epoch in (2, 3):
        checkpoints.save(small(epoch), ALONE, 7, epoch, FOUND)
        assert restored(origin, folder) == (epoch, {epoch})
        shutil.rmtree(folder)


def test_a_run_does_not_go_on_before_its_own_past(folder, origin, monkeypatch):
    last = latest(origin.log)
    save(folder, origin, 1)
    monkeypatch.setattr(checkpoint, "now_ms", lambda: last - 1000)
    assert open_checkpoints(folder, True, origin).resumed.epoch == 1
    monkeypatch.setattr(checkpoint, "now_ms", lambda: last - 1001)
    with pytest.raises(ValueError, match=f"^{origin.log}: found times 1 s ahead of this clock, .* was not set back$"):
        open_checkpoints(folder, True, origin)


def test_what_does_not_belong_together_is_refused(tmp_path, folder, origin):
    other = tmp_path / "other.txt"
    save(folder, origin, 2)
    other.write_text("")
    with pytest.raises(ValueError, match=f"^{folder}/epoch_000002: found a checkpoint, wanted a folder without one"):
        open_checkpoints(folder, False, origin)
    for changed, message in [
        ({"config": replace(origin.config, batch_size=3)}, "batch_size: found 3, wanted"),
        ({"config": replace(origin.config, epochs=origin.config.epochs + 1)}, "epochs: found"),
        ({"log": other}, f"{other}: found run_start at None"),
        ({"problem": load_problem("scale6")}, f"{folder}/epoch_000002: made for problem digest"),
    ]:
        with pytest.raises(ValueError, match=f"^{message}"):
            open_checkpoints(folder, True, replace(origin, **changed))
    fewer = replace(origin, config=replace(origin.config, epochs=3))  # of a replay, which ends earlier
    assert open_checkpoints(folder, True, fewer).resumed.epoch == 2
    model = nn.Linear(200, 200, bias=False)
    other = TrainingState(model, torch.optim.Adam(model.parameters()), None)
    message = f"{folder}/epoch_000002: found other tensors, as 'model/bias', wanted those of this model and optimizer"
    with pytest.raises(WrongData, match=f"^damaged checkpoint: rank 0: {message}$"):
        open_checkpoints(folder, True, origin).restore(other, ALONE)


def test_parts_of_another_checkpoint_are_refused(tmp_path, origin):
    """Of the same run and of the same shapes: a part alone, and a whole folder under another name."""
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    save(ours, origin, 1)
    save(theirs, origin, 2)
    checkpoints = open_checkpoints(ours, True, origin)
    part = Path("part_000000.safetensors")
    shutil.copy(theirs / "epoch_000002" / part, ours / "epoch_000001" / part)
    with pytest.raises(WrongData, match=f"^damaged checkpoint: rank 0: {ours}/epoch_000001/{part}: found sha256 "):
        checkpoints.restore(small(0.0), ALONE)
    os.rename(theirs / "epoch_000002", ours / "epoch_000003")
    with pytest.raises(ValueError, match=r"metadata\.json: found epoch 2, wanted 3, as the folder is named"):
        open_checkpoints(ours, True, origin)


def test_each_rank_removes_its_part_of_what_is_old(folder, origin, monkeypatch):
    """And rank 0 the rest: of the checkpoint before, and of what a kill of a run with more ranks left."""
    removed, real = [], shutil.rmtree

    def rmtree(path, **options):
        if path.name == "epoch_000001":  # of another, ranks may be removing their parts at the same time
            removed.append(sorted(p.name for p in path.iterdir()))
        real(path, **options)

    in_threads(monkeypatch, Layout(4), lambda one: save(folder, origin, 1, one))
    left = folder / ".epoch_000002.partial"
    left.mkdir()
    names = sorted(p.name for p in (folder / "epoch_000001").iterdir())
    assert names == ["metadata.json", *(f"part_{rank:06d}.safetensors" for rank in range(4))]
    for rank in range(5):
        (left / f"part_{rank:06d}.safetensors").touch()
    monkeypatch.setattr(shutil, "rmtree", rmtree)
    in_threads(monkeypatch, Layout(4), lambda one: save(folder, origin, 2, one))
    assert removed == [["metadata.json"]]
    assert [p.name for p in folder.iterdir()] == ["epoch_000002"]
    assert restored(origin, folder) == (2, {2.0})


def test_every_rank_gets_what_one_rank_has_read(folder, origin, monkeypatch):
    """Of tensors that all ranks have, each is read once: by 3 ranks, from the parts of 2."""
    in_threads(monkeypatch, Layout(2), lambda one: save(folder, origin, 3, one))
    reading = open_checkpoints(folder, True, origin)
    states, read, real = [small(-1.0) for _ in range(3)], [], parts.fill
    monkeypatch.setattr(parts, "fill", lambda tensor, *rest: (read.append(rest[-1]), real(tensor, *rest)))
    in_threads(monkeypatch, Layout(3), lambda one: reading.restore(states[one.rank], one))
    assert all(x.unique().tolist() == [3.0] for state in states for x in numbers(state))
    assert len(read) == len(set(read)) == len(states[0].tensors())


def test_the_last_epoch_is_the_last_by_number(folder, origin):
    """A seventh digit doesn't come before six; names that are none of ours are left alone."""
    long = replace(origin, config=RunConfig(epochs=10**6))
    for epoch in (999_999, 1_000_000):
        save(folder, long, epoch, every=True)
    (folder / "epoch_99999999999999").mkdir()
    assert open_checkpoints(folder, True, long).resumed.epoch == 1_000_000  # it has yet to say so
    LogWriter(long.log, append=True).end("run_stop", None, status="aborted")
    with pytest.raises(ValueError, match="epoch_1000000: found 1000000 epochs, wanted fewer than the limit of 1000000"):
        open_checkpoints(folder, True, long)


def test_a_log_that_is_gone_is_noticed_before_the_checkpoint(folder, origin):
    origin.log.unlink()
    with pytest.raises(Aborted, match="found no run_start, wanted this run's log"):
        save(folder, origin, 1)
    assert not list(folder.glob("epoch_*"))


def test_killed_before_it_could_say_that_it_is_over(endless, events, log, folder, whole):
    """After the checkpoint of the last epoch, and in the middle of a line: the same command logs the score, once, and
    ends the run, which trains no more."""
    options = ("--checkpoint", str(folder), "--resume", *LONG)
    assert endless.train(log, *options).returncode == 1
    lines = log.read_text().splitlines(keepends=True)
    last = max(i for i, line in enumerate(lines) if '"eval_accuracy"' in line)
    log.write_text("".join(lines[:last]) + lines[last][:50])
    done = endless.train(log, *options)
    found = events(log)
    assert done.returncode == 1 and curve(found) == whole
    (stop,) = of(found, "run_stop")
    assert stop.metadata["status"] == "aborted" and "after 4 epochs, wanted 2.0" in stop.metadata["reason"]
    assert endless.train(log, *options).returncode == 2
