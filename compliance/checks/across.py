"""SEED and RUN across logs: seeds used twice, logs copied, runs replayed."""

from collections.abc import Iterator

from compliance.facts import Facts
from compliance.finding import Fault
from compliance.rule import rule
from rules.edition import Edition

SAME_AT_ONCE = 1 << 16  # bytes compared at a time


@rule("RUN05", "round")
def no_log_is_a_copy(runs: list[Facts], edition: Edition) -> Iterator[Fault]:
    """No two logs are the same file"""
    for run, first in copies(runs).values():
        severity = _mild(run, first, edition)
        yield Fault(1, f"the bytes of {first.path}", "a log of its own", path=run.path, severity=severity)


@rule("RUN06", "round")
def no_run_is_a_replay(runs: list[Facts], edition: Edition) -> Iterator[Fault]:
    """No two runs share evaluation scores, one after another to the last bit"""
    skip = set(copies(runs))
    for run, line, first, count in replays(runs, edition):
        if run.path not in skip:
            found = f"{count} scores in a row equal to those of {first.path}"
            yield Fault(line, found, "scores of its own", path=run.path, severity=_mild(run, first, edition))


@rule("SEED05", "round", after=())
def no_seed_is_used_twice(runs: list[Facts], edition: Edition) -> Iterator[Fault]:
    """No seed is used by two runs, wherever and from whichever line they log it"""
    skip = set(copies(runs)) | {run.path for run, *_ in replays(runs, edition)}
    used: dict[object, Facts] = {}
    for run in runs:
        scope = () if edition.limits.seeds.across else (str(run.file.parent),)
        for seed, line in {seed: line for line, seed in reversed(run.seeds)}.items():
            before = used.setdefault((scope, seed), run)
            if before is not run and run.path not in skip and "SEED03" not in run.codes:
                yield Fault(line, f"seed {seed}, as in {before.path}", "a seed of its own", path=run.path)


def _mild(run: Facts, first: Facts, edition: Edition) -> str:
    """One run in two sets is for people to judge where the round didn't forbid it."""
    return "review" if not edition.limits.seeds.across and run.file.parent != first.file.parent else ""


def copies(runs: list[Facts]) -> dict[str, tuple[Facts, Facts]]:
    """path -> (copy, first) of the logs that are byte for byte another given before them."""
    found: dict[str, tuple[Facts, Facts]] = {}
    groups: dict[object, list[Facts]] = {}
    for run in runs:
        groups.setdefault((run.size, run.start_ms, run.curve[:3]), []).append(run)
    for group in groups.values():
        for index, run in enumerate(group):
            first = next((b for b in group[:index] if b.path not in found and _same(b, run)), None)
            if first:
                found[run.path] = (run, first)
    return found


def replays(runs: list[Facts], edition: Edition) -> list[tuple[Facts, int, Facts, int]]:
    """(run, line, first, count): runs that share `leading` scores in a row, or a whole short curve, with another."""
    limits = edition.limits.curves
    seen: dict[object, Facts] = {}
    found = []
    for run in sorted(runs, key=lambda r: r.start_ms or 0):  # of two, the later one is the replay
        windows = _windows(run, limits.leading, limits.shortest)
        hit = next(((line, seen[w], len(w[-1])) for line, w in windows if w in seen and seen[w] is not run), None)
        if hit:
            found.append((run, *hit))
        for _, window in windows:
            seen.setdefault(window, run)
    return found


def _windows(run: Facts, leading: int, shortest: int) -> list[tuple[int, tuple]]:
    """(line, (benchmark, problem, scores)) of all stretches of `leading` telling scores; a shorter curve is one."""
    telling = [(line, score) for line, score in run.curve if score not in (0, 1, 0.5)]
    kind = (run.benchmark, run.problem)
    if len(telling) < leading:
        scores = tuple(score for _, score in telling)
        return [(telling[0][0], (*kind, "whole", scores))] if len(set(scores)) >= shortest else []
    windows = []
    for at in range(len(telling) - leading + 1):
        scores = tuple(score for _, score in telling[at : at + leading])
        if len(set(scores)) >= shortest:
            windows.append((telling[at][0], (*kind, scores)))
    return windows


def _same(a: Facts, b: Facts) -> bool:
    if a.file == b.file or a.size != b.size or not a.size:
        return False
    try:
        with a.file.open("rb") as one, b.file.open("rb") as two:
            while block := one.read(SAME_AT_ONCE):
                if block != two.read(len(block)):
                    return False
    except OSError:
        return False
    return True
