"""Attacks on the clock, and runs beside one another."""

from tests.compliance.attacks.submission import DAY, each, one
from tests.compliance.logs import Log, event_like


def scaled(run, factor, figures=False):
    """The run's time times `factor`, with or without what the program measured itself."""
    start = run.one("run_start")
    for event in run.events[run.at(start) :]:
        event["time_ms"] = round(start["time_ms"] + (event["time_ms"] - start["time_ms"]) * factor)
    for event in run.all("tracked_stats") if figures else ():
        told(event, factor)


def told(stats, factor):
    """The figures of an epoch that took `factor` of its time."""
    value = stats["value"]
    value["throughput"] /= factor
    value["wait_seconds"] *= factor
    value["compute_seconds"] *= factor
    value["wait_by_rank"] = {name: seconds * factor for name, seconds in value["wait_by_rank"].items()}
    value["step_compute_seconds"] = [seconds * factor for seconds in value["step_compute_seconds"]]


def quick_epoch(run, epoch, factor, figures=True):
    """One epoch, of 0, 1, ..., in `factor` of its time."""
    start, stats, stop = (run.one(k, epoch) for k in ("epoch_start", "tracked_stats", "epoch_stop"))
    run.shift((stop["time_ms"] - start["time_ms"]) * (factor - 1), stats)
    if figures:
        told(stats, factor)


def quick_epochs(run, factor, figures=True):
    for epoch in range(run.epochs):
        quick_epoch(run, epoch, factor, figures)


def quick_evaluations(run, share, *which):
    """Evaluations (all, if none is named) in a share of their time."""
    for epoch in which or range(run.epochs):
        start, stop = run.one("eval_start", epoch), run.one("eval_stop", epoch)
        run.shift((start["time_ms"] - stop["time_ms"]) * (1 - share), stop)


def figures(run, name, factor):
    for event in run.all("tracked_stats"):
        event["value"][name] *= factor


def moved(run, key, before, nth=0, to=0):
    """The nth event of a key goes before another one, at the time of which it is."""
    run.move(run.one(key, nth), run.one(before, to))


def delayed(run, by, key, nth=0):
    """All times from the nth event of a key on, so many milliseconds later."""
    run.shift(by, run.one(key, nth))


def late_start(run):
    """Initialisation ends, and the clock starts, in the first epoch, shortly before its stop."""
    for key in ("init_stop", "run_start"):
        moved(run, key, "tracked_stats")


def early_line(run):
    run.one("run_stop")["time_ms"] = run.one("eval_start", 2)["time_ms"]


def small_steps_back(run):
    """The clock is set back at each start of an epoch or an evaluation, by as much as is allowed once."""
    for epoch in range(run.epochs):
        delayed(run, -100, "epoch_start", epoch)
        delayed(run, -100, "eval_start", epoch)


def hidden_step_back(run):
    """Many events that are a millisecond early, so that nobody looks at the seconds that follow."""
    for number in range(300):
        stop = run.one("init_stop")
        run.insert(stop, {**event_like(stop, "note", number), "time_ms": stop["time_ms"] - number % 2})
    delayed(run, -1000, "epoch_start", 2)


def thresholds(run):
    """Work as initialisation of a minute, a short first epoch, short evaluations: each as the limits allow."""
    start, stop = run.one("init_start"), run.one("init_stop")
    run.shift(59_000 - (stop["time_ms"] - start["time_ms"]), stop)
    quick_epoch(run, 0, 0.4)
    quick_evaluations(run, 0.4)


def at_once(submission, share):
    """All runs begin within a share of the first one's time."""
    first = submission.logs[0]
    start = first.one("run_start")["time_ms"]
    step = (first.one("run_stop")["time_ms"] - start) * share
    for number, run in enumerate(submission.logs):
        run.shift(start + step * number - run.one("run_start")["time_ms"])


def two_rows(submission):
    first, second = submission.logs[:5], submission.logs[5:]
    for a, b in zip(first, second, strict=True):
        b.shift(a.one("run_start")["time_ms"] - b.one("run_start")["time_ms"])


CLOCK = [
    ("the times of all runs halved", each(scaled, 0.5), "CLK20"),
    ("times a quarter shorter", each(scaled, 0.75), "CLK20"),
    ("times and figures halved", each(scaled, 0.5, True), ""),
    ("times and figures 300 times shorter", each(scaled, 0.003, True), "CLK13 SYS07"),
    ("figures halved, times kept", each(figures, "throughput", 2), "CLK20"),
    ("half of the computing kept quiet", each(figures, "compute_seconds", 0.5), "CLK20"),
    ("epochs of no time", each(quick_epochs, 1e-3, False), "CLK20 SYS07"),
    ("epochs 100 times shorter", each(quick_epochs, 0.01), "SYS07"),
    ("the first epoch ten times shorter", each(quick_epoch, 0, 0.1), "CLK17"),
    ("a later epoch ten times shorter", each(quick_epoch, 2, 0.1), ""),
    ("one evaluation in no time", one(quick_evaluations, 0, 1), "CLK16"),
    ("run_start behind the second epoch", each(moved, "run_start", "epoch_start", to=2), "CLK06 CLK21 DATA05"),
    ("a tenth of a second back at each edge", each(small_steps_back), "CLK04"),
    ("a second back behind many small steps", each(hidden_step_back), "CLK04"),
    ("run_start within the first epoch", each(late_start), "CLK21"),
    ("run_stop before the last evaluation", each(moved, "run_stop", "eval_start", to=-1), "EVL06"),
    ("run_stop logged earlier than it was", each(early_line), "EVL06"),
    ("five minutes of work as initialisation", each(delayed, 300_000, "init_stop"), "CLK18"),
    ("three tenths of a second before run_start", each(delayed, 300, "run_start"), "CLK06"),
    ("runs of the year before", each(Log.shift, -400 * DAY), "CLK05"),
    ("a run as long as its initialisation", each(delayed, 100_000, "init_stop"), "CLK18", "deepcam"),
    ("every threshold used up", each(thresholds), ""),
]
PARALLEL = [
    ("each run while the last one still runs", lambda s: at_once(s, 0.8), "RUN21"),
    ("ten runs in two rows", two_rows, "RUN21", "cosmoflow"),
]
