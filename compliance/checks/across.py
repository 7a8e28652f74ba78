"""SEED and RUN across logs: seeds used twice, logs copied, runs replayed."""

import hashlib
from collections.abc import Iterator
from functools import cached_property

from benchmark.log import open_regular
from compliance.facts import Facts
from compliance.finding import Fault
from compliance.rule import rule
from rules.edition import Edition

SAME_AT_ONCE = 1 << 20  # bytes read at a time


class Across:
    """Logs that are judged together, by one edition, and what they have in common: looked for once."""

    def __init__(self, runs: list[Facts], edition: Edition):
        self.runs, self.edition = runs, edition

    @cached_property
    def copies(self) -> dict[str, Facts]:
        """path of a copy -> the log given before it that has the same bytes."""
        groups: dict[object, list[Facts]] = {}
        for run in self.runs:
            groups.setdefault((run.size, run.start_ms, run.curve[:3]), []).append(run)
        found, seen = {}, {}
        for run in (r for group in groups.values() if len(group) > 1 for r in group):
            first = seen.setdefault(_digest(run), run)
            if first.file != run.file:
                found[run.path] = first
        return found

    @cached_property
    def replays(self) -> list[tuple[Facts, int, Facts, int]]:
        """(run, line, first, count): runs that share `leading` scores in a row, or a whole short curve, with another
        that isn't their copy. Of two, the later one is the replay."""
        limits = self.edition.limits.curves
        seen: dict[object, Facts] = {}
        found = []
        for run in sorted(self.runs, key=lambda r: r.start_ms or 0):
            if run.path in self.copies:
                continue
            windows = _windows(run, limits.leading, limits.shortest)
            hit = next(((line, seen[w], len(w[-1])) for line, w in windows if w in seen and seen[w] is not run), None)
            if hit:
                found.append((run, *hit))
            for _, window in windows:
                seen.setdefault(window, run)
        return found

    def severity(self, run: Facts, first: Facts) -> str:
        """One run in two sets is for people to judge where the round didn't forbid it."""
        return "review" if not self.edition.limits.seeds.across and run.file.parent != first.file.parent else ""


@rule("RUN05", "round")
def no_log_is_a_copy(across: Across) -> Iterator[Fault]:
    """No two logs are the same file"""
    for run in across.runs:
        first = across.copies.get(run.path)
        if first:
            severity = across.severity(run, first)
            yield Fault(1, f"the bytes of {first.path}", "a log of its own", path=run.path, severity=severity)


@rule("RUN06", "round")
def no_run_is_a_replay(across: Across) -> Iterator[Fault]:
    """No two runs share evaluation scores, one after another to the last bit"""
    for run, line, first, count in across.replays:
        found = f"{count} scores in a row equal to those of {first.path}"
        yield Fault(line, found, "scores of its own", path=run.path, severity=across.severity(run, first))


@rule("SEED05", "round")
def no_seed_is_used_twice(across: Across) -> Iterator[Fault]:
    """No seed is used by two runs, wherever and from whichever line they log it"""
    told = set(across.copies) | {run.path for run, *_ in across.replays}
    used: dict[object, Facts] = {}
    for run in across.runs:
        scope = () if across.edition.limits.seeds.across else (str(run.file.parent),)
        for seed, line in {seed: line for line, seed in reversed(run.seeds)}.items():
            before = used.setdefault((scope, seed), run)
            if before is not run and run.path not in told and "SEED03" not in run.codes:
                yield Fault(line, f"seed {seed}, as in {before.path}", "a seed of its own", path=run.path)


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


def _digest(run: Facts) -> object:
    """The bytes of a log as a digest; of one that can't be read any more, its path."""
    total = hashlib.sha256()
    try:
        with open_regular(run.file) as file:
            while block := file.read(SAME_AT_ONCE):
                total.update(block)
    except OSError:
        return run.path
    return total.digest()
