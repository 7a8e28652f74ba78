"""TUN: campaigns of tuning, their confirmation runs, and settings from a table."""

from collections import Counter
from collections.abc import Iterator
from statistics import mode

from benchmark.environment.manifest import KEY
from benchmark.ledger import Drawn, Frozen
from benchmark.run.files import LEDGER
from benchmark.tree import CONFIRMATION
from benchmark.tuning.campaign import FILE, same
from benchmark.tuning.folder import OWN, Opened
from benchmark.tuning.table import KEY as TABLE
from benchmark.tuning.table import taken
from compliance.families.environment import apart
from compliance.families.throughput import changes, count
from compliance.finding import Fault, listed, show
from compliance.reading.devices import groups_of
from compliance.reading.environment import Environment, read_environment
from compliance.reading.files import SubmissionFiles, number_of
from compliance.reading.ledger import read_beside
from compliance.reading.log import Log
from compliance.reading.place import SetPlace
from compliance.reading.run import Run
from compliance.reading.stated import resolves
from compliance.reading.terms import Terms
from compliance.reading.timeline import Timeline
from compliance.reading.tree import Set
from compliance.reading.tuning import (
    asked_late,
    course_of,
    entry_of,
    first_ending,
    point_of,
    read,
    settings_of,
    winner_of,
    words,
)
from compliance.reading.values import grouped
from compliance.rule import EVERY, rule
from rules.edition import Edition
from rules.limits import Environment as Limits
from rules.registry import NAME as REGISTRY
from rules.tuning import registered_shift, request

MOST_TOLD = 20  # numbers of trials that a finding lists


