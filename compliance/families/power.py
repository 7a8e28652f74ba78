"""PWR: energy from power meters: power/<result_i>/{node,sw}_*.txt beside the logs (MLPerf's layout)."""

from collections.abc import Iterator

from compliance.finding import Fault
from compliance.reading.files import SubmissionFiles
from compliance.reading.power import FOLDER, Instrument, is_power, read_instrument
from compliance.reading.tree import Entry
from compliance.rule import rule


@rule("PWR01", "submission", after=("TREE05",))
def power_is_read(files: SubmissionFiles) -> Iterator[Fault]:
    for entry, instrument in _instruments(files):
        place = files.submission.place(*entry.parts)
        for line, found in instrument.faults:
            yield Fault(line, found, "finite, non-negative watts in the order of time", path=place)
        limits = files.edition.limits.energy
        if limits and not limits.conversion[0] <= instrument.factor <= limits.conversion[1]:
            wanted = f"one of {limits.conversion[0]:g} to {limits.conversion[1]:g}"
            yield Fault(1, f"conversion_eff {instrument.factor:g}", wanted, path=place)
        if not instrument.readings and not instrument.faults:
            yield Fault(1, "no reading", "one or more", path=place)


@rule("PWR02", "submission", after=("PWR01",))
def power_covers_the_run(files: SubmissionFiles) -> Iterator[Fault]:
    runs = {run.path: run for run in files.runs}
    for entry, instrument in _instruments(files):
        at = entry.parts.index(FOLDER)
        result = (*entry.parts[:at], f"{entry.parts[at + 1]}.txt")
        run, place = runs.get(files.submission.place(*result)), files.submission.place(*entry.parts)
        if run is None:
            yield Fault(1, f"no {'/'.join(result)}", "the log of the run that was measured", path=place)
            continue
        start, stop = run.start_ms, run.stop_ms
        if instrument.kind == "node" and instrument.readings and start is not None and stop is not None:
            first, last = instrument.readings[0][0], instrument.readings[-1][0]
            late, early = (first - start) / 1000, (stop - last) / 1000
            if max(late, early) > 0:
                found = f"first reading {late:.3f} s after run_start, last {early:.3f} s before run_stop"
                yield Fault(1, found, "readings from run_start to run_stop", path=place)


def _instruments(files: SubmissionFiles) -> Iterator[tuple[Entry, Instrument]]:
    """Yield the instruments' logs of a submission."""
    for entry in files.submission.entries:
        if entry.kind == "file" and is_power(entry.parts):
            yield entry, read_instrument(files.submission.path.joinpath(*entry.parts))
