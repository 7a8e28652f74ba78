"""Take the shift of a campaign from a round's registry, and write what to register for it."""

import argparse
import dataclasses
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmark.log import Event, read_log
from benchmark.tuning.campaign import Campaign
from rules.registry import Entry, Request
from rules.tuning import registered_shift, request

from ..training.assigned import entry_of


def of_entry(args: argparse.Namespace, campaign: Campaign, benchmark: str) -> tuple[str, str] | None:
    """Return (shift, source) of the registry's entry, or None. Raises ValueError for another campaign's entry."""
    if args.entry is None:
        return None
    entry = entry_of(args.registry, args.entry)
    wanted = request(args.org, args.system, benchmark, campaign.problem, args.name, entry.source, campaign.digest)
    if wanted.text != asked(entry).text:
        raise ValueError(f"{args.registry}: found entry {args.entry}, of {entry.title}, wanted one of {wanted.title}")
    return registered_shift(entry), f"registry {args.entry}"


def asked(entry: Entry) -> Request:
    """Return the request of an entry."""
    return Request(**{field.name: getattr(entry, field.name) for field in dataclasses.fields(Request)})


def to_register(args: argparse.Namespace, campaign: Campaign, benchmark: str, run: Callable[[Path], int]) -> str:
    """Return the text to send to the organisers: the campaign's digest, and that of the source that a measured step
    loads. Raises ValueError if the step cannot be made."""
    with tempfile.TemporaryDirectory(prefix="register-") as folder:
        log = Path(folder) / "result_0.txt"
        if code := run(log):
            raise ValueError(f"found a first step that ended with exit code {code}, wanted one that can be registered")
        source = next(e.value for e in read_log(log) if isinstance(e, Event) and e.key == "source")
    names = (args.org, args.system, benchmark, campaign.problem, args.name)
    return request(*names, source, campaign.digest).text
