"""Begin a replay after any epoch, from the checkpoint that the run wrote then."""

import hashlib
import shutil
from pathlib import Path

from benchmark.source import combine
from benchmark.writing import copy_tree
from harness.auditing.logged import Epoch, LoggedRun

CHECKPOINT, METADATA = "epoch_{:06d}", "metadata.json"  # a folder of checkpoints, and its file that is no state


class OtherState(Exception):
    """A checkpoint is not the one whose digest the log has."""


def begin_after(run: LoggedRun, epoch: int, checkpoints: Path, folder: Path, log: Path) -> list[str]:
    """Copy the checkpoint of an epoch to `folder`, and the log up to this epoch to `log`. Return the options with which
    train.py goes on from there. Raises ValueError where the run has no such epoch or checkpoint, and OtherState where
    this one, or the next one if it is there, is not the logged one."""
    at = next((e for e in run.epochs if e.number == epoch), None)
    if at is None or epoch >= run.epochs[-1].number:
        wanted = f"one from 1, before the last, {run.epochs[-1].number:g}"
        raise ValueError(f"{run.path}: found --from-epoch {epoch}, wanted {wanted}")
    own = checkpoints / CHECKPOINT.format(epoch)
    if not own.is_dir():
        raise ValueError(f"{own}: found no such folder, wanted the checkpoint after epoch {epoch}")
    for one in (e for e in run.epochs if e.number in (epoch, epoch + 1)):
        verify(checkpoints / CHECKPOINT.format(int(one.number)), one)
    copy_tree(own, folder / own.name, shutil.ignore_patterns())
    lines = run.path.read_bytes().split(b"\n")[: at.line]
    log.write_bytes(b"".join(line + b"\n" for line in lines))
    return ["--checkpoint", str(folder), "--resume"]


def verify(folder: Path, epoch: Epoch) -> None:
    """Raise OtherState unless a folder, if there is one, is the checkpoint that the log names; ValueError if it names
    none."""
    if not folder.is_dir():
        return
    if epoch.state is None:
        raise ValueError(f"{folder}: found no state of epoch {epoch.number:g} in the log, wanted its digest")
    if (found := state_of(folder)) != epoch.state:
        raise OtherState(f"{folder}: found state {found}, wanted {epoch.state}, as logged after epoch {epoch.number:g}")


def state_of(folder: Path) -> str:
    """Return the digest of the state in a checkpoint: over the sha256 of all its files but the metadata. Raises
    ValueError for what is no plain file."""
    found = {}
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or not path.is_file():
            raise ValueError(f"{path}: found no plain file, wanted the files of a checkpoint")
        if path.name != METADATA:
            with open(path, "rb") as file:
                found[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
    return combine(found.items())
