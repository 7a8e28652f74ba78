"""LED: the launch ledger of a set, in which each start of a run is recorded before its clock starts."""

from collections import Counter
from collections.abc import Iterator

from benchmark.ledger import End, Entry, Event, Start
from benchmark.run.files import LEDGER
from benchmark.run.ledger import commitment
from compliance.finding import Fault, among, counted, show
from compliance.reading.digest import line_endings, sha256
from compliance.reading.ledger import UNEXPLAINED, SetLedger, begun, start_in
from compliance.reading.place import SetPlace
from compliance.reading.run import Launch, Run
from compliance.reading.terms import Terms
from compliance.rule import hides, rule
from rules.limits import Clock

MOST_ASIDE = 20  # superseded logs of a set that are looked up
STATED = {"source": "source", "config_digest": "config", "problem_digest": "problem"}  # key of a log -> of a start


@rule("LED01", "set", runs="every")
def ledger_is_whole(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    if place.ledger:
        path, ledger = place.ledger.path, place.ledger.ledger
        if ledger.faults and (ends := line_endings(place.runs.path / LEDGER)):
            yield Fault(1, f"a file{ends}", "the file that the runs wrote", path=path)
            return
        for fault in ledger.faults:
            severity = "review" if fault.cut else ""
            says = "A line of the launch ledger was cut off while it was written" if fault.cut else ""
            yield Fault(fault.line, fault.found, fault.wanted, says, path, severity)
        if all(fault.cut for fault in ledger.faults):
            slack = terms.edition.limits.clock.launch_slack
            yield from _order(place.ledger, slack)
            yield from _references(place.ledger)


def _order(launched: SetLedger, slack: float) -> Iterator[Fault]:
    """Yield the first line whose time is before that of an earlier line, with the number of other such lines."""
    late, latest = [], None
    for entry in launched.ledger.entries:
        if latest and latest.time_ms - entry.time_ms > 1000 * slack:
            late.append((entry, latest))
        if latest is None or entry.time_ms > latest.time_ms:
            latest = entry
    if late:
        entry, before = late[0]
        others = f", and {counted(len(late) - 1, 'later line')} earlier than one before" if late[1:] else ""
        found = f"{(before.time_ms - entry.time_ms) / 1000:.3f} s before line {before.number}{others}"
        says = "The clock of the launch ledger went back"
        yield Fault(entry.number, found, f"at most {slack:g} s, for clocks that were set", says, launched.path)


def _references(launched: SetLedger) -> Iterator[Fault]:
    """Yield the lines that refer to no start, or to a wrong one."""
    for entry in launched.ledger.entries:
        if entry.said.refers is None:
            continue
        about = launched.starts.get(entry.said.refers)
        if about is None:
            found = f"a line that refers to line {entry.said.refers}, which is no start"
            yield Fault(entry.number, found, "the line of a start", path=launched.path)
        elif isinstance(entry.said, Start) and about.said.run != entry.said.run:
            found = f"{show(entry.said.run)} goes on from start {about.number}, of {show(about.said.run)}"
            yield Fault(entry.number, found, "a start of its own", path=launched.path)
        elif isinstance(entry.said, End) and entry.number > launched.ends[about.number].number:
            yield Fault(entry.number, f"another end of start {about.number}", "one", path=launched.path)


@rule("LED02", "set")
def set_has_a_ledger(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    if place.ledger is None:
        named = [(run.path, run.launch) for run in runs if run.launch]
        if named:
            path, launch = named[0]
            found = f"start {show(launch.number)} of a ledger that is not here{among(named, runs)}"
            yield Fault(launch.line, found, f"{LEDGER} beside the logs", path=path)
        elif runs and terms.edition.limits.ledger == "required":
            yield Fault(1, "no launch ledger", f"{LEDGER} beside the logs")


@rule("LED03", "set", after=("LED01", "LED02"))
def runs_are_in_the_ledger(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    stated = [run.launch.digest for run in runs if run.launch]
    if place.ledger and len(stated) > 1 and not {entry.line for entry in place.ledger.ledger.entries} & {*stated}:
        says = "The launch ledger is of other runs: it has no start of these"
        yield Fault(1, f"no line that one of {counted(len(stated), 'log')} states", "theirs", says, place.ledger.path)
    elif place.ledger:
        silent = [run for run in runs if run.launch is None and not hides(run.broken, "ledger")]
        if silent:
            found = f"no event ledger{among(silent, runs)}"
            wanted = f"one, before run_start, with the run's start in {place.ledger.path}"
            yield Fault(1, found, wanted, path=silent[0].path)
        for run in runs:
            if run.launch and (fault := _unfounded(run, run.launch, place.ledger)):
                yield fault


def _unfounded(run: Run, launch: Launch, launched: SetLedger) -> Fault | None:
    """Return what is wrong with the starts that a log names, None if nothing. `launch` is the first."""
    entry = launched.starts.get(launch.number or 0)
    if entry and entry.said.run != run.file.name and entry.line == launch.digest:
        says = "The log has the name of another run"
        wanted = f"{entry.said.run}, its name in line {entry.number} of {launched.path}"
        return Fault(launch.line, run.file.name, wanted, says, run.path)
    if entry is None or entry.said.run != run.file.name:
        whose = f"of {show(entry.said.run)}" if entry else "which the ledger does not have"
        found = f"start {show(launch.number)}, {whose}"
        return Fault(launch.line, found, f"a start of {run.file.name} in {launched.path}", path=run.path)
    if entry.line != launch.digest:
        wanted = f"{entry.line}, the sha256 of line {entry.number} of {launched.path}"
        return Fault(launch.line, f"a start whose line is {show(launch.digest)}", wanted, path=run.path)
    if launched.first[entry.number] != entry.number:
        found = f"start {entry.number}, which goes on from start {entry.said.resumes}"
        return Fault(launch.line, found, f"start {launched.first[entry.number]}, the run's first", path=run.path)
    if run.start and launch.line > run.start.line:
        return Fault(launch.line, "an event ledger after run_start", f"before line {run.start.line}", path=run.path)
    left = [start.number for start in launched.families[entry.number][1:]]
    for again in run.resumptions:
        if again.number not in left:
            wanted = f"a start that goes on from start {entry.number} in {launched.path}, a later one each time"
            return Fault(again.line, f"resumed by start {show(again.number)}", wanted, path=run.path)
        left = left[left.index(again.number) + 1 :]
    return None


@rule("LED04", "set", after=("LED03", "RUN04", "RUN08"), reads=tuple(STATED))
def runs_are_as_they_were_started(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    for run in runs:
        for entry in place.ledger.starts_of(run) if place.ledger else ():
            for key, name in STATED.items():
                if run.value(key) != getattr(entry.said, name):
                    wanted = f"{getattr(entry.said, name)}, as in start {entry.number}"
                    yield Fault(run.line(key), f"{key} {show(run.value(key))}", wanted, path=run.path)
            if run.seeds and commitment(run.seeds[0][1]) != entry.said.seed_commitment:
                line, seed = run.seeds[0]
                yield Fault(line, f"seed {seed}", f"the seed that start {entry.number} committed to", path=run.path)


@rule("LED05", "set", after=("LED03",))
def starts_are_when_runs_start(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    slack, launched = terms.edition.limits.clock.launch_slack, place.ledger
    if launched is None:
        return
    for run in runs:
        starts, name = {entry.number: entry for entry in launched.starts_of(run)}, run.file.name
        if starts:
            first = next(iter(starts.values()))
            if run.init and run.init.time_ms is not None:
                early = run.init.time_ms - first.time_ms
                yield from _apart(early, slack, f"before init_start of {name}", first, launched)
            if run.start_ms is not None:
                late = first.time_ms - run.start_ms
                yield from _apart(late, slack, f"after run_start of {name}", first, launched)
        for again in run.resumptions:
            entry = starts.get(again.number or 0)
            if entry and again.time_ms is not None:
                late, what = entry.time_ms - again.time_ms, f"after {name} went on, in line {again.line}"
                yield from _apart(late, slack, what, entry, launched)


def _apart(by_ms: int, slack: float, what: str, entry: Entry[Event], launched: SetLedger) -> Iterator[Fault]:
    """Yield a fault if a line is further from the log's clock than the slack, in seconds."""
    if by_ms > 1000 * slack:
        found = f"{by_ms / 1000:.3f} s {what}"
        yield Fault(entry.number, found, f"at most {slack:g} s", path=launched.path)


@rule("LED06", "set", after=("LED03", "LOG01"))
def logs_are_those_of_the_ends(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    for run in runs:
        if place.ledger and (starts := place.ledger.starts_of(run)):
            yield from _interrupted(run, starts, place.ledger)
            yield from _ended(run, starts[-1], place.ledger, terms.edition.limits.clock)


def _interrupted(run: Run, starts: list[Entry[Start]], launched: SetLedger) -> Iterator[Fault]:
    """Yield the faults of the ends from which a run was resumed. A resumed log begins with the log as it ended before,
    except for a line that a full disk cut off."""
    ends = [end for entry in starts[:-1] if (end := launched.ends.get(entry.number))]
    kept = begun(run, {end.said.log for end in ends})
    for end in ends:
        if end.said.status == "success":
            found = f"start {end.said.of} ended with success, and start {starts[-1].number} goes on from it"
            yield Fault(end.number, found, "no further start after success", path=launched.path)
        elif end.said.log not in kept:
            found, wanted = f"start {end.said.of} ended with another log", f"one with which {run.file.name} begins"
            yield Fault(end.number, found, wanted, path=launched.path, severity="review")


def _ended(run: Run, last: Entry[Start], launched: SetLedger, limits: Clock) -> Iterator[Fault]:
    """Yield the faults of the end of a run whose last start is `last`."""
    end, digest, noted = launched.ends.get(last.number), sha256(run.file), launched.notes.get(last.number)
    if end is None:
        found = "no end of the start on this line" + (f"; a note says: {noted[0].said.text}" if noted else "")
        wanted = f"the end of {run.file.name}, with the sha256 {digest} of the log"
        says, severity = "The launch ledger lacks the end of a run", "review" if noted else ""
        yield Fault(last.number, found, wanted, says, launched.path, severity)
    elif end.said.log != digest:
        found = f"sha256 {digest or 'of no file'}{line_endings(run.file)}"
        wanted = f"{end.said.log}, as in line {end.number} of {launched.path}"
        yield Fault(1, found, wanted, "The log is not as its run wrote it", run.path)
    elif run.stop is not None and end.said.status != run.status:
        found, wanted = f"status {show(run.status)}", f"{end.said.status}, as in line {end.number} of {launched.path}"
        yield Fault(run.stop_line, found, wanted, path=run.path)
    else:
        late = end.time_ms - (run.last_ms or end.time_ms)
        yield from _apart(-late, limits.launch_slack, f"before the last event of {run.file.name}", end, launched)
        if noted and launched.was_noted(end):
            found, wanted = f"start {last.number} with the note: {noted[0].said.text}", "none before the end"
            yield Fault(end.number, found, wanted, path=launched.path, severity="review")
        elif late > 1000 * limits.end_delay:
            found = f"{late / 1000:.3f} s after the last event of {run.file.name}"
            yield Fault(end.number, found, f"at most {limits.end_delay:g} s", path=launched.path, severity="review")


@rule("LED07", "set", runs="every", after=("LED03", "RUN01", "RUN02"))
def starts_are_accounted_for(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    if place.ledger and all(run.launch for run in runs):
        lost = (number for number, fate in place.ledger.others(runs).items() if fate == UNEXPLAINED)
        for number in lost:
            ended = number in place.ledger.ends
            what = "ended with success, and no log here is the one that it wrote" if ended else "has no end"
            found = f"start {number} of {show(place.ledger.starts[number].said.run)} {what}"
            yield Fault(number, found, "its log, or a note that says why it is missing", path=place.ledger.path)


@rule("LED08", "set", severity="review", runs="every", after=("LED03", "RUN01", "RUN02"))
def starts_are_those_of_the_runs(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    if place.ledger and all(run.launch for run in runs):
        fates = {n: fate for n, fate in place.ledger.others(runs).items() if fate != UNEXPLAINED}
        for run in runs:
            unsaid = {e.number for e in place.ledger.starts_of(run)[1:]} - {again.number for again in run.resumptions}
            fates |= dict.fromkeys(unsaid, "resumed without a line in its log")
        if fates:
            counts = ", ".join(f"{count} {fate}" for fate, count in Counter(fates.values()).items())
            found = f"{len(place.ledger.starts)} starts for {len(runs)} runs: {counts}"
            yield Fault(min(fates), found, "no others, or a reason for each", path=place.ledger.path)


@rule("LED10", "set", runs="every", after=("LED01",))
def superseded_logs_are_of_starts(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    noted = place.ledger.notes if place.ledger else {}
    starts = {entry.line: number for number, entry in place.ledger.starts.items()} if place.ledger else {}
    for log in place.runs.superseded[:MOST_ASIDE]:
        digest, ran = start_in(log.file)
        number = starts.get(digest) if digest else None
        if number is None and ran:
            found = f"a log of the start {show(digest)}" if digest else "a log that names no start"
            yield Fault(1, found, f"a log of one of the {counted(len(starts), 'start')} in {LEDGER}", path=log.name)
        elif number is not None and number not in noted:
            yield Fault(1, f"start {number} without a note", "a note that says why it was made again", path=log.name)
    if len(place.runs.superseded) > MOST_ASIDE:
        yield Fault(1, f"{len(place.runs.superseded)} logs in superseded/", f"at most {MOST_ASIDE}")
