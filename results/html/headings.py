"""What the headings of the pages' tables mean: sentences of the registry's measures, or their own."""

from collections.abc import Mapping
from dataclasses import replace

from results.html.scaling import MORE
from results.measures.registry import MEASURES
from results.statistics.factors import PARTS, RATE, STAGED_RATE
from results.tables.cells import Table


def explained(table: Table, said: Mapping[str, str]) -> Table:
    """The table with what its headings mean: `said` has a measure or a sentence for each."""
    return replace(table, meanings={head: MEASURES[of].meaning if of in MEASURES else of for head, of in said.items()})


def of_a_run(name: str) -> str:
    """What a measure that is a mean means for one run."""
    return (
        MEASURES[name].meaning.removeprefix("mean ").removesuffix(", mean of the runs").removesuffix(", harmonic mean")
    )


TRAINED = MEASURES["train_samples_per_second"].meaning
FACTORS = {
    "system": "system",
    "devices": "units",
    RATE: f"{TRAINED}, over devices",
    STAGED_RATE: f"{TRAINED}, over devices, with staging in the time",
    "samples to the target": "mean samples trained until the target",
    **{part: f"{MEASURES[f'{part}_seconds'].meaning}: how much longer they make the time before" for part in PARTS[1:]},
}
SCALING = {
    "system": "system",
    "devices": "units",
    "minutes": "the figure of merit in minutes",
    "efficiency, %": "the work of a device relative to that of the smallest system",
    f"with {MORE} more devices: minutes, predicted": "on the straight line between sizes, on logarithmic axes",
    "change, %": "of the predicted minutes over the measured ones",
}
RUNS = {
    "run": "the run's number, with a link to its log where there is one",
    "seconds": "seconds from run_start to run_stop",
    "epochs": "epochs as logged, begun until run_stop",
    "quality": "the metric of the last evaluation, or of the one that met the target",
    "seed": "the seed, as logged",
    "batch": "batch",
    "staged before, s": of_a_run("staged_before_seconds"),
    MEASURES["run_samples_per_second"].title: of_a_run("run_samples_per_second"),
    **{MEASURES[name].title: of_a_run(name) for name in (*(f"{part}_seconds" for part in PARTS), "au")},
}
SUBMISSION = {
    **{name: name for name in ("system", "benchmark", "scaling", "division", "verdict", "rank")},
    "result": "the figure of merit, or the models an hour of a throughput set",
    "95 %, s": "fom_low",
    "runs": "runs that met the target, of all",
}
ROUNDS = {
    "round": "the round's folder",
    "rules": "edition",
    "organisations": "organisations with a set",
    "sets": "sets of runs",
    "with a result": "sets with a figure of merit or a throughput",
    "runs": "runs of training in all sets",
    "table": "all measures of all sets",
    "data": "all measures of all sets, with what they mean",
}
