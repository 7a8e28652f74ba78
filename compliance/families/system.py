"""SYS: the system description, and the devices that runs name."""

import hashlib
from collections.abc import Callable, Iterator
from statistics import mode
from typing import Any

from benchmark.log import Event
from compliance.families.runs import PLACEHOLDER
from compliance.finding import Fault, show
from compliance.reading.across import Across
from compliance.reading.devices import CPU, devices_of, groups_of, kind_of
from compliance.reading.files import Description, SubmissionFiles
from compliance.reading.log import Log
from compliance.reading.place import SetPlace
from compliance.reading.run import Run
from compliance.reading.terms import Terms
from compliance.reading.timeline import Timeline, epoch_of, metadata, seconds_between
from compliance.reading.tree import place_of
from compliance.reading.tuning import settings_of
from compliance.reading.values import count_of, is_number
from compliance.rule import EVERY, RUNS, STEPS, rule
from rules.names import folded, same_name


@rule("SYS01", "submission")
def systems_are_described(files: SubmissionFiles) -> Iterator[Fault]:
    for system in files.submission.names("results"):
        if system not in (*files.descriptions, *files.edition.limits.scalings):  # TREE01 names logs in no system
            parts = ("systems", f"{system}.json")
            yield files.submission.fault(parts, "no such file", "the description of the system")


@rule("SYS02", "submission")
def descriptions_are_json(files: SubmissionFiles) -> Iterator[Fault]:
    for description in files.descriptions.values():
        if description.problem:
            yield files.submission.fault(description.parts, description.problem, "a JSON object", description.line)
        elif description.twice:  # a person reads the first, a program the last
            found, line = f"the field {show(description.twice)} twice", description.line_of(description.twice)
            mild = "warning" if files.edition.limits.tolerant else ""
            yield files.submission.fault(description.parts, found, "each field once", line, mild)


@rule("SYS03", "submission")
def descriptions_are_complete(files: SubmissionFiles) -> Iterator[Fault]:
    for description in files.descriptions.values():
        for name in files.edition.limits.system_fields:
            if description.data is not None and name not in description.data:
                yield files.submission.fault(description.parts, f"no field {name}", "one")


@rule("SYS04", "submission")
def descriptions_have_their_types(files: SubmissionFiles) -> Iterator[Fault]:
    for description, name, value, kind in _fields(files):
        if type(kind) is str and not FIELD_KINDS[kind][0](value):
            found = f"{name} {show(value)}" if value != "" else f"nothing in {name}"
            line = description.line_of(name)
            yield files.submission.fault(description.parts, found, FIELD_KINDS[kind][1], line)


@rule("SYS05", "submission")
def descriptions_use_known_values(files: SubmissionFiles) -> Iterator[Fault]:
    for description, name, value, kind in _fields(files):
        if type(kind) is list and value not in kind:
            found, line = f"{name} {show(value)}", description.line_of(name)
            yield files.submission.fault(description.parts, found, f"one of {', '.join(kind)}", line)


@rule("SYS06", "submission", severity="warning")
def descriptions_have_results(files: SubmissionFiles) -> Iterator[Fault]:
    systems = files.submission.names("results")
    for name, description in files.descriptions.items() if not files.submission.prepared else ():
        if name not in systems:
            yield files.submission.fault(description.parts, f"no results/{name}", "results of every system described")


def _fields(files: SubmissionFiles) -> Iterator[tuple[Description, str, Any, Any]]:
    """Yield (description, name, value, the kind or the values that the rules ask for) of each field that is there."""
    for description in files.descriptions.values():
        for name, kind in files.edition.limits.system_fields.items():
            if description.data and name in description.data:
                yield description, name, description.data[name], kind


