"""Measure the bands of honest replays, for `replay` of a problem in rules/<edition>/limits.yaml.

    python perf/replay_bands.py --problem smoke --data data/smoke --seeds 3 --epochs 2 --implementations minimal

Runs of several seeds are trained for a few epochs, and again with the same seed in ways that another machine may use:
other threads, ranks, splits, kernels, precision; and by other implementations, in float32. `--ways` leaves out those
that a problem refuses, such as splitting DeepCAM's images. For each way and epoch the command prints the difference
from the first run: median and largest over the seeds, relative for the loss, absolute for the score; last the relative
difference of the loss in the first steps. It also prints the differences between seeds, below which a band must stay. A
band is twice the largest honest difference.
"""

import argparse
import statistics
import sys
import tempfile
from collections import defaultdict
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


def line(name: str, found: Sequence[dict[float, Distance]]) -> str:
    """A line of the table: for each epoch the median and largest difference of loss and score."""
    cells = []
    for epoch in zip(*(one.values() for one in found), strict=True):
        loss, score = [d.loss for d in epoch], [d.score for d in epoch]
        cells.append(
            f"{statistics.median(loss):8.3%} {max(loss):8.3%} {statistics.median(score):8.5f} {max(score):8.5f}"
        )
    early = [d.early for one in found for d in list(one.values())[:1] if d.early is not None]
    cells += [f"{statistics.median(early):.1e} {max(early):.1e}"] if early else []
    exact = all(d.exact for one in found for d in one.values())
    return f"{name:30} {'   '.join(cells)}{'   exact' if exact else ''}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
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
    options.data = options.data or ROOT / "data" / options.problem
    ways: dict[str, list[dict[float, Distance]]] = defaultdict(list)
    firsts = []
    with tempfile.TemporaryDirectory(prefix="bands-") as name:
        for number in range(options.seeds):
            seed = (1 << 62) + 7919 * number
            firsts.append(trained(options, Path(name), seed, 1, FIRST))
            for way, (ranks, settings) in ((way, WAYS[way]) for way in options.ways):
                ways[way].append(distances(firsts[-1], trained(options, Path(name), seed, ranks, settings)))
                print(f"seed {number + 1} of {options.seeds}: {way}", file=sys.stderr, flush=True)
            for other in options.implementations:
                again = trained(options, Path(name), seed, 1, ("precision=float32",), other)
                ways[f"{other}, float32"].append(distances(firsts[-1], again))
                print(f"seed {number + 1} of {options.seeds}: {other}", file=sys.stderr, flush=True)
    print(f"{'by epoch: loss median, largest; score median, largest':30}")
    for way, found in ways.items():
        print(line(way, found))
    others = [distances(a, b) for a, b in combinations(firsts, 2)]
    if others:
        print(line("another seed", others))
        epochs = zip(*(one.values() for one in others), strict=True)
        least = [(min(d.loss for d in epoch), min(d.score for d in epoch)) for epoch in epochs]
        early = min(one[1].early or 0.0 for one in others)
        words = "; ".join(f"loss {loss:.3%}, score {score:.5f}" for loss, score in least)
        print(f"another seed, least: {words}; first steps {early:.1e}")
    every = [one for found in ways.values() for one in found]
    band = {
        number: [float(f"{MARGIN * max(getattr(d, key) for d in epoch):.2g}") for key in ("loss", "score")]
        for number, epoch in enumerate(zip(*(one.values() for one in every), strict=True), 1)
    }
    print(f"replay: {band}")
    print(f"replay_early: {MARGIN * max((one[1].early or 0.0 for one in every), default=0.0):.1e}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
