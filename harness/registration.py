"""What is registered for a set or a campaign, and what a round's registry assigns to it."""

from pathlib import Path

from benchmark.log import Event, read_log
from harness.implementation import takes
from harness.options import Setup
from rules.current import EDITION
from rules.names import folded
from rules.registry import Entry, Request, read_registry


def entry_of(path: Path, number: int) -> Entry:
    """Return entry `number` of a registry, counted from 1. Raises ValueError for a damaged registry, or one without
    such an entry."""
    entries = read_registry(path, EDITION).entries
    if not 1 <= number <= len(entries):
        raise ValueError(f"{path}: found {len(entries)} entries, wanted entry {number}")
    return entries[number - 1]


def check_entry(setup: Setup) -> None:
    """Raise ValueError if the registry lacks the entry that is named, and if it has entries for these runs and none is
    named: the rules would refuse the whole set (REG03)."""
    if setup.entry is not None:
        entry_of(setup.registry, setup.entry)
    elif setup.registry.exists():
        key = (folded(setup.org), folded(setup.system), setup.benchmark, setup.problem)
        own = [entry for entry in read_registry(setup.registry, EDITION).entries if entry.key == key]
        if own:
            found = f"entry {own[-1].entry}, of {own[-1].title}, and no --entry"
            raise ValueError(f"{setup.registry}: found {found}, wanted --entry {own[-1].entry}")


def request_of(setup: Setup) -> Request:
    """Return what to register for runs of a setup: the digests that the head of their logs has. Without --head they are
    those of the description. Raises ValueError for an implementation without both."""
    described = setup.describe()
    if described is None:
        raise ValueError("found no --describe in train.py, wanted it: it says what is registered")
    names = (setup.org, setup.system, setup.benchmark, setup.problem)
    if not takes(described, "--head"):
        return Request(*names, described.source, described.config_digest)
    with setup.scratch() as folder:
        log = folder / "result_0.txt"
        setup.write_head(log)
        values = {event.key: event.value for event in read_log(log) if isinstance(event, Event)}
    return Request(*names, values["source"], values["config_digest"])
