"""Evaluate the final weights of logged runs again, and compare the counts with their logs.

    python implementations/pytorch_tools/reevaluate.py results/v1.0/acme
    python implementations/pytorch_tools/reevaluate.py results/v1.0/acme --data-seed 7203841165930284517
    python implementations/pytorch_tools/reevaluate.py results/v1.0/acme --data-seed 72038411 \\
        --against results/v1.0/reference

A path is a submission, a set or a log. The weights are `weights/result_<i>.safetensors` beside the log. They are loaded
into the reference's model, whoever made them, so none of the submission's code runs, and other models cannot be
evaluated here. Of the logged settings only the precision counts; all others are of the training, or of the machine. The
validation split is generated if it is absent, and must have the published fingerprint.

With --data-seed, the weights are evaluated on fresh data of the same definition, from a seed of your choice. No dataset
has any of its instances, so nobody can have trained on them. The score is compared with the logged one. The difference
must be within the band of honest runs, which the rules publish. --against gives a narrower band: it evaluates at least
5 honest runs on the same data, since the data of some seeds are harder than others. Then the mean of a set's runs is
judged as well.

On the same machine, by the same code with the same threads, the numbers are equal to the last digit. Elsewhere rounding
differs, and they must stay within the band that the rules publish (`reevaluation`, `held_out` in limits.yaml).
Exit codes: 0 equal or within the band, 1 a run is outside, 2 a run could not be evaluated or there is no band.
"""

import argparse
import dataclasses
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, stdev

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from benchmark.config import load_settings, override
from benchmark.generate import generate
from benchmark.launch import Launch, usable_cores
from benchmark.printable import printable
from benchmark.problem import load_problem
from benchmark.run.errors import WrongData
from benchmark.run.files import weights_path
from benchmark.workload import held_out
from harness.auditing.logged import LoggedRun, has_weights, matches, read_run
from harness.auditing.record import record
from harness.auditing.settings import precision_of
from harness.processes import exit_on_signals
from implementations.pytorch.config import RunConfig, config_path, resolve
from implementations.pytorch.task import Evaluation, build_task, config_class
from implementations.pytorch_tools.outcome import Outcome, gain, judge, judge_held_out, judge_together
from implementations.pytorch_tools.reevaluation import Other, evaluation
from rules.bands import HeldOut
from rules.current import EDITION
from rules.edition import Edition, load

ROOT = Path(__file__).resolve().parents[2]
FEWEST = 5  # honest runs to compare with: with 5, one honest run in 124 is outside the band (Student's t)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, metavar="SUBMISSION", help="submissions, sets or logs")
    parser.add_argument("--data", type=Path, help="folder of the data, made if absent (default: data/<problem>)")
    parser.add_argument("--data-seed", type=int, help="evaluate on fresh data of this seed (kept in --data, if given)")
    parser.add_argument("--against", type=Path, nargs="+", help="with --data-seed: submissions of honest runs")
    parser.add_argument("--samples", type=int, help="with --data-seed: evaluate so many samples only, for a first look")
    parser.add_argument("--problems", type=Path, help="a file of problem definitions instead of the published ones")
    parser.add_argument("--threads", type=int, help="CPU threads (default: as logged, or what there is)")
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"))
    parser.add_argument("--setting", action="append", default=[], metavar="name=value", help="such as compile=false")
    parser.add_argument("--record", type=Path, help="a file to add the outcomes to, one line of JSON a run")
    args = parser.parse_args(arguments)
    for name in ("samples", "against"):
        if getattr(args, name) is not None and args.data_seed is None:
            parser.error(f"--{name}: found no --data-seed, wanted one: logged counts are of all samples of one dataset")
    if args.samples is not None and args.samples < 1:
        parser.error(f"--samples: found {args.samples}, wanted 1 or more")
    return args


def logs_of(paths: Sequence[Path]) -> list[Path]:
    """Return the logs with final weights at or below the paths. A log that is a path itself is always returned. Raises
    ValueError where there is none."""
    found: dict[Path, None] = {}
    for path in paths:
        below = [path] if path.is_file() else sorted(path.rglob("result_*.txt"), key=_by_number)
        plain = [log for log in below if log.is_file() and (log == path or not log.is_symlink())]
        found |= dict.fromkeys(log for log in plain if log == path or has_weights(log))
    if not found:
        raise ValueError(f"{paths[0]}: found no log of a run with final weights, wanted one")
    return list(found)


def _by_number(path: Path) -> tuple:
    number = path.stem.rpartition("_")[2]
    return path.parent, int(number) if number.isdecimal() else 0, path.name


def settings_of(run: LoggedRun, args: argparse.Namespace) -> RunConfig:
    """Return the settings of the evaluation: the logged precision, else the reference's settings for the problem, on
    this machine. Raises ValueError for an invalid --setting."""
    cls, path, cores = config_class(run.benchmark), config_path(run.problem), usable_cores()
    config = load_settings(cls, path, path.read_bytes(), []) if path.is_file() else cls()
    threads = run.settings.get("threads")
    known = type(threads) is int and 0 < threads <= cores
    changes = {"precision": precision_of(run.settings), "device": args.device, "layout": (1, 1, 1, 1)}
    changes["threads"] = args.threads or (threads if known else 0)
    return resolve(override(dataclasses.replace(config, **changes), args.setting, "--setting"), cores, 1)


