"""RUN: sets of runs. Their number, and that they are of one system, one code and one problem."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from compliance.facts import Facts
from compliance.finding import Fault, show
from compliance.rule import rule
from compliance.run import Law, Run
from compliance.timeline import Timeline
from compliance.verdict import NO_STOP

FIRST_NUMBERS = (0, 1)


@rule("RUN01", "set", after=("TREE06", "THR03"))
def set_has_its_runs(runs: list[Facts], place: Any, law: Law) -> Iterator[Fault]:
    """A set has as many runs as the benchmark asks for"""
    kept = [r for r in runs if not r.pruned]
    if place.scaling == "weak":
        if len(runs) < law.edition.limits.weak_runs:
            yield Fault(1, f"{len(runs)} runs", f"{law.edition.limits.weak_runs} or more")
    elif law.benchmark and len(kept) != law.benchmark.runs:
        yield Fault(1, f"{len(kept)} runs", str(law.benchmark.runs))


@rule("RUN02", "set", after=("RUN01", "TREE06", "THR03"))
def runs_are_numbered(runs: list[Facts], place: Any, law: Law) -> Iterator[Fault]:
    """Runs are numbered without a hole, none twice"""
    numbers = sorted(r.number for r in runs if r.number is not None)
    twice = [n for n, count in Counter(numbers).items() if count > 1]
    holes = sorted(set(range(numbers[0], numbers[-1])) - set(numbers))[:20] if numbers and len(numbers) > 1 else []
    if twice or holes or (numbers and numbers[0] not in FIRST_NUMBERS):
        yield Fault(1, f"runs {_few(numbers)}", f"consecutive from {FIRST_NUMBERS[0]} or {FIRST_NUMBERS[1]}")


@rule("RUN03", "set", after=("RUN01",))
def few_runs_fail_to_converge(runs: list[Facts], place: Any, law: Law) -> Iterator[Fault]:
    """No more runs of a set fail to converge than the rules forgive"""
    broken_off = NO_STOP[0] if law.edition.limits.unfinished_forgiven else ""
    failed = [r for r in runs if "EVL07" in r.codes or (broken_off in r.codes and r.stop_ms is None)]
    forgiven = law.benchmark.forgiven if law.benchmark else 0
    if place.scaling != "weak" and len(failed) > forgiven:
        for run in failed:
            says = f"One of {len(failed)} runs of the set that did not converge"
            yield Fault(run.stop_line, "no convergence", f"at most {forgiven} such", says, path=run.path)


@rule("RUN04", "set")
def runs_are_of_one_code(runs: list[Facts], place: Any, law: Law) -> Iterator[Fault]:
    """The runs of a set are of the same code"""
    for key in law.edition.limits.same_code:
        yield from _odd_ones(runs, key)


@rule("RUN07", "set")
def runs_are_of_one_system(runs: list[Facts], place: Any, law: Law) -> Iterator[Fault]:
    """The runs of a set are of the same system"""
    for key in law.edition.limits.same_system:
        yield from _odd_ones(runs, key)


@rule("RUN08", "set")
def runs_have_one_configuration(runs: list[Facts], place: Any, law: Law) -> Iterator[Fault]:
    """The runs of a set have the same hyperparameters"""
    for key in (*law.edition.limits.same_in_set, *(law.benchmark.configured if law.benchmark else ())):
        yield from _odd_ones(runs, key)


@rule("RUN09", "set")
def runs_are_of_one_problem(runs: list[Facts], place: Any, law: Law) -> Iterator[Fault]:
    """The runs of a set solve the same problem"""
    for key in law.edition.limits.same_problem:
        yield from _odd_ones(runs, key)


@rule("RUN10", "log")
def log_is_of_its_folders_benchmark(run: Run, law: Law, time: Timeline) -> Iterator[Fault]:
    """The log's benchmark is its folder's, and one that the rules know"""
    event = run.first("submission_benchmark")
    if event is None:
        return
    name = event.value
    known = law.folder_benchmark or ", ".join(law.edition.benchmarks)
    if (
        (law.folder_benchmark and name != law.folder_benchmark)
        or type(name) is not str
        or name not in law.edition.benchmarks
    ):
        yield Fault(event.line, f"submission_benchmark {show(name)}", known)


def _odd_ones(runs: list[Facts], key: str) -> Iterator[Fault]:
    """The runs whose value of a key isn't that of most."""
    told = [(r, json.dumps(r.value(key), sort_keys=True)) for r in runs if key in r.values]
    if len({text for _, text in told}) < 2:
        return
    usual = Counter(text for _, text in told).most_common(1)[0][0]
    for run, text in told:
        if text != usual and run.line(key) not in run.lines:  # one fault is one finding
            yield Fault(
                run.line(key), f"{key} {show(text)}", f"{show(usual)}, as in the set's other runs", path=run.path
            )


def _few(numbers: list[int]) -> str:
    text = ", ".join(map(str, numbers[:30]))
    return text if len(numbers) <= 30 else f"{text}, ... ({len(numbers)} in all)"
