"""DATA: the run read the published data, all of it, and evaluated on the published split."""

from collections.abc import Iterator
from typing import Any

from benchmark.log import Event
from compliance.families.log import differs
from compliance.finding import Fault, show
from compliance.reading.log import Log
from compliance.reading.terms import Terms
from compliance.reading.timeline import Timeline, metadata
from compliance.reading.values import fields, is_number
from compliance.rule import EVERY, rule

SPLITS = ("train", "validation")
SIZES = ("total", "least_by_rank", "most_by_rank")


@rule("DATA01", "log", after=("DATA04", "DATA05"), needs=("fingerprints.train", "fingerprints.validation"))
def fingerprints_are_published(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    published = terms.problem.fingerprints if terms.problem else {}
    for event in log.all("dataset_fingerprint"):
        wanted = published.get(split_of(event))
        if wanted and event.value != wanted:
            yield Fault(event.line, f"fingerprint {show(event.value)} of {split_of(event)}", wanted)


def split_of(event: Event) -> str:
    """Return the split that an event names, "" for none."""
    split = metadata(event, "split")
    return split if type(split) is str else ""


@rule("DATA02", "log", after=("DATA05",), on=EVERY)
def sample_counts_are_published(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    if terms.problem is None:
        return
    sizes = (terms.problem.train_samples, terms.problem.eval_samples)
    for name, number in zip(("train_samples", "eval_samples"), sizes, strict=True):
        event = log.first(name)
        if event and (type(event.value) is not int or event.value != number):
            yield Fault(event.line, f"{name} {show(event.value)}", str(number))
    wanted = dict(zip(SPLITS, sizes, strict=True))
    for event in log.all("dataset_fingerprint"):
        split, samples = split_of(event), metadata(event, "samples_count")
        if split in wanted and samples != wanted[split]:
            yield Fault(event.line, f"fingerprint of {show(samples)} {split} samples", str(wanted[split]))


@rule("DATA03", "log", after=("DATA01",), needs=("class_counts.train", "class_counts.validation"))
def class_counts_are_published(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    published = terms.problem.class_counts if terms.problem else {}
    for event in log.all("dataset_fingerprint"):
        split, counts = split_of(event), metadata(event, "class_counts")
        yield from _compare(event.line, f"{split} class_counts", counts, published.get(split))
    for event in log.all(terms.metric) if terms.benchmark.score == "dice" else ():
        yield from _compare(event.line, "true counts", metadata(event, "true"), published.get("validation"))


@rule("DATA04", "log", after=("LOG12",), on=EVERY, needs=("problem_digest",))
def problem_is_the_published_one(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    yield from differs(log.first("problem_digest"), (terms.problem and terms.problem.problem_digest) or None)


@rule("DATA05", "log", after=("EVL06", "LOG12"), reads=("dataset_fingerprint",))
def fingerprints_are_logged(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    seen: dict[object, int] = {}
    for event in log.all("dataset_fingerprint"):
        split = show(metadata(event, "split"))
        if split not in SPLITS:
            yield Fault(event.line, f"fingerprint of split {split}", "train or validation")
        elif split in seen:
            yield Fault(event.line, f"fingerprint of {split} again", f"only that of line {seen[split]}")
        elif time.start and time.stop and not time.start.line < event.line < time.stop.line:
            yield Fault(event.line, f"fingerprint of {split} outside the run", "between run_start and run_stop")
        seen.setdefault(split, event.line)
    for split in SPLITS:
        if split not in seen and terms.problem and time.scores:  # a run may have aborted before
            yield Fault(1, f"no dataset_fingerprint of {split}", "one")


@rule("DATA06", "log", after=("LOG12",), reads=("epochs",))
def epochs_train_on_the_split(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    if terms.problem is None:
        return
    parts, whole = terms.benchmark.evaluations_per_epoch, terms.problem.train_samples
    stops = log.all("epoch_stop")
    for at in range(0, len(stops), parts):  # the last epoch may end after some of its parts
        epoch = stops[at : at + parts]
        faults = [fault for event in epoch if (fault := _partial(event, parts, whole, log.value("global_batch_size")))]
        yield from faults
        trained = [metadata(event, "samples_count") for event in epoch]
        if len(epoch) == parts and not faults and sum(trained) != whole:
            yield Fault(epoch[-1].line, f"{sum(trained)} samples in all parts of an epoch", str(whole))


def _partial(event: Event, parts: int, whole: int, batch: object) -> Fault | None:
    """Return what is wrong with the samples of one of so many parts of an epoch, None if nothing. Parts are of whole
    batches."""
    samples, room = metadata(event, "samples_count"), batch if parts > 1 and type(batch) is int else 0
    if type(samples) is int and is_number(samples) and abs(samples - whole / parts) <= room:
        return None
    wanted = str(whole) if parts == 1 else f"{whole} in {parts} parts of whole batches"
    return Fault(event.line, f"{show(samples)} samples", wanted)


def _compare(line: int, name: str, found: object, wanted: tuple[int, ...] | None) -> Iterator[Fault]:
    if wanted is None:
        return
    if type(found) is list and len(found) == len(wanted):
        for index, (a, b) in enumerate(zip(found, wanted, strict=True)):
            if a != b:
                yield Fault(line, f"{show(a)} voxels of class {index} in {name}", str(b))
    else:
        yield Fault(line, f"{name} {show(found)}", f"{len(wanted)} classes")


@rule("DATA09", "log", severity="review", after=("DATA05", "DATA04"))
def datasets_are_registered(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    events = log.all("dataset_fingerprint")
    if not events or terms.problem is None or terms.problem.fingerprints:
        return
    found = {split_of(event): event.value for event in events}
    known = terms.problem.datasets
    if found not in known.values():
        names = f"the fingerprints of {' or '.join(known)}" if known else "those of a registered dataset; none is"
        yield Fault(events[0].line, ", ".join(f"{split} {show(value)}" for split, value in found.items()), names)


@rule("DATA07", "log", after=("DATA05",), needs=("bytes.train", "bytes.validation"))
def bytes_read_suffice(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    floors = terms.problem.bytes if terms.problem else {}
    for event in log.all("dataset_fingerprint"):
        read, split = metadata(event, "bytes_read"), split_of(event)
        floor = floors.get(split, 1)
        if fault := by_rank_fault(event.line, "bytes_read", read, log.value("number_of_ranks")):
            yield fault
        elif read["total"] < floor:
            yield Fault(event.line, f"{read['total']} bytes read of {split}", f"{floor} or more")


def by_rank_fault(line: int, name: str, sizes: Any, ranks: Any) -> Fault | None:
    """Return a fault of the total of so many ranks, and the least and the most of one; None if they can have these."""
    total, least, most = found = fields(sizes, *SIZES)
    if not all(type(n) is int and n >= 0 for n in found):
        return Fault(line, f"{name} {show(sizes)}", f"integers {', '.join(SIZES)}")
    if not least <= most <= total or (type(ranks) is int and not least * ranks <= total <= most * ranks):
        return Fault(line, f"{name} {show(sizes)}", f"a total that {show(ranks)} ranks can have")
    return None


@rule("DATA08", "log", after=("CLK10", "DATA05"))
def fingerprints_are_of_the_first_pass(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    parts = terms.benchmark.evaluations_per_epoch  # each logged as an epoch
    stops = {"train": next(iter(log.all("epoch_stop")[parts - 1 :]), None), "validation": log.first("eval_stop")}
    second = next(iter(log.all("epoch_start")[parts:]), None)
    for event in log.all("dataset_fingerprint"):
        split = split_of(event)
        if split not in SPLITS:
            continue  # DATA05 says so
        stop = stops[split]
        if stop is None or event.line < stop.line or (second and event.line > second.line):
            where = f"after line {stop.line}" if stop else "after the first pass"
            wanted = where + (f" and before line {second.line}" if second else "")
            yield Fault(event.line, f"the fingerprint of {split}", wanted)
