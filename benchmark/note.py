"""Add a note to a launch ledger, for instance why a start has no end or no log, or check that a ledger is whole.

    python benchmark/note.py LEDGER                         # its starts, and its head
    python benchmark/note.py LEDGER --start 3 node failed   # appends a note on start 3
    python benchmark/note.py LEDGER --verify DIGEST         # is a head that was noted earlier still there?

Exit codes: 0 done, or whole; 1 damaged, or without that digest; 2 could not be read or appended to: usage or
input error.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmark.ledger import End, Ledger, Note, Start, append, read_ledger
from benchmark.writing import put


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ledger", type=Path, help="ledger.jsonl of a set")
    parser.add_argument("--start", nargs="+", metavar=("N", "WORD"), help="number of a start, and what to say of it")
    parser.add_argument("--verify", metavar="DIGEST", help="sha256 of a line, in hexadecimal")
    args = parser.parse_args(arguments)
    if args.start and (len(args.start) < 2 or not args.start[0].isdecimal()):
        parser.error(f"--start: found {' '.join(args.start)!r}, wanted a number and some words")
    return args


def main(arguments: Sequence[str] | None = None) -> int:
    """Append a note or check a ledger, and print its starts. Return the exit code."""
    args = parse(arguments)
    try:
        ledger = read_ledger(args.ledger)
        if not ledger.head:
            fault = ledger.faults[0]
            raise ValueError(f"{args.ledger}: found {fault.found}, wanted {fault.wanted}")
        if args.start:
            number, text = int(args.start[0]), " ".join(args.start[1:])
            if number not in starts_of(ledger):
                raise ValueError(f"{args.ledger}: found no start {number}, wanted one of {sorted(starts_of(ledger))}")
            append(args.ledger, Note(number, text))
            ledger = read_ledger(args.ledger)
        put("".join(f"{line}\n" for line in told(ledger)))
    except (ValueError, OSError) as error:
        print(f"note.py: {error}", file=sys.stderr)
        return 2
    for fault in ledger.faults:
        found = f"found {fault.found}, wanted {fault.wanted}"
        print(f"{args.ledger}:{fault.line}: {found}", file=sys.stderr)
    gone = args.verify is not None and args.verify not in {entry.line for entry in ledger.entries}
    if gone:
        wanted = "one: the ledger was written anew, or cut"
        print(f"{args.ledger}: found no line with the digest {args.verify:.80}, wanted {wanted}", file=sys.stderr)
    return 1 if gone or not all(fault.cut for fault in ledger.faults) else 0


def starts_of(ledger: Ledger) -> dict[int, Start]:
    """Return the starts of a ledger by number."""
    return {entry.number: entry.said for entry in ledger.entries if isinstance(entry.said, Start)}


def told(ledger: Ledger) -> list[str]:
    """Return a line for each start, and one for the head."""
    lines = []
    for number, start in starts_of(ledger).items():
        about = [entry.said for entry in ledger.entries if entry.said.refers == number]
        facts = [f"goes on from {start.resumes}"] if start.resumes else []
        facts += [said.status for said in about if isinstance(said, End)] or ["no end"]
        facts += [f"note: {said.text}" for said in about if isinstance(said, Note)]
        lines.append(f"start {number}, {start.run}: {', '.join(facts)}")
    return [*lines, f"head {ledger.head}"]


if __name__ == "__main__":
    sys.exit(main())
