"""Measures of size, budget and energy, and of throughput sets."""

from results.measures.measure import Measure, averaged, of_energy, of_throughput, one, spread_of

UNIT_HOURS = averaged("unit_hours", "unit-hours", "compute budget: units times hours, mean", "unit_hours")
NODE_HOURS = averaged("node_hours", "node-hours", "nodes times hours, mean", "node_hours")

COST = (
    Measure("nodes", "nodes", "nodes of a run", one("nodes")),
    Measure("units", "units", "accelerators of a run, or processors, or nodes", one("units")),
    Measure("unit", "unit", "what `units` counts: accelerator, processor or node", one("unit")),
    Measure("batch", "global batch size", "global batch size", one("batch")),
    UNIT_HOURS,
    spread_of("unit_hours_deviation", UNIT_HOURS),
    NODE_HOURS,
    spread_of("node_hours_deviation", NODE_HOURS),
    Measure(
        "energy_tier",
        "energy by",
        "what measured the energy of all runs: meter, node, component (informative), rehearsal (none)",
        of_energy(lambda e: e.tier),
    ),
    Measure(
        "joules",
        "energy",
        "energy to the target if all converged runs were measured: trimmed like the figure of merit, in throughput "
        "sets the mean of a model",
        of_energy(lambda e: e.joules.mean),
        "J",
    ),
    Measure("joules_low", "95 % from", "its 95 % interval, low end", of_energy(lambda e: e.joules.low), "J"),
    Measure("joules_high", "to", "high end", of_energy(lambda e: e.joules.high), "J"),
    Measure("watts", "mean power", "mean power of a run", of_energy(lambda e: e.watts), "W"),
    Measure(
        "joules_per_sample_trained",
        "J a sample trained",
        "energy of the epochs over samples trained, mean",
        of_energy(lambda e: e.trained),
    ),
    Measure(
        "joules_per_sample_evaluated",
        "J a sample evaluated",
        "energy of the evaluations over samples evaluated, mean",
        of_energy(lambda e: e.evaluated),
    ),
)
THROUGHPUT = (
    Measure("total_scale", "T", "T: units of the whole system (throughput sets)", of_throughput(lambda t: t.total)),
    Measure(
        "instance_scale",
        "S",
        "S: units that trained one model; empty if it can't be what the logs say",
        of_throughput(lambda t: t.instance),
    ),
    Measure(
        "instance_scale_most",
        "S at most",
        "the most that S can be, where more models ran at once than fit into the system as logged",
        of_throughput(lambda t: t.most),
    ),
    Measure(
        "models", "M", "M: models that reached the target, pruned ones not counted", of_throughput(lambda t: t.models)
    ),
    Measure("pruned", "pruned", "models that were given up or left out", lambda r: r.pruned if r.weak else None),
    Measure(
        "pruned_errors",
        "pruned errors",
        "errors that the checker found in their logs; they take no number away",
        lambda r: len(r.standing.pruned_errors) if r.weak else None,
    ),
    Measure(
        "ttta_seconds",
        "TTTa",
        "TTTa: seconds from the first start to the last stop",
        of_throughput(lambda t: t.seconds),
        "s",
    ),
)
