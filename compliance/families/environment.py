"""ENV: the manifests of the environments of runs are those that logs name, are sound, and agree where they must."""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from benchmark.environment.manifest import KEY, OTHER
from benchmark.run.files import environment_path
from benchmark.tree import ENVIRONMENT, SUPERSEDED, TUNING
from compliance.finding import Fault, listed, show, why
from compliance.reading.consistency import at_odds
from compliance.reading.devices import CPU, groups_of, same
from compliance.reading.digest import Named, file_fault, is_sha256, line_endings
from compliance.reading.environment import Environment, content, parse, read_environment
from compliance.reading.files import SubmissionFiles
from compliance.reading.log import Log
from compliance.reading.place import SetPlace
from compliance.reading.run import Run
from compliance.reading.stated import contradictions, differences, unlogged
from compliance.reading.terms import Terms
from compliance.reading.timeline import Timeline
from compliance.reading.tuning import given_names
from compliance.reading.values import Unsound, fields, grouped
from compliance.rule import RUNS, STEPS, hides, rule
from rules.edition import Edition
from rules.limits import Environment as Limits

REVIEW = "review"  # the severity of what a person decides: a fact that one run or node could read and another not, ...
MOST_SHOWN = 10  # entries of a fact that a finding lists
LOADER = "benchmark/environment/loaded.py"  # the file that reads the fact `loaded`
LEADING_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")  # of a number, which packages leave out (PEP 440)
LIBRARIES = {"torch": "torch", "numpy": "numpy", "h5py": "h5py", "mlperf_logging": "mlperf-logging"}


