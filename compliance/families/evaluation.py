"""EVL: evaluations and convergence, decided from the logged values and never from the status that the log claims."""

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from benchmark.dice_by_sample import dice_sums
from benchmark.log import Event
from benchmark.metric import Counts, dice, mean
from compliance.families.data import split_of
from compliance.families.log import differs
from compliance.finding import Fault, counted, show
from compliance.reading.log import Log
from compliance.reading.series import COUNTS, counts_of, rows_of, sums_of
from compliance.reading.terms import Terms
from compliance.reading.timeline import Timeline, epoch_of, in_range, metadata, seconds_between
from compliance.reading.values import grouped, is_number
from compliance.rule import CONFIRMATION, RUN, rule
from rules.limits import Benchmark

METRICS = {"eval_accuracy", "eval_error"}  # of all rounds; a benchmark may have another
ROUNDINGS = 4  # units in the last place by which a mean may differ, since sums may be added in any order


@rule("EVL01", "log", after=("EVL03",))
def evaluations_log_one_score(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    scored: dict[object, Event] = {}
    many = terms.edition.limits.tolerant  # such rounds may evaluate an epoch several times
    for score in time.scores:
        if not is_number(score.epoch):  # LOG10 says so
            continue
        before = scored.setdefault(score.epoch, score.event)
        if before is not score.event and (not many or before.value == score.event.value):
            found = f"another {terms.metric} of epoch {show(score.epoch)}"
            yield Fault(score.event.line, found, f"only that of line {before.line}")
            if many:
                break
    for event in log.all("eval_start"):
        if is_number(epoch_of(event)) and epoch_of(event) not in scored and not _aborted(time):
            yield Fault(event.line, f"no {terms.metric} of epoch {show(epoch_of(event))}", "one")
            if many:
                break


@rule("EVL02", "log", after=("CLK08", "LOG10"))
def epochs_are_consecutive(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    if terms.benchmark.epoch_num == "samples":
        return
    parts = terms.benchmark.evaluations_per_epoch
    last = None
    for event in log.all("epoch_start"):
        number = epoch_of(event)
        wanted = (0 if last is None else last) + 1 / parts
        counts_from_0 = last is None and parts == 1 and number == 0
        if not counts_from_0 and not _close(number, wanted):
            yield Fault(event.line, f"epoch {show(number)}", f"epoch {wanted:g}")
            if terms.edition.limits.tolerant:
                return
        last = number if is_number(number) else wanted  # LOG10 names what is none, and a waiver may cover that


def _close(number: object, wanted: float) -> bool:
    """Return whether a number of epochs is the wanted one, which is rounded unless it is whole."""
    return number == wanted or (wanted % 1 > 0 and is_number(number) and math.isclose(number, wanted, rel_tol=1e-6))


@rule("EVL03", "log", after=("EVL02",))
def epochs_are_evaluated_once(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    evaluations = grouped(log.all("eval_start"), epoch_of)
    for events in evaluations.values():
        for event in events[1:]:
            found = f"epoch {show(epoch_of(event))} evaluated again"
            yield Fault(event.line, found, f"only the evaluation of line {events[0].line}")
    starts = log.all("epoch_start")
    if time.stop and metadata(time.stop, "status") != "aborted" and not starts and not evaluations:
        yield Fault(time.stop.line, "neither an epoch nor an evaluation", "one evaluation of each epoch")
    for event in starts:
        unfinished = event is starts[-1] and _aborted(time)
        if epoch_of(event) not in evaluations and not unfinished:
            yield Fault(event.line, f"no evaluation of epoch {show(epoch_of(event))}", "one")
    epochs = {epoch_of(e) for e in starts}
    for number, events in evaluations.items():
        if number not in epochs:
            yield Fault(events[0].line, f"an evaluation of epoch {show(number)}", "one of an epoch that was trained")


@rule("EVL04", "log", after=("LOG02",))
def scores_are_numbers(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    for score in time.scores:
        value = score.event.value
        if not in_range(value, terms):
            # A training may diverge for a while, and rounds accepted its NaN. Text and booleans are no scores.
            mild = "warning" if terms.edition.limits.tolerant and type(value) in (int, float) else ""
            yield Fault(score.event.line, f"{terms.metric} {show(value)}", _range(terms.benchmark), severity=mild)


@rule("EVL05", "log", after=("EVL04", "EVL12", "EVL13", "EVL16"))
def scores_follow_from_counts(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    roundings = 0 if terms.benchmark.score == "dice" else ROUNDINGS  # Dice comes from integers by one formula
    for score in time.scores:
        wanted, value = _counted(score.event, terms), score.event.value
        if wanted is not None and not (is_number(value) and abs(wanted - value) <= roundings * math.ulp(wanted)):
            yield Fault(score.event.line, f"{terms.metric} {value!r}", f"{wanted!r}, as its counts give")


@rule("EVL06", "log", after=("CLK03",))
def target_is_met_before_run_stop(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    if time.late and time.stop:
        event, stop = time.late.event, time.stop
        score = f"the {terms.metric} of line {event.line}, which meets the target"
        if event.line > stop.line:
            yield Fault(stop.line, f"run_stop before {score}", "run_stop in a later line")
        else:
            found = f"run_stop {event.time_ms - stop.time_ms} ms earlier than {score}"
            yield Fault(stop.line, found, "a later time, as its line is later")


@rule("EVL07", "log", after=("EVL08",), on=RUN | CONFIRMATION)
def run_reaches_its_target(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    if not time.passing and terms.target is not None:
        numbers = [s.event.value for s in time.inside if is_number(s.event.value)]
        best = (min if terms.benchmark.lower else max)(numbers, default=None)
        sign = "at most" if terms.benchmark.lower else "at least"
        found = f"best {terms.metric} {show(best)}" if numbers else f"no {terms.metric}"
        yield Fault(time.stop.line if time.stop else log.last_line, found, f"{sign} {terms.target:g}")


@rule("EVL08", "log", after=("EVL05",), reads=("epochs",))
def status_agrees_with_scores(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    if time.stop is None:
        return
    status = metadata(time.stop, "status")
    true = ["success" if time.passing else "aborted"] if terms.target is not None else ["success", "aborted"]
    if status not in true:
        missed = "no evaluation meets the target" if time.scores else f"no {terms.metric} is logged"
        met = "an evaluation meets the target" if time.passing else missed
        yield Fault(time.stop.line, f"status {show(status)}, but {met}", " or ".join(true))


@rule("EVL09", "log", after=("EVL01", "EVL05"))
def run_ends_with_the_passing_evaluation(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    if time.passing:
        line = time.passing.event.line
        after = [s for s in time.inside if s.event.line > line and s.epoch != time.passing.epoch]
        if after:
            found = f"{counted(len(after), 'more evaluation')} after the target was met in line {line}"
            yield Fault(after[0].event.line, found, "none")


@rule("EVL10", "log", after=("LOG12",))
def target_is_the_published_one(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    yield from differs(log.first("target"), terms.target)


@rule("EVL11", "log", after=("LOG12",))
def evaluations_cover_the_split(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    if terms.problem is None:
        return
    for event in (*log.all("eval_stop"), *log.all(terms.metric)):
        samples = metadata(event, "samples_count")
        if samples != terms.problem.eval_samples or type(samples) is not int:
            yield Fault(event.line, f"{event.key} over {show(samples)} samples", str(terms.problem.eval_samples))


@rule("EVL12", "log", after=("DATA03",))
def counts_are_possible(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    for score in time.scores if terms.benchmark.score == "dice" else ():
        counts = counts_of(score.event)
        if counts is None:
            found = ", ".join(f"{n} {show(metadata(score.event, n))}" for n in COUNTS)
            yield Fault(score.event.line, found, "three lists of integers of equal length")
        elif sum(counts.predicted) != sum(counts.true):
            found = f"{sum(counts.predicted)} predicted voxels in all, but {sum(counts.true)} true ones"
            yield Fault(score.event.line, found, "the same number of each")
        elif many := _beyond(zip(counts.intersection, counts.predicted, counts.true, strict=True)):
            yield Fault(score.event.line, many, "no more hits than voxels")
        elif (most := most_confused(counts))[0] > (missed := sum(counts.true) - sum(counts.intersection)):
            found = f"{most[0]} voxels taken for class {most[1]} or missed of it, but {missed} missed of all classes"
            yield Fault(score.event.line, found, "at most as many as are missed")


def _beyond(triples: Iterable[Sequence[int]], first: int = 0) -> str:
    """Return in words the first class with more hits than predicted or true voxels, "" if there is none."""
    for index, (hits, *voxels) in enumerate(triples, first):
        if hits > min(voxels):
            return f"class {index}: {hits} hits, {min(voxels)} voxels"
    return ""


def most_confused(counts: Counts) -> tuple[int, int]:
    """Return (voxels, class) of the class with the most voxels that are taken for it or missed of it.

    A voxel that is missed of one class is taken for another. So a class has at most as many as are missed of all.
    """
    triples = zip(counts.predicted, counts.true, counts.intersection, strict=True)
    return max((p + t - 2 * i, index) for index, (p, t, i) in enumerate(triples))


@rule("EVL13", "log", after=("LOG12",), needs=("outputs",))
def sums_are_possible(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    if terms.problem is None or terms.benchmark.score != "mean":
        return
    for score in time.scores:
        sums = sums_of(score.event)
        outputs = terms.problem.outputs
        if sums is None or len(sums) != outputs:
            found = f"sums {show(metadata(score.event, 'sums'))}"
            yield Fault(score.event.line, found, f"a list of {outputs} finite numbers, one an output")
            continue
        low, high = _bounds(terms.benchmark, terms.problem.eval_samples)
        for value in sums:
            if value < low or (high is not None and value > high):
                found = f"a sum of {value!r} over {terms.problem.eval_samples} samples"
                yield Fault(score.event.line, found, f"{low:g} or more" + (f", at most {high:g}" if high else ""))


@rule("EVL14", "log", after=("LOG02",))
def only_the_metric_is_logged(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    for name in sorted({benchmark.metric for benchmark in terms.edition.benchmarks.values()} | METRICS):
        if name != terms.metric:
            for event in log.all(name):
                yield Fault(event.line, f"{name} {show(event.value)}", f"only {terms.metric}")


@rule("EVL16", "log", after=("EVL11", "EVL13"))
def sums_follow_from_samples(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    if terms.problem is None or not terms.benchmark.sample_counts:
        return
    samples, classes = terms.problem.eval_samples, terms.problem.outputs
    proofs = log.all("dataset_fingerprint")
    stated = [metadata(event, "class_counts") for event in proofs if split_of(event) == "validation"]
    first = None
    for score in time.scores:
        line, rows = score.event.line, rows_of(score.event, samples, classes)
        if rows is None:
            form = f"{samples} samples with [hits, predicted, true] voxels of each of {classes} classes"
            yield Fault(line, f"counts {show(metadata(score.event, 'counts'))}", form)
            continue
        if many := next((f"sample {at}, {many}" for at, row in enumerate(rows) if (many := _beyond(row, 1))), ""):
            yield Fault(line, many, "no more hits than voxels")
            continue
        if (wanted := dice_sums(rows)) != sums_of(score.event):
            yield Fault(line, f"sums {show(sums_of(score.event))}", f"{wanted!r}, as the counts of the samples give")
        truth = sorted([true for *_, true in row] for row in rows)
        totals = [sum(column) for column in zip(*truth, strict=True)]
        if stated and type(stated[0]) is list and stated[0][1:] != totals:
            yield Fault(line, f"{totals} true voxels by class", f"{show(stated[0][1:])}, as were read of the split")
        elif truth != (first := first or truth):
            yield Fault(line, "other true voxels of samples than in the first evaluation", "the same in each")


def _counted(event: Event, terms: Terms) -> float | None:
    """Return the score that follows from the counts or sums in an event's metadata, None without any."""
    if terms.benchmark.score == "dice":
        counts = counts_of(event)
        return None if counts is None else dice(counts)
    sums = sums_of(event) if terms.benchmark.score == "mean" else None
    return mean(sums, terms.problem.eval_samples) if sums and terms.problem else None


def _bounds(benchmark: Benchmark, samples: int) -> tuple[float, float | None]:
    """Return the least and the greatest sum of a score over so many samples, None without a greatest."""
    low, high = benchmark.score_min if benchmark.score_above is None else benchmark.score_above, benchmark.score_max
    return low * samples, None if high is None else high * samples


def _aborted(time: Timeline) -> bool:
    return time.stop is not None and not time.passing


def _range(b: Benchmark) -> str:
    low = f"above {b.score_above:g}" if b.score_above is not None else f"from {b.score_min:g}"
    return f"a finite number {low}" + (f" to {b.score_max:g}" if b.score_max is not None else "")


@rule("EVL15", "log", after=("CLK10", "EVL01"))
def scores_follow_their_evaluations(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    starts, stops = log.all("eval_start"), log.all("eval_stop")
    lines, delay = [e.line for e in starts], terms.edition.limits.clock.stop_delay
    ends = {epoch_of(e): e for e in stops}
    for score in time.scores:
        event, at = score.event, bisect_right(lines, score.event.line)
        before = starts[at - 1] if at else None
        if before is None or epoch_of(before) != score.epoch:
            last = f"the eval_start of epoch {show(epoch_of(before))}" if before else "no eval_start"
            found = f"the score of epoch {show(score.epoch)} after {last}"
            yield Fault(event.line, found, f"the eval_start of epoch {show(score.epoch)} before it")
        elif (seconds := seconds_between(ends.get(score.epoch), event)) is not None and seconds > delay:
            yield Fault(event.line, f"a score {seconds:.3f} s after its eval_stop", f"at most {delay:g} s")
