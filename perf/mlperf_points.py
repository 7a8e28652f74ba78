"""Compare RUN23 with mlperf_logging's checker of reference convergence points, on published rounds of MLPerf HPC.

    python perf/mlperf_points.py hpc_results_v2.0 hpc_results_v3.0

The command prints each set that either of the two finds, and those that mlperf_logging doesn't compare. The exit code
is 1 if they differ about a set that both compare.
"""

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from mlperf_logging.rcp_checker.rcp_checker import check_directory

from compliance.engine import judge
from compliance.verdict import SetVerdict

JUDGED = ("RCP found", "RCP Interpolation")  # what the checker says where it compared means


def version(edition: str) -> str:
    """The version of mlperf_logging's points for an edition: mlperf-hpc-v2.0 has those of 2.0.0."""
    return f"{edition.rpartition('v')[2]}.0"


def theirs(runs: SetVerdict) -> str:
    """What mlperf_logging says of a set: "found" for too few epochs, "clean", or why it compared nothing."""
    folder = str(runs.logs[0].run.file.parent)
    passed, said, _ = check_directory(folder, "hpc", version(runs.edition), False, False, rcp_pass="pruned_rcps")
    return ("clean" if passed else "found") if said in JUDGED else str(said)


def ours(runs: SetVerdict) -> str:
    """What RUN23 says of a set."""
    return "found" if any(f.code == "RUN23" for f in runs.findings) else "clean"


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rounds", nargs="+", type=Path, metavar="ROUND", help="a round of MLPerf HPC, as published")
    args = parser.parse_args(argv)
    sets = [s for s in judge(args.rounds).all_sets if s.edition.startswith("mlperf-hpc-v") and s.logs]
    differ = 0
    for runs in sets:
        one, other = ours(runs), theirs(runs)
        differ += other in ("found", "clean") and one != other
        if (one, other) != ("clean", "clean"):
            print(f"{runs.path}: RUN23 {one}, mlperf_logging {other}")
    print(f"{len(sets)} sets, {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)  # mlperf_logging's messages, in this process alone
    sys.exit(main())
