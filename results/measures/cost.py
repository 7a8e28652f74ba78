"""Measures of size, budget and energy, and of throughput sets."""

from results.measures.measure import Measure, averaged, of_energy, of_throughput, one, with_deviation
from results.runs.row import ratio

TIER = "what measured the energy of all runs: meter, node, component (informative), rehearsal (none)"
JOULES = (
    "energy to the target if all converged runs were measured: trimmed like the figure of merit, in throughput sets "
    "the mean of a model"
)
TRAINED, EVALUATED = (
    f"energy of the {part} over samples {what}, mean"
    for part, what in (("epochs", "trained"), ("evaluations", "evaluated"))
)
AT_MOST = "the most that S can be, where more models ran at once than fit into the system as logged"
INSTANCE = "S: devices that trained one model; empty if it can't be what the logs say"
REACHED = "M: models that reached the target, pruned ones not counted"
TTTA = "TTTa: seconds from the first start to the last stop"
SPAN = of_energy(lambda e: e.joules.half)

COST = (
    Measure("nodes", "nodes", "nodes of a run", one("nodes")),
    Measure("units", "devices", "accelerators of a run, or processors, or nodes", one("units")),
    Measure("unit", "unit", "what counts as a device: accelerator, processor or node", one("unit")),
    Measure("ranks", "ranks", "ranks of a run", one("ranks")),
    Measure("batch", "global batch size", "global batch size", one("batch")),
    *with_deviation(averaged("unit_hours", "device-hours", "compute budget: devices times hours, mean")),
    *with_deviation(averaged("node_hours", "node-hours", "nodes times hours, mean")),
    Measure("energy_tier", "energy by", TIER, of_energy(lambda e: e.tier)),
    Measure("joules", "energy", JOULES, of_energy(lambda e: e.joules.mean), "J", half=SPAN),
    Measure("joules_low", "95 % interval", "its low end", of_energy(lambda e: e.joules.low), "J", half=SPAN),
    Measure("joules_high", "to", "high end", of_energy(lambda e: e.joules.high), "J", half=SPAN),
    Measure("kilowatt_hours", "energy, kWh", "the same in kWh", of_energy(lambda e: e.joules.mean / 3.6e6)),
    Measure("watts", "mean power", "mean power of a run", of_energy(lambda e: e.watts), "W"),
    Measure("joules_per_sample_trained", "J a sample trained", TRAINED, of_energy(lambda e: e.trained)),
    Measure("joules_per_sample_evaluated", "J a sample evaluated", EVALUATED, of_energy(lambda e: e.evaluated)),
)
THROUGHPUT = (
    Measure(
        "total_scale",
        "devices of the system (T)",
        "T: devices of the whole system (throughput sets)",
        of_throughput(lambda t: t.total),
    ),
    Measure("instance_scale", "devices of a model (S)", INSTANCE, of_throughput(lambda t: t.instance)),
    Measure("instance_scale_most", "S at most", AT_MOST, of_throughput(lambda t: t.most)),
    Measure("models", "models (M)", REACHED, of_throughput(lambda t: t.models)),
    Measure(
        "models_per_hour_per_unit",
        "models an hour a device",
        "models an hour over the devices of the whole system",
        of_throughput(lambda t: ratio(t.models_per_hour, t.total)),
    ),
    Measure("pruned", "pruned", "models that were given up or left out", lambda r: r.pruned if r.weak else None),
    Measure(
        *("pruned_errors", "pruned errors", "errors in their logs; they take no number away"),
        lambda r: len(r.standing.pruned_errors) if r.weak else None,
    ),
    Measure("ttta_seconds", "first start to last stop (TTTa)", TTTA, of_throughput(lambda t: t.seconds), "s"),
)
