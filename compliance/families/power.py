"""PWR: energy from power meters: power/<result_i>/{node,sw}_*.txt beside the logs (MLPerf's layout), or readings in
the logs themselves."""

from collections import Counter
from collections.abc import Iterator

from compliance.finding import Fault, counted
from compliance.reading.energy import METER, UNSOUND
from compliance.reading.files import SubmissionFiles
from compliance.reading.place import SetPlace
from compliance.reading.power import FOLDER, Instrument, Reach, is_power, reach_of, read_instrument
from compliance.reading.run import Run
from compliance.reading.series import Span
from compliance.reading.terms import Terms
from compliance.reading.tree import Entry
from compliance.reading.values import count_of
from compliance.rule import rule
from rules.energy import Energy

COMPUTES = "the power of a node that computes"


@rule("PWR01", "submission", after=("TREE05",))
def power_is_read(files: SubmissionFiles) -> Iterator[Fault]:
    for entry, instrument in _instruments(files):
        for line, found in instrument.faults:
            yield files.submission.fault(entry.parts, found, "finite, non-negative watts in the order of time", line)
        limits = files.edition.limits.energy
        if limits and not limits.conversion[0] <= instrument.factor <= limits.conversion[1]:
            wanted = f"one of {limits.conversion[0]:g} to {limits.conversion[1]:g}"
            yield files.submission.fault(entry.parts, f"conversion_eff {instrument.factor:g}", wanted)
        if not instrument.readings and not instrument.faults:
            yield files.submission.fault(entry.parts, "no reading", "one or more")
        elif limits and instrument.kind == "node" and not any(watts for _, watts in instrument.readings):
            yield files.submission.fault(entry.parts, "0 W in all readings", COMPUTES)
    for run in files.runs if files.edition.limits.energy else ():
        if run.power and run.joules == 0:
            yield Fault(run.power.line, "0 W in all readings of the log", COMPUTES, path=run.path)


@rule("PWR02", "submission", after=("PWR01",))
def power_covers_the_run(files: SubmissionFiles) -> Iterator[Fault]:
    runs, nodes = {run.path: run for run in files.runs}, Counter[str]()
    for entry, instrument in _instruments(files):
        at = entry.parts.index(FOLDER)
        result = (*entry.parts[:at], f"{entry.parts[at + 1]}.txt")
        run, place = runs.get(files.submission.place(*result)), files.submission.place(*entry.parts)
        if run is None:
            yield Fault(1, f"no {'/'.join(result)}", "the log of the run that was measured", path=place)
        elif instrument.kind == "node" and run.window:
            nodes[run.path] += 1
            yield from _holes(reach_of(instrument.readings, run.window), run.window, place, files.edition.limits.energy)
    for run in files.runs:
        if run.power and run.window:
            nodes[run.path] = 1  # what its log has counts alone
            yield from _holes(run.power, run.window, run.path, files.edition.limits.energy)
        needed = count_of(run.value("number_of_nodes"))
        if needed and 0 < nodes[run.path] < needed:
            found = f"power readings of {counted(nodes[run.path], 'node')}"
            yield Fault(run.line("number_of_nodes"), found, f"{needed}, as number_of_nodes says", path=run.path)


@rule("PWR03", "set", severity="review", after=UNSOUND)
def a_meter_measures_what_counters_count(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    limits = terms.edition.limits.energy
    for run in runs:
        if limits and run.energy and run.energy.tier == METER and run.by_counters and run.coverage:
            least = limits.of_counters * run.by_counters.joules
            if run.energy.joules < least:
                found = f"{run.energy.joules:.6g} J by the meter, {run.by_counters.joules:.6g} J by counters"
                yield Fault(run.coverage.line, found, f"{least:.6g} J or more by the meter", path=run.path)


def _holes(reach: Reach | None, window: Span, place: str, limits: Energy | None) -> Iterator[Fault]:
    """Yield what a node's readings don't tell of the time of a run."""
    if reach is None:
        return
    late, early = (reach.first - window[0]) / 1000, (window[1] - reach.last) / 1000
    seconds = (window[1] - window[0]) / 1000
    if max(late, early) > 0:
        found = f"first reading {late:.3f} s after run_start, last {early:.3f} s before run_stop"
        yield Fault(reach.line, found, "readings from run_start to run_stop", path=place)
    elif limits and reach.gap / 1000 > (most := limits.longest_gap(seconds)):
        found = f"{reach.gap / 1000:.3f} s of the run between two readings"
        yield Fault(reach.line, found, f"at most {most:.3f} s", path=place)


def _instruments(files: SubmissionFiles) -> Iterator[tuple[Entry, Instrument]]:
    """Yield the instruments' logs of a submission."""
    for entry in files.submission.entries:
        if entry.kind == "file" and is_power(entry.parts):
            yield entry, read_instrument(files.submission.path.joinpath(*entry.parts))
