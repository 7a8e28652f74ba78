"""A set of runs in words: its figures, each with as many digits as its error needs."""

from collections.abc import Sequence
from statistics import fmean

from compliance.finding import Finding
from compliance.safe import printable
from results.measures.merit import reference_speedup
from results.measures.registry import MEASURES
from results.statistics.expected import reference_epochs
from results.statistics.result import Result, converged_columns
from results.statistics.score import FEWEST, SLOW, slow_runs
from results.statistics.throughput import Throughput
from results.tables import hardware
from results.tables.expected import expected_words
from results.tables.formatting import interval, minutes, show, with_error
from results.tables.record import shown
from rules.current import editions
from rules.edition import load

SLOW_RUNS = (  # docs/measures.md
    "intervals say nothing of slow runs that are rare: if one run in ten took twice as long, that of 5 runs would miss "
    "the mean of all runs in 47 % of sets, and that of 10 in 73 %, since the slowest run is left out"
)
MOST_SLOW = 5  # runs that are named


def title(group: Sequence[str], what: str | None = None) -> str:
    """The title of a group's table; `what` it is about, by default its scaling."""
    edition, benchmark, problem, scaling, division = group
    benchmark = labelled(edition, benchmark)
    what = what or {"strong": "time to train (capability)", "weak": "throughput sets"}.get(scaling, scaling)
    division = f"{division} division" if division else ""
    return printable(" · ".join(part for part in (edition, benchmark, problem, division, what) if part))


def labelled(edition: str, benchmark: str) -> str:
    """A benchmark's name, with what the edition wants every heading of its results to say."""
    known = load(edition).benchmarks.get(benchmark) if edition in editions() else None
    return f"{benchmark} ({known.label})" if known and known.label else benchmark


def goal_words(results: Sequence[Result]) -> str:
    """What runs of a problem must reach, and how many runs a score needs; "" without a target."""
    targets = {(r.runs[0].metric, r.one("target")) for r in results if r.runs and r.one("target") is not None}
    runs = sorted({r.score.required for r in results if not r.weak})
    wanted = f" A figure of merit needs {' or '.join(map(str, runs))} runs." if runs else ""
    goals = " or ".join(f"{metric} {target:g}" for metric, target in sorted(targets))
    return f"Runs end when they reach the target: {goals}.{wanted}" if targets else ""


FIGURES = (  # measures in the part of a set, below its sentences
    *("median_seconds", "epochs", "passes", "epoch_seconds", "first_epoch_seconds", "later_epoch_seconds"),
    *("training_seconds", "evaluation_seconds", "rest_seconds"),
    *("run_samples_per_second", "train_samples_per_second", "train_samples_per_second_per_unit"),
    *("eval_samples_per_second", "unit_hours"),
    *("models_per_hour_per_unit", "pruned", "au", "au_first", "au_later", "au_barrier", "reviewed"),
)


def facts(r: Result) -> list[tuple[str, str]]:
    """(name, value in words) of each known fact about a set: sentences, then measures."""
    t = r.throughput
    size = "" if t is None else show(t.instance) if t.most is None else f"at most {show(t.most)}"
    made = f"{t.models} models in {show(t.seconds)} s, {size} of {show(t.total)} devices each" if t else ""
    machine = printable(hardware.cell(r).words)
    sentences = [
        ("figure of merit", merit_words(r)),
        ("throughput", made),
        ("devices of a model", bounds_words(t) if t else ""),
        ("expected time", expected_words(r)),
        ("spread", spread_words(r)),
        ("slow runs", printable(slow_of(r))),
        ("energy", energy_words(r)),
        ("staging", staging_words(r) if r.rows else ""),
        (hardware.HEAD, "" if machine == "-" else machine),
        ("for information, against the reference at this batch size", epochs_words(r)),
    ]
    measured = [(m.title, shown(m, r)) for m in map(MEASURES.__getitem__, FIGURES) if m.get(r) is not None]
    if r.mean("passes") == r.mean("epochs"):
        measured = [(name, value) for name, value in measured if name != MEASURES["passes"].title]
    return [(name, value) for name, value in (*sentences, *measured) if value]


def staging_words(r: Result) -> str:
    """How long a set's runs staged, and on which side of the clock."""
    on, before = (MEASURES[name] for name in ("staging_seconds", "staged_before_seconds"))
    if on.get(r) is None:
        beside = any(run.value("synchronous_staging") is False for run in r.runs)
        return "beside training, as the logs say, so that its time is in the epochs" if beside else "not logged"
    told = f"{shown(on, r)} s on the clock"
    return told if before.get(r) is None else f"{told}, {shown(before, r)} s before run_start, which no time counts"


def staging_differs(a: Result, b: Result, name: str, other: str) -> str:
    """How two sets stage, in words; "" where both do it on the same side of the clock."""
    ways = {(r.mean("staging_ms") is None, MEASURES["staged_before_seconds"].get(r) is None) for r in (a, b)}
    return f"they stage differently: {name} {staging_words(a)}; {other} {staging_words(b)}" if len(ways) > 1 else ""


def notes(rows: Sequence[Result]) -> list[str]:
    """The notes under a table of sets: on slow runs, if any set has an interval; on staging before the clock starts."""
    before, found = MEASURES["staged_before_seconds"], []
    if any(r.fom is not None and half(r) is not None for r in rows):
        slow = listed("Slow runs", [f"{r.label}: {words}" for r in rows if (words := slow_of(r))])
        slow = slow or f"No run took {SLOW:g} times the median of its set."
        found.append(f"{slow} {SLOW_RUNS[0].upper()}{SLOW_RUNS[1:]}.")
    if staged := [f"{r.label}: {shown(before, r)} s" for r in rows if before.get(r) is not None]:
        found.append(listed("Staged before run_start, which no time counts", staged))
    return found


