"""REG: runs use the seeds that the registry of their round assigns to them."""

from collections import Counter
from collections.abc import Iterable, Iterator
from statistics import mode

from benchmark.tree import THROUGHPUT, WEAK
from compliance.finding import Fault, among, listed, show
from compliance.reading.across import Across
from compliance.reading.files import SubmissionFiles
from compliance.reading.place import SetPlace
from compliance.reading.rounds import RoundRegistry, key_of, names_entry
from compliance.reading.run import Origin, Run
from compliance.reading.terms import Terms
from compliance.reading.tuning import entry_of
from compliance.rule import RUN, rule
from rules.names import folded
from rules.registry import NAME, Entry

MOST_LISTED = 20  # entries that a finding lists
MOST_TRIED = 100  # runs of an entry among whose seeds the found one is searched


@rule("REG01", "round")
def registry_is_whole(across: Across) -> Iterator[Fault]:
    for registry in across.registries:
        if damage := registry.damage:
            yield Fault(damage.line, damage.found, damage.wanted, path=registry.path)


@rule("REG02", "set", on=RUN)
def set_has_an_entry(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    registry, claims = place.registry, _claims(runs)
    if registry and registry.damage:
        says = "Whether a set has an entry in the registry can't be told while the registry is damaged"
        yield Fault(1, f"{registry.path}:{registry.damage.line}", "a registry that is whole", says)
        return
    missing = [(run, origin) for run, origin in claims if not _entry(run, registry)]
    if missing:
        run, named = missing[0]
        found = "a seed from the registry without an entry" if named.entry is None else f"entry {named.entry}"
        yield Fault(named.line, f"{found}{among(missing, runs)}", _choice(registry, terms), path=run.path)
    elif terms.edition.limits.registry == "required" and runs and not claims and not _own(runs[0], place):
        yield Fault(1, "logs that name no entry", _choice(registry, terms))


@rule("REG03", "set", after=("REG02", "RUN02", "RUN09", "RUN12", "SEED04"), on=RUN)
def seeds_are_assigned(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    drawn = [(run, run.origin) for run in runs if run.origin]
    others = [(run, origin) for run, origin in drawn if not names_entry(run) and _own(run, place)]
    if others:
        run, origin = others[0]
        found = f"a seed from {show(origin.source)}{among(others, runs)}"
        entries = ", ".join(str(entry.entry) for entry in _own(run, place))
        yield Fault(origin.line, found, f"those of entry {entries}", path=run.path)
    claims = [(run, origin, entry) for run, origin in drawn if (entry := _entry(run, place.registry))]
    named = folded(place.described.get("submitter"))  # another name than the folder's: SYS09
    strange = [(r, o, e) for r, o, e in claims if e.key not in (_key(r, place), (named, *_key(r, place)[1:]))]
    if strange:
        run, origin, entry = strange[0]
        found = f"entry {entry.entry}, of {entry.title}{among(strange, runs)}"
        wanted = f"one of {place.runs.place.org}, {place.runs.system}, {run.benchmark}, {show(run.problem)}"
        says = "The entry of the registry that the runs name was drawn for something else"
        yield Fault(origin.line, found, wanted, says, run.path)
    last = terms.benchmark.runs if place.runs.scaling != "weak" else None
    for run, _, entry in claims:
        if entry.key == _key(run, place) and run.seeds and run.number is not None:
            yield from _assigned(run, run.number, entry, last)


def _assigned(run: Run, number: int, entry: Entry, runs: int | None) -> Iterator[Fault]:
    """Yield a fault if the seed of run `number` is not the one that the entry assigns. `runs` is the number of runs of
    a set, None if the rules leave it open."""
    line, seed = run.seeds[0]
    if runs is not None and number >= runs:
        yield Fault(line, f"run {number}", f"runs 0 to {runs - 1} of entry {entry.entry}", path=run.path)
    elif seed != (wanted := entry.seed(number)):
        other = next((i for i in range(MOST_TRIED) if entry.seed(i) == seed), None)
        whose = "" if other is None else f", that of run {other}"
        said = f"{wanted}, which entry {entry.entry} of the registry assigns to run {number}"
        yield Fault(line, f"seed {show(seed)}{whose}", said, path=run.path)


@rule("REG04", "set", after=("REG02",))
def set_uses_one_entry(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    claims = _claims(runs)
    usual = mode(origin.entry for _, origin in claims) if claims else None
    for run, origin in claims:
        if origin.entry != usual:
            wanted = f"entry {usual}, as in the set's other runs"
            yield Fault(origin.line, f"entry {origin.entry}", wanted, path=run.path)


@rule("REG05", "set", after=("REG04", "RUN04", "RUN08", "HYP01"), reads=("source", "config_digest"))
def runs_are_as_registered(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    named = [(run, entry) for run in runs if (entry := _entry(run, place.registry))]
    claims = [(run, entry) for run, entry in named if entry.key[1:] == _key(run, place)[1:]]  # REG03 names the others
    for key, name in (("source", "source"), ("config_digest", "config")):  # key of a log, field of an entry
        changed = [(run, entry) for run, entry in claims if run.value(key) != getattr(entry, name)]
        if changed:
            run, entry = changed[0]
            found = f"{key} {show(run.value(key))}{among(changed, runs)}"
            yield Fault(run.line(key), found, f"{getattr(entry, name)}, as in entry {entry.entry}", path=run.path)


@rule("REG06", "set", after=("REG03",))
def entries_are_drawn_before(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    slack = terms.edition.limits.seeds.drawn_slack * 1000
    for run in runs:
        entry = _entry(run, place.registry)
        if entry and run.start_ms is not None and entry.drawn_ms - run.start_ms > slack:
            early = (entry.drawn_ms - run.start_ms) / 1000
            found = f"run_start {early:.3f} s before entry {entry.entry} was drawn, at {entry.drawn}"
            line = run.start.line if run.start else 1
            yield Fault(line, found, f"at most {slack / 1000:g} s before it, as clocks differ", path=run.path)


@rule("REG07", "submission", severity="review", after=("TREE06", "TREE09"))
def entries_are_used(files: SubmissionFiles) -> Iterator[Fault]:
    entries = files.registry.of_organisation(files.submission.org) if files.registry else []
    strong = {runs.name for runs in files.submission.sets if runs.scaling not in (WEAK, THROUGHPUT)}
    scored = strong & _reached(files)
    named = {origin.entry for run, origin in _claims(files.runs) if run.set_path in scored}
    named |= {entry_of(trials) for trials in files.submission.sets if trials.trials}
    idle = [entry for entry in entries if entry.entry not in named]
    if idle:
        told = [f"entry {e.entry} ({e.system}, {e.benchmark}, {e.problem})" for e in idle]
        found = f"{len(idle)} of {len(entries)} entries without a scored set: {listed(told, MOST_LISTED, '; ')}"
        yield Fault(1, found, "one of each, or a reason")


def _reached(files: SubmissionFiles) -> set[str]:
    """Return the paths of the sets of which enough runs reached their target for a score."""
    counts = Counter((run.set_path, run.benchmark) for run in files.runs if run.converged)
    limits = files.edition.benchmarks
    return {path for (path, name), count in counts.items() if count >= limits[name].runs - limits[name].forgiven}


def _claims(runs: Iterable[Run]) -> list[tuple[Run, Origin]]:
    """Return the runs that say that their seed is from the registry, with what they say."""
    return [(run, run.origin) for run in runs if run.origin and names_entry(run)]


def _entry(run: Run, registry: RoundRegistry | None) -> Entry | None:
    """Return the entry that a run names, None if there is no such entry or it names none."""
    return registry.entry(run.origin.entry) if registry and run.origin and names_entry(run) else None


def _key(run: Run, place: SetPlace) -> tuple[str, ...]:
    return key_of(place.runs.place.org, place.runs.system, run.benchmark, run.problem)


def _own(run: Run, place: SetPlace) -> list[Entry]:
    """Return the entries of a run's organisation, system, benchmark and problem."""
    return place.registry.fitting(_key(run, place)) if place.registry else []


def _choice(registry: RoundRegistry | None, terms: Terms) -> str:
    """Return in words the entries among which a set should name one."""
    if registry is None:
        return f"{NAME} in the folder of the round, {terms.edition.name}, with the set's entry"
    return f"one of those in {registry.path}, which has {len(registry.entries)}"
