"""Measure the bands of honest replays, for `replay` of a problem in rules/<edition>/limits.yaml.

    python perf/replay_bands.py --problem smoke --data data/smoke --seeds 3 --epochs 2 --implementations minimal

Runs of several seeds are trained for a few epochs, and again with the same seed in ways that another machine may use:
other threads, ranks, splits, kernels, precision; and by other implementations, in float32. `--ways` leaves out those
that a problem refuses, such as splitting DeepCAM's images. For each replay a line on stderr says how far its epochs are
from the first run's: relative for the loss, absolute for the score, relative for the loss of the first steps. A band is
twice the largest of these differences. It must stay below those between seeds, which are printed, too.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmark.source import ROOT
from harness.auditing.comparison import Distance, distances
from harness.auditing.logged import Epoch, read_run
from harness.implementation import DEFAULT, find_implementation
from harness.launcher import Launcher
from harness.replay import NAMES
from perf.script import script, want

FIRST = ("threads=2",)
WAYS = {  # name: ranks, settings
    "the same": (1, FIRST),
    "one thread": (1, ("threads=1",)),
    "two ranks, samples dealt out": (2, ("threads=1", "layout=[2,1,1,1]")),
    "two ranks, volumes split": (2, ("threads=1", "layout=[1,2,1,1]")),
    "kernels not compiled": (1, (*FIRST, "compile=false")),
    "float32": (1, (*FIRST, "precision=float32")),
}
MARGIN = 2.0  # width of a band, in multiples of the largest honest difference


def trained(
    options: argparse.Namespace,
    folder: Path,
    seed: int,
    ranks: int,
    settings: Sequence[str],
    implementation: str = DEFAULT,
) -> list[Epoch]:
    """The epochs of a rehearsal with a seed. Raises ValueError if the run fails."""
    log = folder / f"log_{len(list(folder.iterdir()))}.txt"
    arguments = ["--problem", options.problem, "--data", str(options.data), "--log", str(log), *NAMES]
    for name in ("problems", "config"):
        arguments += [f"--{name}", str(given)] if (given := getattr(options, name)) else []
    arguments += ["--rehearsal-seed", str(seed), f"epochs={options.epochs}", *settings]
    program = find_implementation(implementation).program(arguments)
    done = Launcher(ranks).ask(program)
    found = list(read_run(log).epochs) if log.exists() else []
    if len(found) < options.epochs:
        own = [text for text in done.stderr.splitlines() if text.startswith("train.py:")]
        said = own[0] if own else done.stderr[-500:]
        raise ValueError(f"{' '.join(program)}: found {len(found)} epochs, wanted {options.epochs}: {said}")
    return found


def told(found: dict[float, Distance]) -> str:
    """The differences of a replay in words, epoch by epoch."""
    words = "; ".join(f"loss {one.loss:.3%}, score {one.score:.5f}" for one in found.values())
    return f"{words}; first steps {found[1].early or 0.0:.1e}"


def largest(found: Sequence[dict[float, Distance]], name: str, epoch: int) -> float:
    """The largest of a number of an epoch's distances, 0 where it is not known."""
    return max((getattr(one[epoch], name) or 0.0 for one in found), default=0.0)


@script
def main(arguments: Sequence[str] | None) -> None:
    """Measure and print. Raises ValueError if a run fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problem", default="smoke")
    parser.add_argument("--data", type=Path, help="the dataset (default: data/<problem>)")
    parser.add_argument("--problems", type=Path, help="a file of problem definitions instead of the published ones")
    parser.add_argument("--config", type=Path, help="settings instead of configs/<problem>.yaml")
    parser.add_argument("--seeds", type=int, default=3, help="number of seeds")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--ways", nargs="*", choices=WAYS, default=list(WAYS), metavar="WAY", help="default: all")
    parser.add_argument("--implementations", nargs="*", default=[], metavar="NAME", help="others, such as minimal")
    options = parser.parse_args(arguments)
    want(1, seeds=options.seeds, epochs=options.epochs)
    options.data = options.data or ROOT / "data" / options.problem
    replays, firsts = [], []
    others = [(f"{name}, float32", 1, ("precision=float32",), name) for name in options.implementations]
    with tempfile.TemporaryDirectory(prefix="bands-") as name:
        for number in range(options.seeds):
            seed = (1 << 62) + 7919 * number
            firsts.append(trained(options, Path(name), seed, 1, FIRST))
            for way, *how in [*((way, *WAYS[way]) for way in options.ways), *others]:
                replays.append(distances(firsts[-1], trained(options, Path(name), seed, *how)))
                print(f"seed {number + 1} of {options.seeds}: {way}: {told(replays[-1])}", file=sys.stderr, flush=True)
    for one, other in combinations(firsts, 2):
        print(f"another seed: {told(distances(one, other))}")
    epochs = range(1, options.epochs + 1)
    band = {e: [float(f"{MARGIN * largest(replays, name, e):.2g}") for name in ("loss", "score")] for e in epochs}
    print(f"replay: {band}")
    print(f"replay_early: {MARGIN * largest(replays, 'early', 1):.1e}")


if __name__ == "__main__":
    sys.exit(main())
