"""TUN: campaigns of tuning: what was frozen and drawn, and how trials were started and ended."""

from collections import Counter
from collections.abc import Iterator
from statistics import mode

from benchmark.ledger import Drawn, Frozen
from benchmark.run.files import LEDGER
from benchmark.tuning.campaign import FILE, same
from benchmark.tuning.ending import first_ending
from benchmark.tuning.folder import OWN, Opened
from compliance.finding import Fault, show
from compliance.reading.devices import groups_of
from compliance.reading.files import number_of
from compliance.reading.place import SetPlace
from compliance.reading.run import Run
from compliance.reading.terms import Terms
from compliance.reading.tuning import asked_late, course_of, entry_of, point_of, read, settings_of, words
from compliance.rule import rule
from rules.registry import NAME as REGISTRY
from rules.tuning import registered_shift, request

MOST_TOLD = 20  # faults of a kind, or numbers of trials, that are reported one by one


@rule("TUN01", "set", runs="every", after=("LED01",))
def campaign_is_frozen(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    """A campaign is frozen: its canonical text, and in the first lines of its ledger its digest and then the shift"""
    if place.runs.trials:
        found = read(place.runs.path, place.ledger)
        if found.fault:
            file, text = found.fault
            what, _, wanted = text.partition(", wanted ")
            at = place.runs.name if file == LEDGER and not place.ledger else f"{place.runs.name}/{file}"
            yield Fault(
                1, what.removeprefix(f"{file}: ").removeprefix("found ").replace(": found ", ": "), wanted, path=at
            )
        elif found.campaign.problem != (other := next((r.problem for r in runs if r.problem), found.campaign.problem)):
            yield Fault(1, f"problem {show(found.campaign.problem)}", show(other), path=f"{place.runs.name}/{FILE}")


def _opened(place: SetPlace) -> Opened | None:
    """Return the campaign of a set of trials. None for any other set, or if TUN01 says what is wrong with it."""
    return read(place.runs.path, place.ledger).opened if place.runs.trials else None


@rule("TUN02", "set", runs="every", after=("TUN01",))
def shift_is_drawn_once(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    """The shift of a campaign is drawn once, by the system's entropy or from its entry in the round's registry"""
    campaign, limits = _opened(place), terms.edition.limits
    if campaign is None:
        return
    again = [e for e in place.ledger.ledger.entries if isinstance(e.said, Frozen | Drawn) and e.number > 2]
    for entry in again[:MOST_TOLD]:
        what = "another shift" if isinstance(entry.said, Drawn) else "another campaign"
        yield Fault(entry.number, what, "one campaign and one shift, in lines 1 and 2", path=place.ledger.path)
    if campaign.source != OWN:
        yield from _registered(runs, place, campaign)
        return
    if limits.registry == "required":
        yield Fault(2, f"a shift from {OWN}", f"one from an entry of {REGISTRY}", path=place.ledger.path)
    distinct = len(set(bytes.fromhex(campaign.shift)))
    if distinct < limits.tuning.distinct_bytes:
        wanted = f"{limits.tuning.distinct_bytes} or more, as those have that were drawn"
        yield Fault(2, f"a shift of {distinct} different bytes", wanted, path=place.ledger.path)


def _registered(runs: list[Run], place: SetPlace, opened: Opened) -> Iterator[Fault]:
    """Yield the faults of a shift that names an entry of the registry."""
    number = entry_of(place.runs)
    entry = place.registry.entry(number) if place.registry else None
    if entry is None:
        yield Fault(
            2, f"entry {number}", f"{REGISTRY} in the folder of the round, with that entry", path=place.ledger.path
        )
        return
    at, campaign = place.runs.place, opened.campaign
    source = next((run.value("source") for run in runs if type(run.value("source")) is str), entry.source)
    try:
        wanted = request(at.org, at.system, at.benchmark, campaign.problem, at.campaign, source, campaign.digest)
    except ValueError as error:
        yield Fault(2, f"a campaign that can't be registered ({error})", "one that is", path=place.ledger.path)
        return
    if wanted.key != entry.key or (wanted.source, wanted.config) != (entry.source, entry.config):
        found = f"entry {number}, of {entry.title}, of other source or another campaign"
        yield Fault(2, found, f"one of {wanted.title}, as it ran", path=place.ledger.path)
    elif opened.shift != registered_shift(entry):
        yield Fault(2, f"shift {opened.shift}", f"{registered_shift(entry)}, of entry {number}", path=place.ledger.path)


@rule("TUN03", "set", runs="every", after=("TUN01",))
def every_trial_is_there(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    """A campaign has a log of every trial, from 0 to N - 1, and no other"""
    if opened := _opened(place):
        trials = opened.campaign.trials
        counts = Counter(run.number for run in runs)
        missing = [i for i in range(trials) if not counts[i]]
        beyond = sorted(i for i in counts if i is None or i >= trials)
        twice = sorted(i for i, n in counts.items() if n > 1 and i not in beyond)
        for what, some in (("no trial", missing), ("the unknown trial", beyond), ("several logs of trial", twice)):
            if some:
                told = ", ".join(map(str, some[:MOST_TOLD])) + (", ..." if len(some) > MOST_TOLD else "")
                yield Fault(1, f"{what} {told}", f"one log each of trials 0 to {trials - 1}")


@rule("TUN04", "set", after=("TUN01",))
def trials_name_their_campaign(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    """A trial logs its index, its campaign's digest and the shift's line, and no other run does"""
    opened = _opened(place)
    for run in runs if opened or not place.runs.trials else ():
        said = run.value("trial")
        wanted = opened and {"index": run.number, "campaign": opened.campaign.digest, "line": opened.line}
        if said != wanted and run.line("trial") not in run.lines:
            yield Fault(run.line("trial"), f"trial {show(said)}", show(wanted) if wanted else "none", path=run.path)


@rule("TUN05", "set", after=("TUN03", "TUN04"))
def trials_are_at_their_points(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    """A trial has the settings of its point, and all trials have the same others"""
    opened = _opened(place)
    if opened is None or not runs:
        return
    space = opened.campaign.space
    rests = [{k: v for k, v in settings_of(run).items() if k not in space} for run in runs]
    texts = [repr(sorted(rest.items())) for rest in rests]
    usual = mode(texts)  # of several, the first
    other = rests[texts.index(usual)]
    for trial, line in list(asked_late(place.ledger.ledger.entries).items())[:MOST_TOLD]:
        wanted = f"it before trial {trial} is started"
        yield Fault(line, f"the point of trial {trial} after its start", wanted, path=place.ledger.path)
    for run, rest, text in zip(runs, rests, texts, strict=True):
        try:
            wanted = {**opened.campaign.fixed, **point_of(opened, run.number)}
        except ValueError as error:
            what, _, wanted_point = str(error).partition(", wanted ")
            yield Fault(1, what.removeprefix("found "), wanted_point, path=run.path)
            continue
        found = settings_of(run)
        wrong = [name for name, value in wanted.items() if name not in found or not same(found[name], value)][
            :MOST_TOLD
        ]
        if wrong:
            yield Fault(run.line("hyperparameters"), words(found, wrong), words(wanted, wrong), path=run.path)
        elif text != usual:
            names = sorted(k for k in rest.keys() | other.keys() if rest.get(k) != other.get(k))[:MOST_TOLD]
            wanted_words = f"{words(other, names)}, as in the other trials"
            yield Fault(run.line("hyperparameters"), words(rest, names), wanted_words, path=run.path)


@rule("TUN06", "set", after=("TUN01",))
def no_more_trials_at_once(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    """No more trials of a campaign run at once than it says, and never on more nodes than the system has"""
    opened = _opened(place)
    if opened is None:
        return
    nodes = number_of(place.described.get("number_of_nodes"))
    most, slack = opened.campaign.parallel, 1000 * terms.edition.limits.clock.overlap
    timed = [(run.window, run) for run in runs if run.window]
    # Windows that overlap by less than the slack don't count: a process may end while the next one starts.
    changes = sorted(
        (
            (at, kind, run)
            for (a, b), run in timed
            if b - a > slack
            for at, kind, run in ((a + slack, 1, run), (b, 0, run))
        ),
        key=lambda c: c[:2],
    )
    used, hosts = 0, Counter[str]()
    for _, begins, run in changes:
        used += 1 if begins else -1
        for host in {group.host for group in groups_of(run.value("devices")) or ()}:
            hosts[host] += 1 if begins else -1
        if used > most:
            yield Fault(run.start.line, f"{used} trials at once with this one", f"at most {most}", path=run.path)
            return
        if nodes is not None and len(+hosts) > nodes:
            found = f"trials on {len(+hosts)} nodes at once with this one"
            yield Fault(run.line("devices"), found, f"at most {nodes:g}, the system's", path=run.path)
            return


@rule("TUN07", "set", after=("TUN03", "TUN04", "TUN05"))
def trials_end_as_the_campaign_says(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    """A trial ends at its target, at its budget, or where the pruning rule ends it, and nowhere else"""
    opened = _opened(place)
    if opened is None:
        return
    campaign = opened.campaign
    courses = {run.path: course_of(run) for run in runs}
    total, most = sum(len(c.evaluations) for c in courses.values()), terms.edition.limits.tuning.operations
    if campaign.pruning and total * len(runs) > most:
        wanted = f"so few that {most} comparisons are enough"
        yield Fault(1, f"{total} evaluations of {len(runs)} trials", wanted, "Could not look at the ends of trials")
        return
    lower = bool(terms.benchmark and terms.benchmark.lower)
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
        at = run.evaluations[min(found[0], len(run.evaluations) - 1)]
        yield Fault(at.line, f"an evaluation after evaluation {found[0]}", f"none: {found[1]}", path=run.path)
    elif not found and not run.converged and (epochs is None or (last or 0) < epochs):
        wanted = "the target, the budget, or the pruning rule; or a reason for the failure"
        yield Fault(run.stop_line, f"the end after epoch {last or 0:g}", wanted, path=run.path, severity="review")