@rule("TUN01", "set", runs="every", after=("LED01",))
def campaign_is_frozen(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    if place.runs.trials:
        found = read(place.runs.path, place.ledger)
        if found.fault:
            file, text = found.fault
            at = place.runs.name if file == LEDGER and not place.ledger else f"{place.runs.name}/{file}"
            yield Fault(1, *_parted(text.removeprefix(f"{file}: ")), path=at)
        elif found.campaign:
            problem = found.campaign.problem
            if problem != (other := next((run.problem for run in runs if run.problem), problem)):
                yield Fault(1, f"problem {show(problem)}", show(other), path=f"{place.runs.name}/{FILE}")


def _parted(error: object) -> tuple[str, str]:
    """Return (found, wanted) of an error in the words "found ..., wanted ..."."""
    found, _, wanted = str(error).partition(", wanted ")
    return found.removeprefix("found ").replace(": found ", ": "), wanted


def _opened(place: SetPlace) -> Opened | None:
    """Return the campaign of a set of trials. None for any other set, or if TUN01 says what is wrong with it."""
    return read(place.runs.path, place.ledger).opened if place.runs.trials else None


@rule("TUN02", "set", runs="every", after=("TUN01",))
def shift_is_drawn_once(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    campaign, limits = _opened(place), terms.edition.limits
    if campaign is None or place.ledger is None or limits.tuning is None:
        return
    for entry in place.ledger.ledger.entries:
        if isinstance(entry.said, Frozen | Drawn) and entry.number > 2:
            what = "another shift" if isinstance(entry.said, Drawn) else "another campaign"
            yield Fault(entry.number, what, "one campaign and one shift, in lines 1 and 2", path=place.ledger.path)
    if campaign.source != OWN:
        yield from _registered(runs, place, campaign, place.ledger.path)
        return
    if limits.registry == "required":
        yield Fault(2, f"a shift from {OWN}", f"one from an entry of {REGISTRY}", path=place.ledger.path)
    distinct = len(set(bytes.fromhex(campaign.shift)))
    if distinct < limits.tuning.distinct_bytes:
        wanted = f"{limits.tuning.distinct_bytes} or more, as those have that were drawn"
        yield Fault(2, f"a shift of {distinct} different bytes", wanted, path=place.ledger.path)


def _registered(runs: list[Run], place: SetPlace, opened: Opened, path: str) -> Iterator[Fault]:
    """Yield the faults of a shift, in the ledger at `path`, that names an entry of the registry."""
    number = entry_of(place.runs)
    entry = place.registry.entry(number) if place.registry else None
    if entry is None:
        yield Fault(2, f"entry {number}", f"{REGISTRY} in the folder of the round, with that entry", path=path)
        return
    at, campaign = place.runs.place, opened.campaign
    source = next((run.value("source") for run in runs if type(run.value("source")) is str), entry.source)
    try:
        wanted = request(at.org, at.system, at.benchmark, campaign.problem, at.campaign, source, campaign.digest)
    except ValueError as error:
        yield Fault(2, f"a campaign that can't be registered ({error})", "one that is", path=path)
        return
    if wanted.key != entry.key or (wanted.source, wanted.config) != (entry.source, entry.config):
        found = f"entry {number}, of {entry.title}, of other source or another campaign"
        yield Fault(2, found, f"one of {wanted.title}, as it ran", path=path)
    elif opened.shift != registered_shift(entry):
        yield Fault(2, f"shift {opened.shift}", f"{registered_shift(entry)}, of entry {number}", path=path)


@rule("TUN03", "set", runs="every", after=("TUN01",))
def every_trial_is_there(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    if opened := _opened(place):
        trials = opened.campaign.trials
        counts = Counter(run.number for run in runs)
        missing: list[int | None] = [i for i in range(trials) if not counts[i]]
        beyond = sorted((i for i in counts if i is None or i >= trials), key=lambda i: i or 0)
        twice: list[int | None] = [i for i in range(trials) if counts[i] > 1]
        for what, some in (("no trial", missing), ("the unknown trial", beyond), ("several logs of trial", twice)):
            if some:
                told = listed([*map(str, some)], MOST_TOLD)
                yield Fault(1, f"{what} {told}", f"one log each of trials 0 to {trials - 1}")


@rule("TUN04", "set", after=("TUN01",))
def trials_name_their_campaign(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    opened = _opened(place)
    for run in runs if opened or not place.runs.trials else ():
        said = run.value("trial")
        wanted = opened and {"index": run.number, "campaign": opened.campaign.digest, "line": opened.line}
        if said != wanted and run.line("trial") not in run.lines:
            yield Fault(run.line("trial"), f"trial {show(said)}", show(wanted) if wanted else "none", path=run.path)


@rule("TUN05", "set", after=("TUN03", "TUN04"))
def trials_are_at_their_points(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    opened = _opened(place)
    if opened is None or place.ledger is None or not runs:
        return
    space = opened.campaign.space
    rests = [{k: v for k, v in settings_of(run).items() if k not in space} for run in runs]
    texts = [repr(sorted(rest.items())) for rest in rests]
    usual = mode(texts)  # of several, the first
    other = rests[texts.index(usual)]
    for trial, line in asked_late(place.ledger.ledger.entries).items():
        early = f"it before trial {trial} is started"
        yield Fault(line, f"the point of trial {trial} after its start", early, path=place.ledger.path)
    for run, rest, text in zip(runs, rests, texts, strict=True):
        try:
            wanted = {**opened.campaign.fixed, **point_of(opened, run.number or 0)}
        except ValueError as error:
            yield Fault(1, *_parted(error), path=run.path)
            continue
        found = settings_of(run)
        if wrong := [name for name, value in wanted.items() if name not in found or not same(found[name], value)]:
            yield Fault(run.line("hyperparameters"), words(found, wrong), words(wanted, wrong), path=run.path)
        elif text != usual:
            names = sorted(k for k in rest.keys() | other.keys() if rest.get(k) != other.get(k))
            wanted_words = f"{words(other, names)}, as in the other trials"
            yield Fault(run.line("hyperparameters"), words(rest, names), wanted_words, path=run.path)


@rule("TUN06", "set", after=("TUN01",))
def no_more_trials_at_once(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    opened = _opened(place)
    if opened is None:
        return
    nodes = number_of(place.described.get("number_of_nodes"))
    most, slack = opened.campaign.parallel, 1000 * terms.edition.limits.clock.overlap
    # Windows that overlap by less than the slack don't count: a process may end while the next one starts.
    timed = [((run.window[0] + slack, run.window[1]), run) for run in runs if run.window]
    used, hosts = 0, Counter[str]()
    for _, sign, run in changes([(window, run) for window, run in timed if window[0] < window[1]]):
        used += sign
        for host in {group.host for group in groups_of(run.value("devices")) or ()}:
            count(hosts, host, sign)
        if used > most:
            line = run.start.line if run.start else 1
            yield Fault(line, f"{used} trials at once with this one", f"at most {most}", path=run.path)
            return
        if nodes is not None and len(hosts) > nodes:
            found = f"trials on {len(hosts)} nodes at once with this one"
            yield Fault(run.line("devices"), found, f"at most {nodes:g}, the system's", path=run.path)
            return


@rule("TUN07", "set", after=("TUN03", "TUN04", "TUN05"))
def trials_end_as_the_campaign_says(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    opened, limits = _opened(place), terms.edition.limits.tuning
    if opened is None or limits is None:
        return
    campaign = opened.campaign
    courses = {run.path: course_of(run) for run in runs}
    total, most = sum(len(c.evaluations) for c in courses.values()), limits.operations
    if campaign.pruning and total * len(runs) > most:
        wanted = f"so few that {most} comparisons are enough"
        yield Fault(1, f"{total} evaluations of {len(runs)} trials", wanted, "Could not look at the ends of trials")
        return
    lower = terms.benchmark.lower
    for run in runs:
        others = [course for path, course in courses.items() if path != run.path] if campaign.pruning else []
        before = run.passing.time_ms if run.passing else None
        course = courses[run.path]
        own = tuple(e for e in course.evaluations if before is None or e[1] < before)
        found = first_ending(campaign, type(course)(course.start, course.stop, own), others, lower)
        yield from _ended(run, campaign.budget.epochs, found, len(own))


def _ended(run: Run, epochs: int | None, found: tuple[int, str] | None, evaluations: int) -> Iterator[Fault]:
    """Yield a fault if a trial did not end where it should. `found`: (number of evaluations after which it had to end,
    the reason)."""
    last = run.evaluations[-1].epoch if len(run.evaluations) else 0
    if epochs is not None and last is not None and last > epochs:
        yield Fault(run.evaluations[-1].line, f"epoch {last:g}", f"at most {epochs}, the budget", path=run.path)
    elif found and (evaluations > found[0] or run.converged):
        at = run.evaluations[found[0]]
        yield Fault(at.line, f"an evaluation after evaluation {found[0]}", f"none: {found[1]}", path=run.path)
    elif not found and not run.converged and (epochs is None or (last or 0) < epochs):
        wanted = "the target, the budget, or the pruning rule; or a reason for the failure"
        yield Fault(run.stop_line, f"the end after epoch {last or 0:g}", wanted, path=run.path, severity="review")


@rule("TUN08", "submission", after=("TREE01",))
def winner_is_confirmed(files: SubmissionFiles) -> Iterator[Fault]:
    limits = files.edition.limits
    keys = ("source", "versions", *limits.same_system, *limits.same_problem)
    for trials, tried, winner, runs, opened in _confirmations(files):
        numbers, wanted = sorted(run.number or 0 for run in runs), opened.campaign.confirmations
        if numbers != list(range(wanted)):
            found = f"confirmation runs {', '.join(map(str, numbers))}" if numbers else "no confirmation runs"
            yield Fault(1, found, f"runs 0 to {wanted - 1}", path=trials.name)
            continue
        over = max((run.stop_ms for run in tried if run.stop_ms is not None), default=None)
        left_out = {"epochs"} if opened.campaign.budget.epochs is not None else set()
        first = settings_of(winner)
        for run in runs:
            own = settings_of(run)
            names = sorted(k for k in (own.keys() | first.keys()) - left_out if not same(own.get(k), first.get(k)))
            if names:
                said = f"{words(first, names)}, as in {winner.path}, the winner"
                yield Fault(run.line("hyperparameters"), words(own, names), said, path=run.path)
            for key in keys:
                if run.value(key) != winner.value(key):
                    said = f"{show(winner.value(key))}, as in {winner.path}"
                    yield Fault(run.line(key), f"{key} {show(run.value(key))}", said, path=run.path)
            if over is not None and run.start_ms is not None and run.start_ms < over:
                found = f"run_start {(over - run.start_ms) / 1000:.3f} s before the last trial stopped"
                yield Fault(run.start.line if run.start else 1, found, "a start after the campaign", path=run.path)


def _confirmations(files: SubmissionFiles) -> Iterator[tuple[Set, list[Run], Run, list[Run], Opened]]:
    """Yield for each campaign with a winner: its set, its trials, the winner, the confirmation runs, the frozen
    campaign."""
    by_set = grouped(files.runs, lambda run: run.set_path)
    for trials in (s for s in files.submission.sets if s.trials and files.edition.limits.tuning):
        opened = read(trials.path, read_beside(trials.path, trials.name)).opened
        tried = by_set.get(trials.name, [])
        winner = winner_of(tried)
        if opened and winner:
            yield trials, tried, winner, by_set.get(f"{trials.name}/{CONFIRMATION}", []), opened


@rule("TUN09", "submission", after=("TUN08",))
def confirmation_is_on_the_winners_devices(files: SubmissionFiles) -> Iterator[Fault]:
    for _, _, winner, runs, _ in _confirmations(files):
        first = _devices(winner)
        for run in runs:
            if _devices(run) != first:
                wanted = f"{_told(first)}, as in {winner.path}"
                yield Fault(run.line("devices"), f"devices {_told(_devices(run))}", wanted, path=run.path)
        yield from _environments(winner, runs, files.edition)


def _devices(run: Run) -> Counter[tuple[str, str]]:
    """Return the number of ranks by kind and model of device, on whatever hosts."""
    found = Counter[tuple[str, str]]()
    for group in groups_of(run.value("devices")) or ():
        found[group.kind, group.name] += group.ranks
    return found


def _told(devices: Counter[tuple[str, str]]) -> str:
    return show(", ".join(f"{ranks} of {name} ({kind})" for (kind, name), ranks in sorted(devices.items())) or "none")


def _environments(winner: Run, runs: list[Run], edition: Edition) -> Iterator[Fault]:
    """Yield the facts in which the environments of the confirmation runs differ from the winner's, each for the first
    run that differs."""
    limits = edition.limits.environment
    if limits is None:
        return
    for run in runs:
        if bool(run.environments) != bool(winner.environments):
            found, wanted = ("no", "one") if winner.environments else ("an", "none")
            yield Fault(run.line(KEY), f"{found} environment manifest", f"{wanted}, as in {winner.path}", path=run.path)
    first = _environment(winner, limits)
    if first is None:
        return
    pairs = [(run, one) for run in runs if (one := _environment(run, limits))]
    for name, severity in limits.same.items():
        usual = first.node[name]
        others = [(run, one.node[name]) for run, one in pairs if one.node[name] != usual]
        if others:
            run, value = others[0]
            said, wanted = apart(value, usual)
            more = f" and of {len(others) - 1} more confirmation runs" if others[1:] else ""
            grade = "review" if None in (value, usual) else severity
            place = run.environments[0].beside(run.path)
            yield Fault(1, f"{name} {said}{more}", f"{wanted}, as in {winner.path}", path=place, severity=grade)


def _environment(run: Run, limits: Limits) -> Environment | None:
    """Return a run's first manifest, None if there is no sound one."""
    if not run.environments:
        return None
    named = run.environments[0]
    return read_environment(run.file.with_name(named.file), named.digest, limits.largest)


@rule("TUN10", "log", reads=("settings_table", "hyperparameters"), on=EVERY)
def settings_are_those_of_the_table(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    event, settings = log.first(TABLE), log.value("hyperparameters")
    if event is None or type(settings) is not dict:
        return
    try:
        found = taken(event.value)
    except ValueError as error:
        what, form = _parted(error)
        yield Fault(event.line, f"{TABLE}: {what}", form)
        return
    given = {n: v for n, v in found.row.given.items() if n not in found.over and not resolves(v, n, terms.benchmark)}
    if wrong := [name for name, value in given.items() if name not in settings or not same(settings[name], value)]:
        yield Fault(log.line("hyperparameters"), words(settings, wrong), f"{words(given, wrong)}, as in the table")