def listed(what: str, said: Sequence[str]) -> str:
    """The first MOST_SLOW of some sets in a sentence; "" for none."""
    more = f"; and {len(said) - MOST_SLOW} more sets" if len(said) > MOST_SLOW else ""
    return f"{what}: {'; '.join(said[:MOST_SLOW])}{more}." if said else ""


def worth(r: Result) -> str:
    """A set's score in words: "28.9 s", "12 models an hour", "no score"."""
    if r.throughput is not None:
        return f"{show(r.throughput.models_per_hour)} models an hour"
    return "no score" if r.fom is None else f"{figure(r)} s"


def figure(r: Result) -> str:
    """The figure of merit, with as many digits as its interval needs."""
    return shown(MEASURES["fom_seconds"], r)


def half(r: Result) -> float | None:
    """Half the width of the figure of merit's interval; None without interval."""
    return r.score.trimmed.half if r.score.trimmed else None


def ends(r: Result) -> str:
    """The interval of a figure of merit in words."""
    t = r.score.trimmed
    return (interval(t.low, t.high) if t else "") or f"not estimable below {FEWEST} runs"


def merit_words(r: Result) -> str:
    """The figure of merit, its interval, and the runs that it averages; "" without one."""
    t = r.score.trimmed
    if r.fom is None or t is None:
        return ""
    wide = widened(r)
    freedom = "" if t.low is None else f" ({t.degrees} degree{'' if t.degrees == 1 else 's'} of freedom)"
    dropped = "the fastest and the slowest" if t.k == 1 else f"the {t.k} fastest and the {t.k} slowest"
    runs = f"the mean of {t.n - 2 * t.k} runs of {t.n}, without {dropped}"
    return f"{figure(r)} s = {minutes(r.fom)} min, 95 %: {ends(r)}{freedom}{wide and f', {wide}'}; {runs}"


def widened(r: Result) -> str:
    """Why an interval is wider than the runs' spread makes it; "" if it is not."""
    return "widened, since runs end at evaluations only" if r.score.trimmed and r.score.trimmed.widened else ""


def spread_words(r: Result) -> str:
    """The coefficients of variation in words; "" without spread."""
    s = r.spread
    each = s and f"seconds {100 * s.time:.1f} %, epochs {100 * s.epochs:.1f} %"
    return f"coefficient of variation of all {r.score.converged} converged runs: {each}" if each else ""


def energy_words(r: Result) -> str:
    """A set's energy in words: total, interval, power, joules per sample, and how it was measured; "" without any."""
    if r.energy is None:
        return ""
    names = ("joules", "joules_low", "joules_high", "watts")
    joules, low, high, watts = (shown(MEASURES[name], r) for name in names)
    span = "" if low == "-" else f", 95 % {low} to {high}"
    by_sample = (("trained", r.energy.trained), ("evaluated", r.energy.evaluated))
    each = [f"{show(j)} J a sample {what}" for what, j in by_sample if j]
    return "; ".join([f"{joules} kJ{span}", f"mean power {watts} W", *each, r.energy.words])


def bounds_words(t: Throughput) -> str:
    """Why the devices of a model are not known, and what they can be at most; "" if they are known."""
    if t.logged is None:
        return ""
    return (
        f"not known: the logs say {show(t.logged)}, but so many ran at once on {show(t.total)} that "
        f"each had at most {show(t.most)}; a model took at most {show(t.most_unit_hours)} device-hours on average"
    )


def no_score(r: Result) -> list[str]:
    """Why a set has no score, and where it would stand by what its logs say."""
    if r.would_stand is None:
        return [f"no score: {r.why}"]
    place, sets = r.would_stand
    return [
        f"no score: {r.why}",
        f"as logged {with_error(r.score.fom, half(r))} s, which would be place {place} of {sets}",
    ]


def epochs_words(r: Result) -> str:
    """A set's epochs beside the reference's: "15 % fewer epochs"; "" where the edition has none at this batch size."""
    speedup = reference_speedup(r)
    if speedup is None:
        return ""
    own, theirs = (show(fmean(epochs)) for epochs in (converged_columns(r.rows)[1], reference_epochs(r)))
    change = round(100 * (1 / speedup - 1))
    fewer = f"{abs(change)} % {'more' if change > 0 else 'fewer'}" if change else "as many"
    return f"{fewer} epochs: {own} on average of all converged runs, {theirs} of the reference's"


def slow_of(r: Result) -> str:
    """The slow runs of a set, in words: "run 3 took 2.1 times the median"; "" without any."""
    found = [(r.runs[i].number, ratio) for i, ratio in slow_runs(r.seconds)]
    named = ", ".join(f"run {'-' if run is None else run} took {ratio:.1f}" for run, ratio in found[:MOST_SLOW])
    more = f", and {len(found) - MOST_SLOW} more runs are slow" if len(found) > MOST_SLOW else ""
    return f"{named} times the median{more}" if found else ""


def finding_text(f: Finding) -> str:
    """A finding, and, if it is waived, by whom and why."""
    return f.text() + (f" [waived by {printable(f.waived)}]" if f.waived else "")