@rule("ENV01", "log", after=("CLK01",), reads=("environment",), on=RUNS | STEPS)
def environment_is_named(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    event = log.first(KEY)
    if event is None:
        return
    if fault := file_fault(event, environment_path(Path(log.path)).name):
        yield Fault(event.line, *fault)
    elif time.start and event.line > time.start.line:
        yield Fault(event.line, f"after run_start of line {time.start.line}", "before it")
    for resumed in log.all("resumed"):
        if type(resumed.value) is dict and not is_sha256(resumed.value.get(KEY)):
            found = f"resumed with {KEY} {show(resumed.value.get(KEY))}"
            yield Fault(resumed.line, found, "the sha256 of the manifest of what it resumed on")


@rule("ENV02", "set", after=("ENV01",), on=RUNS | STEPS)
def environment_is_handed_in(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    limits, having = terms.edition.limits.environment, sum(KEY in run.facts for run in runs)
    required = bool(limits and limits.use == "required")
    if limits and (required or having):
        wanted = "the digest of one" + ("" if required else f", as in {having} of {len(runs)} runs")
        for run in runs:
            if KEY not in run.facts:
                yield Fault(run.start.line if run.start else 1, "no environment manifest", wanted, path=run.path)


@rule("ENV03", "set", after=("ENV01",), on=RUNS | STEPS)
def environment_is_the_logged_one(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    for run, named, path, limits in _files(runs, terms.edition):
        size = f"{named.size} bytes with " if named.size else ""
        wanted = f"{size}the sha256 {named.digest}, as logged in {run.path}"
        try:
            data = content(path, limits.largest)
        except OSError as error:
            yield _fault(run, named, why(error), wanted)
            continue
        if len(data) > limits.largest:
            yield _fault(run, named, f"more than {limits.largest} bytes", f"at most {limits.largest}")
        elif (found := hashlib.sha256(data).hexdigest()) != named.digest or named.size not in (0, len(data)):
            said = f"{len(data)} bytes with the sha256 {found}{line_endings(path)}" if data else "an empty file"
            whose = [other.path for other in runs for one in other.environments if data and one.digest == found]
            yield _fault(run, named, f"the manifest of {whose[0]}" if whose else said, wanted)


@rule("ENV04", "set", after=("ENV03",), on=RUNS | STEPS)
def environment_is_sound(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    for run, named, path, limits in _files(runs, terms.edition):
        try:
            parse(content(path, limits.largest))
        except OSError:
            continue  # ENV03 says so
        except Unsound as error:
            yield _fault(run, named, error.found, error.wanted)


@rule("ENV05", "set", after=("ENV04",), on=RUNS | STEPS)
def runs_have_one_environment(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    limits = terms.edition.limits.environment
    if limits is None:
        return
    # Only digests are kept of each manifest: there may be thousands, of a megabyte each.
    kept = [
        (run, named, {name: _digest(found.node[name]) for name in limits.same})
        for run, named, found, limits in _read(runs, terms.edition)
    ]
    # In a scaling study, the share of a node that a rank has may differ between its points.
    points = grouped(kept, lambda one: json.dumps(one[0].value("number_of_ranks")))
    for name, severity in limits.same.items():
        for alike in points.values() if terms.throughput_only and severity == REVIEW else [kept]:
            yield from _odd_ones(name, severity, alike, limits.largest)


def _odd_ones(name: str, severity: str, kept: list[tuple[Run, Named, dict[str, Any]]], largest: int) -> Iterator[Fault]:
    """Yield a fault for each manifest in which a fact differs from that of most manifests."""
    counts = Counter(digests[name] for *_, digests in kept if digests[name] is not None)
    usual = max(counts, key=counts.__getitem__, default=None)
    other = next((_again(run, named, largest)[name] for run, named, d in kept if usual and d[name] == usual), None)
    for run, named, digests in kept:
        if digests[name] != usual:
            value = _again(run, named, largest)[name]
            found, wanted = apart(value, other)
            wanted += ", as in the set's other runs"
            grade = REVIEW if value is None else severity
            yield _fault(run, named, f"{name} {found}", wanted, grade)


@rule("ENV06", "set", after=("ENV04",), on=RUNS | STEPS)
def nodes_are_alike(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    for run, named, environment, limits in _read(runs, terms.edition):
        first, *others = environment.nodes
        for kind in others:
            hosts = listed([*map(show, kind.hosts)], 1)
            for name, severity in limits.same_nodes.items():
                value, usual = kind.values.get(name, first.values.get(name)), first.values.get(name)
                if name == OTHER and OTHER in kind.values:
                    yield _fault(run, named, f"nodes of other kinds, {hosts}", "one kind", severity)
                elif _text(value) != _text(usual):
                    severity = REVIEW if None in (value, usual) else severity
                    found, wanted = apart(value, usual)
                    wanted += f", as on {show(first.hosts[0])}"
                    yield _fault(run, named, f"{name} {found} on {hosts}", wanted, severity)


@rule("ENV07", "set", after=("ENV04",), reads=("hyperparameters",), on=RUNS | STEPS)
def command_gives_the_settings(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    above = given_names(place.runs, place.ledger)
    for run, named, environment, _ in _read(runs, terms.edition):
        for found, wanted in differences(environment, run, terms.benchmark, above):
            yield _fault(run, named, found, wanted)
        if names := unlogged(environment, run, terms.benchmark, above):
            yield _fault(run, named, f"settings {listed(names, MOST_SHOWN)}", "those that the log states", REVIEW)


LOGGED = ("devices", "number_of_ranks", "number_of_nodes", "versions")


@rule("ENV08", "set", after=("ENV04", "SYS10"), reads=LOGGED, on=RUNS | STEPS)
def environment_is_the_runs(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    for run, named, environment, limits in _read(runs, terms.edition):
        for what, told, logged in _told_twice(run, environment, named is run.environments[0]):
            if None not in (told, logged) and told != logged:
                yield _fault(run, named, f"{what} {show(told)}", f"{show(logged)}, as in {run.path}")
        for found, wanted in at_odds(environment, limits.memory):
            yield _fault(run, named, found, wanted, REVIEW)


def _told_twice(run: Run, environment: Environment, first: bool) -> Iterator[tuple[str, Any, Any]]:
    """Yield (what, by the manifest, by the log) of what both tell, None for what one does not. `first`: whether the
    manifest is of the run's start; a run may be resumed on other hosts."""
    groups, node = groups_of(run.value("devices")) or [], environment.node
    hosts, named = sorted(h for kind in environment.nodes for h in kind.hosts), {group.host for group in groups}
    if groups and first and not (len(set(hosts)) == len(hosts) and same(set(hosts), named)):
        yield "hosts", hosts, sorted(named)
    yield "nodes", len(hosts), run.value("number_of_nodes")
    yield "ranks", (environment.run["launcher"] or {}).get("ranks"), run.value("number_of_ranks")
    models, model = sorted({g.name for g in groups if g.kind == CPU}), (node["processors"] or {}).get("model")
    if models and model is not None:
        yield "processor", [model], models
    yield "python", *fields(node["python"], "version"), *fields(run.value("versions"), "python")
    for name, package in LIBRARIES.items():
        (told,), (logged,) = fields(node["packages"], package), fields(run.value("versions"), name)
        yield name, *_versions(told, logged)


def _versions(told: Any, logged: Any) -> tuple[Any, Any]:
    """Return the versions of a package and of the library in it, which may write one version in two ways: PyTorch of
    PyPI calls itself 2.13.0+cu130 in a package 2.13.0, that of NVIDIA's containers nv24.08 in a package nv24.8."""
    if type(told) is not str or type(logged) is not str:
        return told, logged
    if ("+" in told) != ("+" in logged):
        told, logged = told.partition("+")[0], logged.partition("+")[0]
    return LEADING_ZEROS.sub("", told), LEADING_ZEROS.sub("", logged)


@rule("ENV09", "set", severity="review", after=("ENV04",), on=RUNS | STEPS)
def environment_is_the_descriptions(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    described = place.described
    for _, _, environment, limits in islice(_read(runs, terms.edition), 1) if described else ():
        for name, found in contradictions(environment, described, limits.memory):
            yield place.fault_of(name, show(described[name]), f"{found}, as in the environment manifests")


@rule("ENV11", "set", severity="review", after=("ENV04",), on=RUNS | STEPS)
def environment_is_told(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    known: set[str] = set()  # facts that are told of already, by ENV07 (the command) or ENV05 (those of nodes) as well
    for run, named, environment, limits in _read(runs, terms.edition):
        if untold := [name for name in _untold(run, environment, limits) if name not in known]:
            yield _fault(run, named, f"no value of {', '.join(untold)}", "what every machine tells, or the reason")
        known.update(untold, environment.node, ["command"])
    for run, named, environment, limits in islice(_read(runs, terms.edition), 1):
        kinds = {(kind.values.get("data") or {}).get("type") for kind in environment.nodes}
        if memory := sorted(kind for kind in limits.in_memory if kind in kinds):
            yield _fault(run, named, f"data on {', '.join(memory)}, which is memory", "data on storage")


def _untold(run: Run, environment: Environment, limits: Limits) -> list[str]:
    """Return the facts without a value that every machine tells. A manifest of the first schema does not have `loaded`
    at all, which a run tells if its source has what reads it."""
    values = {**environment.run, **environment.node}
    if LOADER in (run.source or ()):
        values.setdefault("loaded", None)
    return [name for name in limits.told if name in values and values[name] is None]


@rule("ENV12", "set", severity="review", after=("ENV04",), on=RUNS | STEPS)
def code_is_as_it_was_distributed(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    told: set[tuple[str, str]] = set()
    for run, named, environment, limits in _loaded(runs, terms.edition):
        loaded, (preloaded,) = environment.loaded, fields(environment.node["variables"], "LD_PRELOAD")
        early = [f"{name} ({of[:12]})" for name, of in loaded["startup"].items() if of not in limits.startup]
        unusual = {
            "files that differ from their distribution": _shown(loaded["edited"]),
            "files of no distribution": _shown(loaded["unowned"]),
            "editable distributions": ", ".join(loaded["editable"]),
            "code that runs before the program": ", ".join(early),
            "other import finders": ", ".join(sorted({*loaded["finders"]} - {*limits.finders})),
            "LD_PRELOAD": str(preloaded or ""),
        }
        for what, found in unusual.items():
            if found and (what, found) not in told:
                told.add((what, found))
                yield _fault(run, named, f"{what}: {show(found)}", "packages as distributed")


@rule("ENV13", "set", severity="review", after=("ENV04",), on=RUNS, reads=("compiled",))
def kernels_are_compiled_for_the_set(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    every = [(run, named, found.loaded.get("kernels")) for run, named, found, _ in _loaded(runs, terms.edition)]
    made = [(run, named, kernels) for run, named, kernels in every if kernels]
    for run, named, kernels in every:
        if not kernels and run.value("compiled") is True:
            yield _fault(run, named, "no kernels, though the log says that it compiled", "the kernels of the run")
    fresh = {kernels["sha256"] for _, _, kernels in made if not kernels["before"]}
    for run, named, kernels in made:
        if kernels["before"] and not (fresh if place.runs.scaling == "weak" else kernels["sha256"] in fresh):
            found = f"kernels of which {kernels['before']} files were there before the run"
            wanted = "kernels compiled by the run, or those of a run of this set that found none"
            yield _fault(run, named, found, wanted)


@rule("ENV14", "set", after=("ENV04",), on=RUNS | STEPS)
def distributions_have_one_content(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    usual: dict[str, tuple[str, Run]] = {}
    for run, named, environment, _ in _loaded(runs, terms.edition):
        for name, digest in environment.loaded["records"].items():
            before, first = usual.setdefault(name, (digest, run))
            if digest != before:
                wanted = f"{before}, as in {first.path}"
                yield _fault(run, named, f"{show(name)} with the RECORD {digest}", wanted)


@rule("ENV15", "set", severity="review", after=("ENV04",), on=RUNS)
def little_is_spent_before_the_clock(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    for run, named, environment, limits in _loaded(runs, terms.edition):
        for name, limit in limits.spent.items():
            if (spent := environment.loaded["spent"].get(name, 0)) > limit:
                found = f"{spent:.0f} {name.replace('_', ' ')} before the clock started"
                yield _fault(run, named, found, f"at most {limit:.0f}, or the reason")


@rule("ENV16", "submission", severity="review")
def sets_of_a_system_ran_on_one_machine(files: SubmissionFiles) -> Iterator[Fault]:
    runs_of = grouped(files.runs, lambda run: run.set_path)
    first: dict[tuple[str, str], tuple[Any, str]] = {}  # system and fact -> the value and its manifest
    for place in files.submission.sets:
        runs = runs_of.get(place.name, []) if place.scaling != TUNING else []  # TUN09 compares a campaign's
        for run, named, environment, limits in islice(_read(runs, files.edition), 1):
            node = environment.node
            for name in limits.same_sets if len(environment.nodes) == 1 else ():
                usual, where = first.setdefault((place.system, name), (node[name], named.beside(run.path)))
                if None not in (node[name], usual) and _text(node[name]) != _text(usual):
                    found, wanted = apart(node[name], usual)
                    yield _fault(run, named, f"{name} {found}", f"{wanted}, as in {where}")


@rule("ENV10", "submission")
def environments_are_of_runs(files: SubmissionFiles) -> Iterator[Fault]:
    if files.edition.limits.environment is None:
        return
    submission = files.submission
    broken = {environment_path(run.file) for run in files.runs if hides(run.broken, KEY)}  # LOG04 and others tell of it
    known = broken | {environment_path(run.file) for run in files.runs if KEY in run.facts}
    known |= {run.file.with_name(named.file) for run in files.runs for named in run.environments}
    for entry in submission.entries:
        path = submission.path.joinpath(*entry.parts)
        if entry.kind == "file" and entry.parts[0] == "results" and ENVIRONMENT.match(entry.parts[-1]):
            aside = SUPERSEDED in entry.parts  # with its log
            first = path.with_name(f"{'_'.join(path.stem.split('_')[:2])}.json")  # of the same run
            if path not in known and first not in broken and not aside:
                yield submission.fault(entry.parts, entry.parts[-1], "a manifest that a log beside it names")


def _files(runs: list[Run], edition: Edition) -> Iterator[tuple[Run, Named, Path, Limits]]:
    """Yield (run, manifest as logged, its path, the edition's limits) of every manifest that a log names."""
    limits = edition.limits.environment
    for run in runs:
        for named in run.environments:
            if limits:
                yield run, named, run.file.with_name(named.file), limits


def _read(runs: list[Run], edition: Edition) -> Iterator[tuple[Run, Named, Environment, Limits]]:
    """Yield every sound manifest, one at a time."""
    for run, named, path, limits in _files(runs, edition):
        if found := read_environment(path, named.digest, limits.largest):
            yield run, named, found, limits


def _loaded(runs: list[Run], edition: Edition) -> Iterator[tuple[Run, Named, Environment, Limits]]:
    """Yield the sound manifests that tell what their run had loaded."""
    yield from (one for one in _read(runs, edition) if one[2].loaded)


def _shown(files: dict[str, Any]) -> str:
    """Return the number of files and the names of the first; "" if there are none."""
    count, names = fields(files, "files", "names")
    return f"{count}, {', '.join(names[:MOST_SHOWN])}" if count or names else ""


def _digest(value: Any) -> bytes | None:
    """Return a digest of a fact, None for one that could not be read."""
    return None if value is None else hashlib.sha256(_text(value).encode()).digest()


def _again(run: Run, named: Named, largest: int) -> dict[str, Any]:
    """Read the facts of a manifest's first node again; all are None if the file has gone meanwhile."""
    found = read_environment(run.file.with_name(named.file), named.digest, largest)
    return found.node if found else defaultdict(lambda: None)


def _fault(run: Run, named: Named, found: str, wanted: str, severity: str = "") -> Fault:
    """Return a fault of a manifest as a whole."""
    return Fault(1, found, wanted, path=named.beside(run.path), severity=severity)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def apart(value: Any, usual: Any) -> tuple[str, str]:
    """Return two values in words; of two mappings, only the entries in which they differ."""
    if type(value) is not dict or type(usual) is not dict:
        return show(_text(value)), show(_text(usual))
    names = sorted(n for n in value.keys() | usual.keys() if _text(value.get(n)) != _text(usual.get(n)))

    def told(one: dict[str, Any]) -> str:
        return show(listed([f"{n} {_text(one[n]) if n in one else 'missing'}" for n in names], MOST_SHOWN))

    return told(value), told(usual)
