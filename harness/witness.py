"""The witness of a round: a service that is told when runs start, how far they got, and when they ended.

    python harness/witness.py new witness.db --edition v1.1          # the organisers: a key, printed for the rules
    python harness/witness.py token witness.db acme                   # a token for an entrant
    python harness/witness.py serve witness.db --port 8700            # answer over HTTP, behind what does TLS
    python harness/witness.py watch witness.db /shared/witness        # answer in a folder, for nodes without a network
    python harness/witness.py publish witness.db results/v1.1         # write results/v1.1/witness.jsonl
    python harness/witness.py tell LOG --witness https://...          # entrants: tell what could not be told before

Entrants make runs with `submit.py --witness https://...` and their token in the variable WITNESS_TOKEN.
docs/witness.md explains it all. Exit codes: 0 done, 2 not.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from benchmark.atomic import replacing
from benchmark.run.errors import reason
from benchmark.tree import receipts_path
from harness.witnessing.telling import TOKEN, ask, attend, receipts_of
from rules.current import EDITION
from rules.edition import load
from rules.registry import PLAIN
from rules.witness import NAME, Start

if TYPE_CHECKING:
    from harness.witnessing.store import Store


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    of_database = {}
    for name, text in {
        "new": "make the database of a round, with a new key",
        "token": "print a new token of an entrant",
        "serve": "answer over HTTP",
        "watch": "answer in a folder",
        "publish": "write the chain of receipts into the round's folder",
    }.items():
        of_database[name] = commands.add_parser(name, help=text)
        of_database[name].add_argument("database", type=Path, help="the witness's file, which holds its key")
    of_database["new"].add_argument("--edition", required=True, help="the edition of the rules: v1.1")
    of_database["token"].add_argument("organisation", help="whose runs are told with it")
    of_database["serve"].add_argument("--host", default="127.0.0.1", help="default: this machine alone")
    of_database["serve"].add_argument("--port", type=int, default=8700)
    of_database["watch"].add_argument("folder", type=Path)
    of_database["watch"].add_argument("--once", action="store_true", help="answer what is there, and end")
    of_database["publish"].add_argument("round", type=Path, help="the round's folder: results/<edition>")
    tell = commands.add_parser("tell", help="tell what could not be told before")
    tell.add_argument("log", type=Path)
    tell.add_argument("--witness", required=True, help="the address of the witness")
    return parser.parse_args(arguments)


def work(args: argparse.Namespace) -> None:
    """Do what a command asks for. Raises ValueError and OSError."""
    if args.command == "tell":
        tell_rest(args.log, args.witness)
        return
    from harness.witnessing.store import Store  # here: entrants need no database

    if args.command == "new":
        load(args.edition)  # raises ValueError for an edition that there is not
        if args.database.exists():
            raise ValueError(f"{args.database}: found a file, wanted a new name: a witness keeps its key")
    store = Store(args.database, args.edition if args.command == "new" else None)
    if args.command == "new":
        print(f"witness_key: {store.public_key}")
    elif args.command == "token":
        if not PLAIN.fullmatch(args.organisation):
            raise ValueError(
                f"found {args.organisation!r}, wanted a name as runs have: letters, digits, spaces, _ . + -"
            )
        print(store.new_token(args.organisation))
    elif args.command == "serve":
        serve(store, args.host, args.port)
    elif args.command == "watch":
        from harness.witnessing.folder import watch

        watch(store, args.folder, args.once)
    elif args.command == "publish":
        if (name := args.round.resolve().name) != store.edition:
            raise ValueError(f"{args.round}: found a folder of {name}, wanted one of {store.edition}")
        with replacing(args.round / NAME) as temporary, open(temporary, "w", encoding="ascii") as file:
            file.writelines(f"{line}\n" for line in store.chain())


def tell_rest(log: Path, witness: str) -> None:
    """Tell what was not told of a log. The receipt of its start says of which benchmark it is. Raises ValueError, and
    OSError."""
    start, known = receipts_of(log)[0].told, load(EDITION).benchmarks
    benchmark = start.benchmark if isinstance(start, Start) else ""
    if benchmark not in known:
        raise ValueError(f"{receipts_path(log)}: found the benchmark {benchmark!r}, wanted one of {', '.join(known)}")
    attend(ask(witness, os.environ.get(TOKEN, "")), log, known[benchmark].metric, lambda: True)


def serve(store: "Store", host: str, port: int) -> None:
    """Answer over HTTP until a signal ends it."""
    if not 0 < port < 1 << 16:
        raise ValueError(f"--port: found {port}, wanted 1 to 65535")
    import uvicorn

    from harness.witnessing.service import application

    try:
        uvicorn.run(application(store), host=host, port=port, log_level="warning", limit_concurrency=256)
    except SystemExit:  # it has printed why it could not start
        raise ValueError(f"found no way to serve at {host}, port {port}, wanted a port that is free") from None


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what a command line asks for. Return the exit code."""
    try:
        work(parse(arguments))
    except (ValueError, OSError) as error:
        print(f"witness.py: {reason(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
