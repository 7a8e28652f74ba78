"""Trace the seed of every random generator in a folder of source back to the seed that the run logs.

The logged seed is the name in the one call `event("seed", name)` of the folder, as long as nothing assigns the name
after the call. Where `benchmark.run.process.run_process` logs it, it is the attribute `seed` of the setup that the
function gets which is handed to `run_process`. From there, the seed may pass through

- names, parameters of functions that are called by name, and attributes of an instance;
- arithmetic that keeps runs apart: plus, minus and XOR with literals and with names for ranks, epochs and the like; a
  remainder or mask of 31 bits or more; `int`;
- `SeedSequence` and what it spawns, `benchmark.run.seeds.stream_seed`, and the seed of another generator.

A seed that passes through anything else is left to a person.

What this can't see: a generator that is written out in arithmetic; a call in code that never runs, such as a second log
or a dead function; a rank that a function computes from the seed.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice

from compliance.source.flow import DEEPEST, MOST_BOUND, TORCH, Call, Flow, Given, Value
from compliance.source.module import FOREIGN, Function, Place

MOST_CALLS = 50  # calls of a function whose arguments are followed
STARRED = -1  # arguments of a call that unpacks some: any number


def untraced(flows: Sequence[Flow]) -> list[list[tuple[int, str]]]:
    """Return for each module of a folder the places that a person must follow: (line, its text)."""
    trace = _Trace(flows)
    return [sorted(set(trace.found(index))) for index in range(len(flows))]


class _Trace:
    """Traces values back to the logged seed, across the modules of a folder."""

    def __init__(self, flows: Sequence[Flow]):
        self.flows = flows
        self.known: dict[tuple[int, Place], bool] = {}
        self.read = frozenset[str]().union(*(flow.read for flow in flows))
        self.set_elsewhere = frozenset[str]().union(*(flow.set_elsewhere for flow in flows))
        self.calls: dict[tuple[str, int | None], list[tuple[int, Call]]] = defaultdict(list)  # by name and arguments
        self.functions = [{f.scope: f for f in flow.functions} for flow in flows]
        for index, flow in enumerate(flows):
            for name, calls in flow.calls.items():
                for call in calls:
                    self.calls[name, None].append((index, call))
                    count = STARRED if call.starred else len(call.values) + len(call.keywords)
                    self.calls[name, count].append((index, call))
        logged = [(index, place, line) for index, flow in enumerate(flows) for place, line in flow.logged]
        self.root, self.behind = self._root(*logged[0]) if len(logged) == 1 else (None, 0)
        handed = frozenset[str]().union(*(flow.handed for flow in flows))
        self.handed = frozenset() if logged or "seed" in self.set_elsewhere else handed
        self.seeded: set[str] = set()
        self.seeded = {
            seeding.library
            for index, flow in enumerate(flows)
            for seeding in flow.seedings
            if seeding.library and self._traced(index, seeding.value)
        }
        self.known.clear()  # now that the seeded libraries are known, more places may follow from the seed

    def found(self, index: int) -> Iterator[tuple[int, str]]:
        """Yield (line, text) of a module's seedings and draws that do not follow from the logged seed."""
        flow = self.flows[index]
        for seeding in flow.seedings:
            if not self._traced(index, seeding.value):
                yield seeding.line, seeding.text
        for line, text, library in flow.drawn:
            if library not in self.seeded:
                yield line, text

    def _root(self, index: int, place: Place | None, line: int) -> tuple[tuple[int, Place] | None, int]:
        """Return (place whose value is logged as the seed, last line that assigns it), (None, 0) if it is ambiguous."""
        bound = self.flows[index].bound.get(place, ()) if place else ()
        if not 0 < len(bound) <= MOST_BOUND or any(b.often or b.last >= line for b in bound):
            return None, 0
        return ((index, place) if place else None), max(b.last for b in bound)

    def _traced(self, index: int, value: Value | None, depth: int = DEEPEST) -> bool:
        """Return whether a value follows from the logged seed alone."""
        if value is None or not value.of or depth <= 0:
            return False
        return all(self._place(index, place, line, depth) for place, line in value.of) and not any(
            self._depends(index, place) for place in value.beside
        )

    def _place(self, index: int, place: Place, line: int, depth: int) -> bool:
        if place == TORCH:
            return "torch" in self.seeded
        if place[1][1:].endswith(".seed"):  # `run.seed`
            owner = place[0], place[1].removesuffix(".seed")
            return bool(self.handed) and self._place(index, owner, line, depth)
        if (index, place) == self.root:
            return line > self.behind
        if (index, place) not in self.known:
            self.known[index, place] = False  # for now, since names may refer to themselves
            bound = self.flows[index].bound.get(place, ())
            alone = place[1][0] != "." or place[1][1:] not in self.set_elsewhere
            self.known[index, place] = (
                0 < len(bound) <= MOST_BOUND and alone and all(self._given(index, place, b, depth - 1) for b in bound)
            )
        return self.known[index, place]

    def _given(self, index: int, place: Place, bound: Given, depth: int) -> bool:
        """Return whether a name's value follows from the seed in one of its assignments."""
        if not isinstance(bound.value, str):
            return self._traced(index, bound.value, depth)
        function = self.functions[index].get(place[0])
        if function is None or function.strange or function.name in self.read:
            return False
        calls = self._calls(function)
        handed = function.name in self.handed and place[1] == function.parameters[0]
        if not 0 < len(calls) + handed <= MOST_CALLS:
            return False
        given = ((i, *_argument(call, function, place[1])) for i, call in calls)
        return all(known and self._traced(i, value, depth) for i, known, value in given)

    def _calls(self, function: Function) -> list[tuple[int, Call]]:
        """Return (index of the module, call) of the calls by a function's name that may be of this function, by the
        number of arguments; of more than MOST_CALLS, one more."""
        counts = (None,) if function.arity is None else (function.arity, STARRED)
        calls = (call for count in counts for call in self.calls.get((function.name, count), ()))
        return list(islice(calls, MOST_CALLS + 1))

    def _depends(self, index: int, place: Place, depth: int = DEEPEST) -> bool:
        """Return whether a name for a rank or the like may be computed from the seed, by its value or an argument."""
        if depth <= 0:
            return True
        places = range(len(self.flows)) if place[0] == FOREIGN else [index]
        bound = [(i, b) for i in places for b in self.flows[i].bound.get(place, ())]
        return len(bound) > MOST_BOUND or any(self._mentions(i, place, b, depth - 1) for i, b in bound)

    def _mentions(self, index: int, place: Place, bound: Given, depth: int) -> bool:
        function, values = self.functions[index].get(place[0]), list[tuple[int, Value | None]]()
        if not isinstance(bound.value, str):
            values = [(index, bound.value or Value())]
        elif function:
            values = [(i, _argument(call, function, place[1])[1]) for i, call in self._calls(function)]
        return len(values) > MOST_CALLS or any(
            v is None
            or any(self._place(i, p, line, DEEPEST) for p, line in v.of)
            or any(self._depends(i, p, depth // 2) for p in v.beside)
            for i, v in values
        )


def _argument(call: Call, function: Function, name: str) -> tuple[bool, Value | None]:
    """Return (whether the argument of a call for a parameter can be determined, its value)."""
    named = dict(call.keywords).get(name.removeprefix("."), ...)
    at = function.parameters.index(name) if name in function.parameters else -1
    if call.starred or at < 0:
        return False, None
    if named is not ...:
        return True, named
    return (True, call.values[at]) if at < len(call.values) else (False, None)
