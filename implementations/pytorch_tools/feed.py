"""How many accelerators does this storage feed? Trials of the input in which processes of this node stand for them.

    python implementations/pytorch_tools/feed.py --accelerators 8 --problem scale7 --data data/scale7 \\
        --log build/feed/result_0.txt --compute-seconds 0.2
    python implementations/pytorch_tools/feed.py --accelerators most ... --copies 40 --scratch /storage/trials

Each accelerator computes asleep, with the batch that the settings have, so that N of them make steps of N batches. A
trial passes if their mean AU is --least-au (default: 0.9) or more; each pass begins without cached pages. With `most`,
the number is doubled until a trial fails, and then halved between. The log of N is N/result_0.txt beside --log. All
other options and settings are those of io_trial.py.
Exit codes: 0 passed, 1 failed or aborted, 2 wrong data or a wrong command.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from benchmark.config import load_settings, read_bytes
from benchmark.log import Event, read_log
from benchmark.problem import load_problem
from benchmark.run.errors import reason
from benchmark.run.options import parse_options
from harness.launcher import Launcher
from harness.processes import exit_on_signals
from implementations.pytorch.config import config_path
from implementations.pytorch.task import config_class
from implementations.pytorch_tools.input_trial.counters import memory_bytes
from implementations.pytorch_tools.input_trial.options import SUPPORTED, add_options, contradiction
from implementations.pytorch_tools.input_trial.table import passed, percent

TRIAL = Path(__file__).with_name("io_trial.py")
TAKEN = ("--emulate", "--layout", "--batch-from-table", "--checkpoint")  # what this decides itself, or cannot
LEAST_STEPS, PROCESS_BYTES = 3, 2**29  # steps of a pass; memory of a process
MOST = "most"


def parse(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """Return the options, and the words that a trial gets of them. A wrong command ends the process with exit code
    2."""
    own = argparse.ArgumentParser(add_help=False, allow_abbrev=False, prog="feed.py")
    text = "how many: a number, or `most` for the most that the storage feeds"
    own.add_argument("--accelerators", required="-h" not in arguments and "--help" not in arguments, help=text)
    found, words = own.parse_known_args(arguments)
    supported = [name for name in SUPPORTED if name not in TAKEN]

    def add(parser: argparse.ArgumentParser) -> None:
        add_options(parser)
        parser.set_defaults(least_au=0.9, accelerators=found.accelerators)

    options = parse_options(__doc__, words, supported, add)
    options.settings += options.later_settings
    return options, words


def wrong(options: argparse.Namespace, words: Sequence[str]) -> str:
    """Return what is wrong with the options; "" if nothing is."""
    if options.accelerators != MOST and not (options.accelerators.isascii() and options.accelerators.isdigit()):
        return f"--accelerators: found {options.accelerators}, wanted a number, or {MOST}"
    if options.accelerators != MOST and int(options.accelerators) < 1:
        return "--accelerators: found 0, wanted 1 or more"
    if taken := [name for name in TAKEN if any(word.split("=")[0] == name for word in words)]:
        return f"{taken[0]}: found it, wanted none: accelerators are ranks by data that compute asleep"
    if not options.compute_seconds and options.compute_from is None:
        return "--compute-seconds: found none, wanted the seconds that an accelerator computes in a step"
    return contradiction(options)


class Feeding:
    """Trials with growing numbers of accelerators."""

    def __init__(self, options: argparse.Namespace, words: Sequence[str]):
        self.options = options
        problem, path = load_problem(options.problem, options.problems), options.config or config_path(options.problem)
        config = load_settings(config_class(problem.workload), path, read_bytes(path), options.settings)
        self.batch, self.samples = config.batch_size, problem.train_samples * max(1, options.copies)
        self.words = [word for word in words if not word.startswith("batch_size=")]
        if not any(word.startswith("cache_gib=") for word in words):
            self.words.append("cache_gib=0")
        self.said: dict[int, str] = {}

    @property
    def limit(self) -> int:
        """The most accelerators whose passes have three steps, and whose processes fit the memory."""
        return max(1, min(self.samples // (self.batch * LEAST_STEPS), memory_bytes() // PROCESS_BYTES))

    def feeds(self, count: int) -> bool:
        """Return whether a trial with so many accelerators passes. Raises OSError for one that is aborted, ValueError
        for wrong data."""
        log = self.options.log.parent / str(count) / self.options.log.name
        command = [sys.executable, str(TRIAL), *self.words, "--log", str(log), "--emulate", "sleep"]
        command += ["--least-au", str(self.options.least_au), f"batch_size={count * self.batch}"]
        if code := Launcher(count).run(command):
            raise (ValueError if code == 2 else OSError)(f"{count}: {TRIAL.name} ended with exit code {code}")
        rows = [event.value for event in read_log(log) if isinstance(event, Event) and event.key == "io_trial"]
        worst = min(rows, key=lambda row: row["au"]["mean"] if row["au"] else 0.0)
        self.said[count] = f"AU {percent(worst['au'] and worst['au']['mean'])} %, {worst['cache']}"
        return all(passed(row, self.options.least_au) for row in rows)


def most_fed(feeds: Callable[[int], bool], limit: int) -> tuple[int, int]:
    """Return the largest number from 1 to `limit` that is fed (0: none), and the smallest that was tried and is not
    (limit + 1: none was). Whatever feeds a number feeds all below it."""
    good, bad = 0, limit + 1
    while good + 1 < bad:
        tried = (good + bad) // 2 if bad <= limit else min(max(1, 2 * good), limit)
        if feeds(tried):
            good = tried
        else:
            bad = tried
    return good, bad


def search(feeding: Feeding) -> int:
    """Find the most accelerators that are fed, and print them. Return the exit code."""
    good, bad = most_fed(feeding.feeds, feeding.limit)
    for count, said in sorted(feeding.said.items()):
        print(f"{count:6} accelerators: {'pass' if count <= good else 'fail'}: {said}")
    more = "" if bad <= feeding.limit else " or more: no more fit the memory, or the steps of the data (--copies)"
    print(f"most accelerators fed at AU {percent(feeding.options.least_au)} %: {good}{more}")
    return int(not good)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the trials. Return the exit code."""
    options, words = parse(sys.argv[1:] if arguments is None else arguments)
    try:
        if problem := wrong(options, words):
            raise ValueError(problem)
        feeding = Feeding(options, words)
        with exit_on_signals():
            if options.accelerators == MOST:
                return search(feeding)
            count = int(options.accelerators)
            fed = feeding.feeds(count)
            print(f"{count} accelerators: {'pass' if fed else 'fail'}: {feeding.said[count]}")
            return int(not fed)
    except ValueError as error:
        print(f"feed.py: {reason(error)}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"feed.py: {reason(error)}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
