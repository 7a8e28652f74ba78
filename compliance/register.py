"""Print what an entrant registers before the runs of a set: a line for each combination of organisation, system,
benchmark, problem, source and settings in the logs.

    python compliance/register.py LOG|SET|SUBMISSION...

Only the training process knows which files it loads, and which values it chose for settings left to the machine. So
both are read from a log of any kind and length that was started as the runs will be: of `train.py --steps 1` for runs
by train.py, of `submit.py --runs 1` for runs by submit.py, which loads one more file. Send the line to the organisers
of the round, who draw the seeds (rules/draw.py).
Exit codes: 0 printed, 2 a log lacks what is registered, or there is no log.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from benchmark.log import Event, read_log
from benchmark.source import combine
from compliance.reading.discovery import discover
from compliance.reading.source import sound
from compliance.safe import put, tell
from rules.registry import Request, Wrong

KEYS = {  # key of a log -> field of a request
    "submission_org": "organisation",
    "submission_platform": "system",
    "submission_benchmark": "benchmark",
    "problem": "problem",
    "source": "source",
    "config_digest": "config",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the lines; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", metavar="PATH", help="logs, sets, submissions")
    try:
        lines = dict.fromkeys(request_of(log).text for log in logs(parser.parse_args(arguments).paths))
        put("".join(f"{line}\n" for line in lines))
    except (ValueError, OSError) as error:
        tell(f"register.py: {error}")
        return 2
    return 0


def logs(paths: Sequence[str]) -> list[Path]:
    """Return the logs under `paths`. Raises ValueError if a path can't be read or no log was found."""
    found = discover(list(dict.fromkeys(paths)))
    for path, why in found.missed:
        raise ValueError(f"{path}: {why}")
    sets = [*(s for submission in found.submissions for s in submission.sets), *found.sets]
    every = [log.file for log in (*(log for s in sets for log in s.logs), *found.logs)]
    if not every:
        raise ValueError(f"{paths[0]}: found no log, wanted at least one")
    return every


def request_of(path: Path) -> Request:
    """Return what a log says of its set. Raises ValueError if the log lacks a part of it, or if its source digest is
    not that of the files that it names."""
    told: dict[str, Event] = {}
    try:
        for item in read_log(path):
            if type(item) is Event and item.key in KEYS:
                told.setdefault(item.key, item)
            if len(told) == len(KEYS):
                break
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror or error}") from None
    if lacking := [key for key in KEYS if key not in told]:
        raise ValueError(f"{path}: found no {lacking[0]}, wanted {', '.join(KEYS)}")
    source = told["source"]
    files = source.metadata.get("files") if type(source.metadata) is dict else None
    if source.value != combine(sound(files).items()):
        wanted = "the digest of the files that it names"
        raise ValueError(f"{path}:{source.line}: found source {source.value!r:.80}, wanted {wanted}")
    try:
        return Request(**{name: told[key].value for key, name in KEYS.items()})
    except Wrong as wrong:
        raise ValueError(f"{path}: {wrong}") from None


if __name__ == "__main__":
    sys.exit(main())