FIELD_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {  # kind -> whether a value is of it, and the kind in words
    "text": (lambda v: type(v) is str and bool(v.strip()), "text"),
    "any text": (lambda v: type(v) is str, "text, which may be empty"),
    "any": (lambda v: True, "anything"),
    "count": (lambda v: count_of(v) is not None, "an integer from 0 on"),
    "positive": (lambda v: bool(count_of(v)), "an integer from 1 on"),
    "count or text": (lambda v: type(v) is str or count_of(v) is not None, "an integer from 0 on, or text"),
}


SHAPE = ("hyperparameters", "number_of_ranks", "number_of_nodes")  # keys that say what computes


@rule(
    "SYS07",
    "log",
    after=("CLK04", "CLK10", "SYS08"),
    reads=("devices", "precision", "accelerators_per_node", *SHAPE),
    on=RUNS | STEPS,
    needs=("flops_per_sample",),
)
def devices_can_compute_so_fast(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    limits, problem = terms.edition.limits.compute, terms.problem
    devices = devices_of(log, limits, terms.cores) if limits else None
    rates = list(_rates(log))
    if limits is None or devices is None or problem is None or not problem.flops_per_sample or not rates:
        return
    rate, event = max(rates, key=lambda r: r[0])
    share = rate * problem.flops_per_sample / devices.peak if devices.peak else 0.0
    if share >= limits.review:
        where = f"{devices.number} of kind {devices.kind} at {devices.precision}"
        found = f"{rate:.4g} samples/s, {rate * problem.flops_per_sample:.3g} FLOP/s on {where}"
        wanted = f"below {limits.review:g} of {devices.peak:.3g} FLOP/s"
        yield Fault(event.line, found, wanted, severity="" if share > 1 else "review")


@rule("SYS08", "log", reads=("accelerators_per_node", *SHAPE), on=EVERY)
def devices_agree(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    device, number = kind_of(log), log.value("accelerators_per_node")
    ranks, nodes = log.value("number_of_ranks"), log.value("number_of_nodes")
    if device is None or not all(type(n) is int for n in (number, ranks, nodes)):
        return  # LOG06 and SYS10 say so
    line = log.line("accelerators_per_node")
    if type(device) is not str:
        yield Fault(log.line("hyperparameters"), f"device {show(device)}", "the name of a kind of device")
    elif device == CPU:
        if number:
            found = f"{number} accelerators a node, and device cpu"
            yield Fault(line, found, "no accelerators, or their kind as device")
    elif ranks > number * nodes:
        found = f"{ranks} ranks with device {show(device)} on {number * nodes} accelerators"
        yield Fault(line, found, "an accelerator for each rank")


@rule("SYS10", "log", after=("SYS08",), reads=("devices", *SHAPE), on=EVERY)
def named_devices_agree(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    event, groups = log.first("devices"), groups_of(log.value("devices"))
    if event is None or type(event.value) is not list:
        return  # LOG06 says so
    if groups is None:
        wanted = "for each host and model: host, kind, name, ranks, uuids"
        yield Fault(event.line, f"devices {show(event.value)}", wanted)
        return
    ranks, nodes, kind = log.value("number_of_ranks"), log.value("number_of_nodes"), settings_of(log).get("device")
    named, hosts = sum(group.ranks for group in groups), len({group.host for group in groups})
    if type(ranks) is int and named != ranks:
        yield Fault(event.line, f"devices of {named} ranks", f"of {ranks}, as number_of_ranks")
    if type(nodes) is int and hosts != nodes:
        yield Fault(event.line, f"devices on {hosts} hosts", f"on {nodes}, as number_of_nodes")
    others = sorted({group.kind for group in groups} - {kind}) if type(kind) is str else []
    if others:
        yield Fault(event.line, f"devices of kind {show(', '.join(others))}", f"{show(kind)}, as in the settings")
    accelerators = [group for group in groups if group.kind != CPU]
    uuids = [uuid for group in accelerators for uuid in group.uuids]
    counted, of = sum(group.distinct for group in accelerators), sum(group.ranks for group in accelerators)
    found = len(set(uuids)) + counted
    if found != of or len(uuids) + counted != of:
        yield Fault(event.line, f"{found} accelerators by their uuids", f"{of}, one for each rank")


@rule("SYS11", "set", after=("SYS10", "RUN07"), reads=("devices",), on=EVERY)
def runs_name_the_same_devices(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    told = [(run, model) for run in runs if (model := _models(run))]
    if told:
        usual = mode(model for _, model in told)
        for run, model in told:
            if model != usual:
                found, wanted = _words(model), f"{_words(usual)}, as in the set's other runs"
                yield Fault(run.line("devices"), found, wanted, path=run.path)


@rule("SYS12", "set", severity="review", after=("SYS11",), on=EVERY)
def named_devices_are_the_descriptions(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    model = next(filter(None, map(_models, runs)), ())
    data = place.described
    for kind, name in model:
        key = "host_processor_model_name" if kind == CPU else "accelerator_model_name"
        if type(data.get(key)) is str and not same_name(data[key], name):
            yield place.fault_of(key, show(data[key]), f"{show(name)}, as the runs name the device")


def _models(run: Run) -> tuple[tuple[str, str], ...]:
    """Return the (kind, model) pairs of devices that a run names."""
    return tuple(sorted({(group.kind, group.name) for group in groups_of(run.value("devices")) or ()}))


def _words(models: tuple[tuple[str, str], ...]) -> str:
    return "devices " + show(", ".join(f"{name} ({kind})" for kind, name in models))


@rule("SYS14", "round", severity="review")
def a_machine_is_one_system(across: Across) -> Iterator[Fault]:
    """Hosts are compared within a submission, since names such as node1 are everywhere, and accelerators in a round."""
    first: dict[object, tuple[str, str]] = {}
    told: set[tuple[str, str]] = set()
    for run in across.runs:
        at = place_of(run.file.parent)
        groups = {group._replace(ranks=0) for group in groups_of(run.value("devices")) or ()}  # however many ranks
        unique = any(group.uuids for group in groups)
        where = at.home.parent if unique else at.home
        mine = (at.home.name, at.system)
        named = hashlib.sha256(repr(sorted(groups)).encode(errors="replace")).digest()  # there may be very many hosts
        other = first.setdefault((where, named), mine) if groups else mine
        if other != mine and mine not in told:
            told.add(mine)
            found = f"{at.system}, on the devices of {'/'.join(other) if other[0] != mine[0] else other[1]}"
            yield Fault(1, found, "one system a machine, or the difference", path=run.path)


def _rates(log: Log) -> Iterator[tuple[float, Event]]:
    """Yield (samples a second, event): of each epoch by the clock, and the total of a throughput-only log."""
    starts = {epoch_of(e): e for e in log.all("epoch_start")}
    for stop in log.all("epoch_stop"):
        seconds, samples = seconds_between(starts.get(epoch_of(stop)), stop), metadata(stop, "samples_count")
        if seconds is not None and is_number(samples):
            yield samples / max(seconds, 1e-3), stop  # stamps are whole milliseconds
    for event in log.all("throughput"):
        rate = event.value.get("throughput") if type(event.value) is dict else None
        if is_number(rate):
            yield float(rate), event


@rule("SYS09", "submission")
def submitter_is_the_folder(files: SubmissionFiles) -> Iterator[Fault]:
    org, logged = files.submission.org, {folded(run.value("submission_org")) for run in files.runs}
    for description in files.descriptions.values():
        submitter = (description.data or {}).get("submitter")
        named = type(submitter) is str and submitter.strip() and PLACEHOLDER not in submitter.upper()
        if named and not same_name(submitter, org):
            if logged == {folded(submitter)}:  # the folder was renamed
                wanted = f"{show(submitter)}, as in {'/'.join(description.parts)} and all logs"
                says = "The submission's folder has another name than its organisation"
                yield Fault(1, show(org), wanted, says, files.submission.name)
            else:
                found, line = f"submitter {show(submitter)}", description.line_of("submitter")
                yield files.submission.fault(description.parts, found, show(org), line)
