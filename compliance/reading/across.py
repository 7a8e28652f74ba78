"""Compare all runs that are judged together, across sets, submissions and editions: copies, replays, related seeds."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from compliance.reading.digest import sha256
from compliance.reading.nearness import Index, Near, close, evenly_spaced, scale_of
from compliance.reading.rounds import RoundRegistry
from compliance.reading.run import Run
from compliance.reading.values import grouped
from rules.edition import Edition
from rules.limits import Seeds

PLAIN = (0, 1, 0.5)  # scores that many runs have by chance


@dataclass(frozen=True)
class Replay:
    """A run that shares scores with the earlier run `first`: the line where they begin, and how many are equal."""

    run: Run
    line: int
    first: Run
    equal: int


Use = tuple[Run, int, int]  # of a seed: the run, the line and the seed as logged
Relation = tuple[Run, str]  # a run whose first seed is related to those of others, and how, in words


class Across:
    """All runs that are judged together, and what they have in common. Each property is computed once."""

    def __init__(
        self,
        runs: list[Run],
        editions: Mapping[str, Edition],
        homes: Mapping[str, str],
        registries: tuple[RoundRegistry, ...] = (),
        published: Mapping[str, tuple[int, ...]] | None = None,
    ):
        """`editions`, `homes` and `published` map the path of a log to its edition, its submission, and the order in
        which its round was published. `registries` are the rounds'."""
        self._editions, self._homes, self._published = editions, homes, published or {}
        self.runs, self.registries = sorted(runs, key=self._order), registries

    def _order(self, run: Run) -> tuple[int, ...]:
        return self._published.get(run.path, ())

    def strangers(self, run: Run, first: Run) -> bool:
        """Return whether two runs are of different submissions, neither of which was published before the other. Logs
        don't tell who copied, so both get a finding. A round that was published first keeps its verdict."""
        return self._homes[run.path] != self._homes[first.path] and self._order(run) == self._order(first)

    def concerned(self, run: Run, first: Run) -> list[tuple[Run, Run]]:
        """Return (run, the other one) for each run that gets a finding where two are alike: the later one, and of
        strangers both."""
        return [(run, first), (first, run)] if self.strangers(run, first) else [(run, first)]

    def edition(self, run: Run) -> Edition:
        """Return the edition by which a run is judged."""
        return self._editions[run.path]

    def severity(self, run: Run, first: Run) -> str:
        """Return the severity of one run in two places: "review" across rounds or where the round allowed it, else ""
        for the rule's own."""
        one, other = self.edition(run), self.edition(first)
        if one.name != other.name:
            return "review"
        return "" if one.limits.seeds.across or run.set_path == first.set_path else "review"

    @cached_property
    def in_order(self) -> list[Run]:
        """The runs by their round and the time of their start; those without one, which have no scores, come first."""
        return sorted(self.runs, key=lambda run: (self._order(run), run.start_ms or 0))

    @cached_property
    def copies(self) -> dict[str, Run]:
        """The path of each copy -> the earlier log with the same bytes."""
        groups = grouped(self.runs, lambda run: (run.size, run.start_ms, *run.evaluations[:3]))
        found: dict[str, Run] = {}
        seen: dict[str, Run] = {}
        for run in (r for group in groups.values() if len(group) > 1 for r in group):
            first = seen.setdefault(sha256(run.file) or run.path, run)
            if first.file != run.file:
                found[run.path] = first
        return found

    @cached_property
    def replays(self) -> list[Replay]:
        """Runs that share `leading` consecutive scores, or a whole short curve, with another run that is no copy. Of
        two runs, the later one is the replay."""
        seen: dict[object, Run] = {}
        found = []
        for run in self.in_order:
            if run.path in self.copies:
                continue
            windows = self._windows(run)
            if hits := [window for window in windows if window[0] in seen]:
                key, _, lines = hits[0]
                equal = {index for _, at, part in hits for index in range(at, at + len(part))}
                found.append(Replay(run, lines[0], seen[key], len(equal)))
            for key, _, _ in windows:
                seen.setdefault(key, run)
        return found

    @cached_property
    def repeated(self) -> set[str]:
        """The paths of copies and replays, which RUN05 and RUN06 name."""
        return {*self.copies, *(replay.run.path for replay in self.replays)}

    @cached_property
    def near(self) -> list[Near]:
        """Runs with an evaluation close to one of an earlier run; copies and replays are left out."""
        indices: dict[object, Index] = {}
        found = []
        for run in self.in_order:
            edition, limits = self.edition(run), self.edition(run).limits.curves
            problem, benchmark = edition.problems.get(run.problem or ""), edition.benchmarks.get(run.benchmark)
            scale = scale_of(problem, benchmark, limits) if problem and benchmark else None
            if scale and run.path not in self.repeated:
                kind = (run.benchmark, run.problem, run.numbers.width, scale)
                index = indices.setdefault(kind, Index(scale, limits))
                near = index.add(run)
                found += [near] if near else []
        return found

    def _windows(self, run: Run) -> list[tuple[object, int, list[int]]]:
        """Return (key, start, lines) of every window of `leading` scores; a shorter curve is one window. Scores in
        PLAIN don't count."""
        limits = self.edition(run).limits.curves
        telling = [(line, score) for line, score in run.curve if score not in PLAIN]
        kind, length = (run.benchmark, run.problem), min(limits.leading, len(telling))
        whole = ("whole",) if len(telling) < limits.leading else ()
        windows: list[tuple[object, int, list[int]]] = []
        for at in range(len(telling) - length + 1):
            part = telling[at : at + length]
            scores = tuple(score for _, score in part)
            if len(set(scores)) >= limits.shortest:
                windows.append(((*kind, *whole, scores), at, [line for line, _ in part]))
        return windows

    @cached_property
    def reused_seeds(self) -> list[tuple[Use, Use]]:
        """Every use of a seed that an earlier run uses, with that one, if both are of one set, or the edition of either
        wants seeds to differ across sets. Seeds are compared modulo the edition's modulus."""
        used: dict[int, list[Use]] = {}
        found = []
        for run in self.runs:
            modulus = _modulus(self.edition(run).limits.seeds)
            for rest, (line, seed) in {seed % modulus: (line, seed) for line, seed in reversed(run.seeds)}.items():
                before = next((other for other in used.get(rest, ()) if self._must_differ(run, other[0])), None)
                if before:
                    found.append(((run, line, seed), before))
                used.setdefault(rest, []).append((run, line, seed))
        return found

    @cached_property
    def related_seeds(self) -> list[Relation]:
        """Runs whose seed is close to that of another run of the edition, has the same low bits, or is evenly spaced
        with two others of the set (one run a set). Only the first seed of a log counts."""
        groups = grouped((run for run in self.runs if run.seeds), lambda run: self.edition(run).name).values()
        limited = [(self.edition(runs[0]).limits.seeds, runs) for runs in groups]
        kinds = (self._close, self._alike, self._spaced)
        return [relation for group in limited for kind in kinds for relation in kind(*group)]

    def _close(self, limits: Seeds, runs: list[Run]) -> Iterator[Relation]:
        for later, earlier, gap in close([run.seeds[0][1] for run in runs], limits.distance, _modulus(limits)):
            yield runs[later], f"{gap} from that of {runs[earlier].path}"

    def _alike(self, limits: Seeds, runs: list[Run]) -> Iterator[Relation]:
        bits, modulus = limits.low_bits, _modulus(limits)
        seen: dict[int, Run] = {}
        for run in runs if bits else ():
            seed = run.seeds[0][1]
            first = seen.setdefault(seed % (1 << bits), run)
            if first is not run and (seed - first.seeds[0][1]) % modulus:
                yield run, f"whose low {bits} bits are those of the one in {first.path}"

    def _spaced(self, limits: Seeds, runs: list[Run]) -> Iterator[Relation]:
        modulus = _modulus(limits)
        sets: dict[str, dict[int, Run]] = {}
        for run in runs:
            sets.setdefault(run.set_path, {})[run.seeds[0][1] % modulus] = run
        for by_seed in sets.values():
            if three := evenly_spaced(list(by_seed), limits.distance, modulus):
                first, second, third = (by_seed[seed] for seed in three)
                yield third, f"as far from that of {second.path} as that is from that of {first.path}"

    def _must_differ(self, run: Run, other: Run) -> bool:
        if run.file.parent == other.file.parent:
            return run is not other
        return any(self.edition(r).limits.seeds.across for r in (run, other))

    def by_set(self) -> Iterator[list[Replay]]:
        """Yield the replays of each set."""
        yield from grouped(self.replays, lambda replay: replay.run.set_path).values()


def _modulus(limits: Seeds) -> int:
    return 1 << limits.modulus_bits