def evaluate(log: Path, args: argparse.Namespace, law: Edition, scratch: Path) -> tuple[LoggedRun, Evaluation]:
    """Return a log's run and the evaluation of its weights. Fresh data go to the folder `scratch` unless --data is set.

    Raises Other for weights that are not the log's, and ValueError, WrongData or OSError where they cannot be
    evaluated.
    """
    run = read_run(log)
    if run.weights is None:
        raise ValueError(f"{log}: found no final weights, wanted their sha256 after run_stop")
    problem = load_problem(run.problem, args.problems)
    matches(run, problem)
    path = weights_path(log)
    if not path.exists():
        again = f"python harness/replay.py {log} --weights makes it again, on such a machine; or ask who made the run"
        raise ValueError(f"{path}: found no file, wanted the one with the sha256 {run.weights}; {again}")
    fresh = args.data_seed is not None
    split = held_out(problem, args.data_seed) if fresh else problem
    home = (args.data or scratch) / f"{run.problem}-{args.data_seed}" if fresh else args.data
    data = home or ROOT / "data" / run.problem
    samples = split.split_samples("validation")[: args.samples]
    generate(data, split, 1, Launch(0, 1, 0, 1, "none"), [("validation", sample) for sample in samples])
    task = build_task(problem, settings_of(run, args))
    found, read = evaluation(task, path, run.weights, data, split, samples)
    published = law.problems.get(run.problem)
    known = (published.fingerprints.get("validation") if published else None) or run.validation
    if not fresh and read != known:
        raise WrongData(f"{data}: found validation fingerprint {read}, wanted {known}")
    return run, found


def bands_of(args: argparse.Namespace, law: Edition, scratch: Path) -> dict[str, HeldOut]:
    """Return the bands of held-out scores by problem: those of the runs in --against on the same data, or else those
    that the rules publish for a complete split. Raises ValueError for fewer than FEWEST runs of a problem, and what
    `evaluate` raises."""
    if not args.against:
        known = law.problems.items() if args.samples is None else ()
        return {name: problem.held_out for name, problem in known if problem.held_out}
    gains: dict[str, list[float]] = {}
    for log in logs_of(args.against):
        run, found = evaluate(log, args, law, scratch)
        lower = law.benchmarks[run.benchmark].lower
        gains.setdefault(run.problem, []).append(gain(run.epochs[-1].score, found.value, lower))
    for problem, values in gains.items():
        if len(values) < FEWEST:
            raise ValueError(f"--against: found {len(values)} runs of {problem}, wanted {FEWEST} or more")
    return {name: HeldOut(fmean(values), stdev(values), len(values)) for name, values in gains.items()}


def outcome_of(log: Path, args: argparse.Namespace, law: Edition, scratch: Path, bands: dict[str, HeldOut]) -> Outcome:
    """Return the outcome for a log's weights. Raises what `evaluate` raises, except Other."""
    try:
        run, found = evaluate(log, args, law, scratch)
    except Other as error:
        return Outcome(1, str(error))
    if args.data_seed is None:
        published = law.problems.get(run.problem)
        return judge(run.epochs[-1], found, published.reevaluation if published else None)
    band = bands.get(run.problem)
    least = band.least(law.limits.weights.deviations) if band else None
    return judge_held_out(run.epochs[-1], found, law.benchmarks[run.benchmark].lower, least)


def refuse_several(logs: Sequence[Path]) -> None:
    """Raise ValueError if the runs are of several problems, whose data cannot share a folder."""
    names = sorted({read_run(log).problem for log in logs})
    if len(names) > 1:
        raise ValueError(f"--data: found runs of {', '.join(names)}, wanted those of one problem")


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate the runs and print a line for each. Return the exit code."""
    args = parse(arguments)
    law, codes, gains = load(EDITION), [], defaultdict(list)
    try:
        logs = logs_of(args.paths)
        if args.data and args.data_seed is None:
            refuse_several(logs)
    except (ValueError, OSError) as error:
        print(printable(f"reevaluate.py: {error}"), file=sys.stderr)
        return 2
    with exit_on_signals(), tempfile.TemporaryDirectory(prefix="held-out-") as scratch:
        try:
            bands = bands_of(args, law, Path(scratch)) if args.data_seed is not None else {}
        except (ValueError, OSError, WrongData) as error:
            print(printable(f"reevaluate.py: {error}"), file=sys.stderr)
            return 2
        for log in logs:
            try:
                outcome = outcome_of(log, args, law, Path(scratch), bands)
                print(printable(f"{log}: {outcome.verdict}"), flush=True)
                codes.append(outcome.code)
                if args.against and outcome.gain is not None:
                    gains[log.parent, read_run(log).problem].append(outcome.gain)
                if args.record:
                    kind, seed = (
                        ("reevaluation", {}) if args.data_seed is None else ("held-out", {"data_seed": args.data_seed})
                    )
                    record(args.record, log, kind, outcome.code, outcome.verdict, code="reference", **seed)
            except (ValueError, OSError, WrongData) as error:
                print(printable(f"reevaluate.py: {error}"), file=sys.stderr, flush=True)
                codes.append(2)
    for (folder, problem), values in gains.items():
        if len(values) > 1 and problem in bands:
            outcome = judge_together(values, bands[problem], law.limits.weights.deviations)
            print(printable(f"{folder}: {outcome.verdict}"))
            codes.append(outcome.code)
    return 1 if 1 in codes else max(codes)


if __name__ == "__main__":
    sys.exit(main())
