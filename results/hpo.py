"""Write the best settings of tuning campaigns by batch size: one hpo_table.json for each problem.

    python results/hpo.py PATH... --out FOLDER

PATH is a submission or a round. The command writes FOLDER/<problem>/hpo_table.json for each problem that has a campaign
with a score. Exit code: 0 written; 1 no campaign has a score; 2 could not be checked: usage or input error.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from benchmark.writing import write_text
from compliance.safe import tell
from results import command
from results.tuning.score import campaigns
from results.tuning.table import table, text

PLAIN = re.compile(r"[A-Za-z0-9][\w.-]*")


def main(argv: Sequence[str] | None = None) -> int:
    """Judge, score, write, and return the exit code."""
    parser = argparse.ArgumentParser(prog="hpo.py", description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a submission or a round")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write to, outside of any submission")
    command.add_judging(parser)
    args = parser.parse_args(argv)
    try:
        verdict = command.judged(args, [(args.out / "hpo_table.json", "json")])
        found = campaigns(verdict)
        if not found:
            tell(f"hpo: {' '.join(map(str, args.paths))}: found no campaign of tuning")
        for s in found:
            if s.why:
                tell(f"{s.judged.path}: no score: {s.why}")
        scored = [s for s in found if s.solution and s.samples_to_target]
        problems = sorted({s.campaign.problem for s in scored})
        if odd := [problem for problem in problems if not PLAIN.fullmatch(problem)]:
            raise ValueError(f"found the problem {odd[0]!r:.100}, wanted a name that a folder can have")
        for problem in problems:
            rows = table([s for s in scored if s.campaign.problem == problem])
            path = args.out / problem / "hpo_table.json"
            write_text(path, text(rows))
            tell(f"wrote {path}: batch sizes {', '.join(str(row['BS']) for row in rows.values())}")
    except (ValueError, OSError) as error:
        tell(f"hpo: {error}")
        return 2
    return (2 if verdict.missed else 0) if scored else 1


if __name__ == "__main__":
    sys.exit(main())
