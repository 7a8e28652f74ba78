"""TUN: the runs that confirm the winner of a campaign of tuning, and settings that runs take from tables."""

from collections import Counter
from collections.abc import Iterator

from benchmark.environment.manifest import KEY
from benchmark.tree import CONFIRMATION
from benchmark.tuning.campaign import same
from benchmark.tuning.folder import Opened
from benchmark.tuning.table import KEY as TABLE
from benchmark.tuning.table import taken
from compliance.checks.environment import apart, manifest_of
from compliance.finding import Fault, show
from compliance.reading.devices import groups_of
from compliance.reading.environment import Environment, read_environment
from compliance.reading.files import SubmissionFiles
from compliance.reading.given import resolves
from compliance.reading.ledger import read_beside
from compliance.reading.log import Log
from compliance.reading.run import Run
from compliance.reading.terms import Terms
from compliance.reading.timeline import Timeline
from compliance.reading.tree import Set
from compliance.reading.tuning import read, settings_of, winner_of, words
from compliance.rule import EVERY, rule
from rules.edition import Edition

MOST_TOLD = 20  # settings that a finding lists


@rule("TUN08", "submission", after=("TREE01",))
def winner_is_confirmed(files: SubmissionFiles) -> Iterator[Fault]:
    """The winner of a campaign is confirmed by runs of its settings, code and system that start after the campaign"""
    for trials, tried, winner, runs, opened in _confirmations(files):
        yield from _confirmed(runs, trials, tried, winner, opened, files)


def _confirmations(files: SubmissionFiles) -> Iterator[tuple[Set, list[Run], Run, list[Run], Opened]]:
    """Yield for each campaign with a winner: its set, its trials, the winner, the confirmation runs, the frozen
    campaign."""
    by_set: dict[str, list[Run]] = {}
    for run in files.runs:
        by_set.setdefault(run.set_path, []).append(run)
    for trials in (s for s in files.submission.sets if s.trials and files.edition.limits.tuning):
        opened = read(trials.path, read_beside(trials.path, trials.name)).opened
        tried = by_set.get(trials.name, [])
        winner = winner_of(tried)
        if opened and winner:
            yield trials, tried, winner, by_set.get(f"{trials.name}/{CONFIRMATION}", []), opened


def _confirmed(
    runs: list[Run], trials: Set, tried: list[Run], winner: Run, opened: Opened, files: SubmissionFiles
) -> Iterator[Fault]:
    """Yield the faults of the confirmation runs of a campaign."""
    numbers, wanted = sorted(run.number or 0 for run in runs), opened.campaign.confirmations
    if numbers != list(range(wanted)):
        found = f"confirmation runs {', '.join(map(str, numbers))}" if numbers else "no confirmation runs"
        yield Fault(1, found, f"runs 0 to {wanted - 1}", path=trials.name)
        return
    over = max((run.stop_ms for run in tried if run.stop_ms is not None), default=None)
    left_out = {"epochs"} if opened.campaign.budget.epochs is not None else set()
    first, limits = settings_of(winner), files.edition.limits
    keys = ("source", "versions", *limits.same_system, *limits.same_problem)
    for run in runs:
        own = settings_of(run)
        names = sorted(k for k in (own.keys() | first.keys()) - left_out if not same(own.get(k), first.get(k)))
        if names:
            names = names[:MOST_TOLD]
            said = f"{words(first, names)}, as in {winner.path}, the winner"
            yield Fault(run.line("hyperparameters"), words(own, names), said, path=run.path)
        for key in keys:
            if run.value(key) != winner.value(key):
                said = f"{show(winner.value(key))}, as in {winner.path}"
                yield Fault(run.line(key), f"{key} {show(run.value(key))}", said, path=run.path)
        if over is not None and run.start_ms is not None and run.start_ms < over:
            found = f"run_start {(over - run.start_ms) / 1000:.3f} s before the last trial stopped"
            yield Fault(run.start.line, found, "a start after the campaign", path=run.path)


@rule("TUN09", "submission", after=("TUN08",))
def confirmation_is_on_the_winners_devices(files: SubmissionFiles) -> Iterator[Fault]:
    """Confirmation runs compute on the devices of the campaign's winner, in its environment"""
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
    for run in runs if limits else ():
        if bool(run.environments) != bool(winner.environments):
            found = "no environment manifest" if winner.environments else "an environment manifest"
            wanted = f"one, as in {winner.path}" if winner.environments else f"none, as in {winner.path}"
            yield Fault(run.line(KEY), found, wanted, path=run.path)
    first = _environment(winner, edition)
    pairs = [(run, one) for run in runs if (one := _environment(run, edition))] if first else []
    for name, severity in limits.same.items() if pairs else ():
        usual = first.node[name]
        others = [(run, one.node[name]) for run, one in pairs if one.node[name] != usual]
        for run, value in others[:1]:
            said, wanted = apart(value, usual)
            more = f" and of {len(others) - 1} more confirmation runs" if others[1:] else ""
            grade = "review" if None in (value, usual) else severity
            place = manifest_of(run, run.environments[0])
            yield Fault(1, f"{name} {said}{more}", f"{wanted}, as in {winner.path}", path=place, severity=grade)


def _environment(run: Run, edition: Edition) -> Environment | None:
    """Return a run's first manifest, None if there is no sound one."""
    limits = edition.limits.environment
    named = run.environments[0] if run.environments and limits else None
    return named and read_environment(run.file.with_name(named.file), named.digest, limits.largest)


@rule("TUN10", "log", reads=("settings_table", "hyperparameters"), on=EVERY)
def settings_are_those_of_the_table(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    """Settings from a table follow from its rows, which are logged with the table's sha256"""
    event, settings = log.first(TABLE), log.value("hyperparameters")
    if event is None or type(settings) is not dict:
        return
    try:
        found = taken(event.value)
    except ValueError as error:
        what, _, wanted = str(error).partition(", wanted ")
        yield Fault(event.line, f"{TABLE}: {what.removeprefix('found ')}", wanted)
        return
    wanted = {name: value for name, value in found.row.given.items() if name not in found.over}
    wrong = [
        name
        for name, value in wanted.items()
        if not resolves(value, name, terms.benchmark) and (name not in settings or not same(settings[name], value))
    ][:MOST_TOLD]
    if wrong:
        yield Fault(log.line("hyperparameters"), words(settings, wrong), f"{words(wanted, wrong)}, as in the table")
