"""The settings of somebody else's run: those that define what it trained, and those that this repository does not
know. Settings of the machine are not taken from a log."""

from typing import Any

from harness.auditing.logged import LoggedRun
from rules.edition import Edition

MOST_SAMPLES = 1 << 53  # of a batch
PRECISIONS = ("float32", "bfloat16")  # in which the reference computes


def defining(run: LoggedRun, edition: Edition) -> dict[str, Any]:
    """Return the logged values of the settings that define what a run trains, by name, without optional ones that the
    log leaves out. Another one that it leaves out has the value that the closed division requires. Raises ValueError
    for an unknown benchmark, and for a setting that the log leaves out and that nothing else determines."""
    if run.benchmark not in edition.benchmarks:
        known = ", ".join(edition.benchmarks)
        raise ValueError(f"{run.path}: found benchmark {run.benchmark!r:.80}, wanted one of {known}")
    found = {}
    for name, setting in edition.benchmarks[run.benchmark].settings.items():
        limits = setting.within("closed")
        if name not in run.settings and setting.optional:
            continue
        if name not in run.settings and not limits.fixed:
            raise ValueError(f"{run.path}: hyperparameters: found no {name}, wanted it: it defines what is trained")
        found[name] = run.settings.get(name, limits.only)
    return found


def average_in_epochs(run: LoggedRun, settings: dict[str, Any], samples: int) -> dict[str, Any]:
    """Return the settings with the weights' average as the reference takes it: older logs have `average_decay`, of a
    step, in place of `average_epochs`, of so many samples each. Raises ValueError for values that are none."""
    rest = {name: value for name, value in settings.items() if name != "average_decay"}
    decay, batch = settings.get("average_decay", 0), settings["batch_size"]
    if type(decay) not in (int, float) or not 0 <= decay < 1 or type(batch) is not int or not 0 < batch <= MOST_SAMPLES:
        found = f"average_decay {decay!r:.80}, batch_size {batch!r:.80}"
        wanted = f"a number below 1 and one from 1 to {MOST_SAMPLES}"
        raise ValueError(f"{run.path}: hyperparameters: found {found}, wanted {wanted}")
    return {"average_epochs": batch / (1 - decay) / samples if decay else 0.0} | rest


def precision_of(settings: dict[str, Any]) -> str:
    """Return the logged precision, or float32 for one that the reference does not have."""
    return settings["precision"] if settings.get("precision") in PRECISIONS else "float32"


def unknown(run: LoggedRun, edition: Edition) -> list[str]:
    """Return the logged settings that neither define what is trained nor are of the machine, as far as is known."""
    machine = edition.limits.machine_settings if run.machine is None else run.machine
    return sorted(run.settings.keys() - {*edition.benchmarks[run.benchmark].settings, *machine})
