"""Making hpo_table.json of a problem from its scored campaigns."""

import json
import math
from collections.abc import Sequence
from typing import Any

from results.tables.formatting import markdown_table, show
from results.tuning.estimators import Estimate
from results.tuning.score import Scored
from rules.edition import load


def table(scored: Sequence[Scored]) -> dict[str, Any]:
    """{"<problem>_<batch size>": row} of campaigns of one problem: at each batch size the campaign with the shortest
    time to solution."""
    rows: dict[str, Any] = {}
    for s, _, samples in solved(scored):
        rows.setdefault(f"{s.campaign.problem}_{s.campaign.batch_size}", row(s, samples))
    return rows


def solved(scored: Sequence[Scored]) -> list[tuple[Scored, Estimate, Estimate]]:
    """(campaign, time to solution, samples to the target) of each campaign that has both, by batch size, the shortest
    time first."""
    known = [(s, s.solution, s.samples_to_target) for s in scored]
    found = [(s, time, samples) for s, time, samples in known if time and samples]
    return sorted(found, key=lambda of: (of[0].campaign.batch_size, of[1].value))


def row(s: Scored, samples: Estimate) -> dict[str, Any]:
    """A campaign's winner in the fields of MLPerf's reference convergence points, with fields of our own
    (benchmark/tuning/table.py)."""
    return {
        "Benchmark": s.benchmark,
        "Creator": s.org,
        "When": s.edition,
        "Platform": s.system,
        "BS": s.campaign.batch_size,
        "Hyperparams": hyperparameters(s, samples),
        "Epochs to converge": list(s.epochs),
        "Samples to converge": {"mean": samples.value, "low": samples.low, "high": samples.high},
        "Trials": s.campaign.trials,
        "Successes": s.successes,
        "Campaign": s.campaign.digest,
    }


def hyperparameters(s: Scored, samples: Estimate) -> dict[str, Any]:
    """The winner's settings, and those that all trials had, as the reference names them now: older campaigns have
    `average_decay`, of a step, in place of `average_epochs`."""
    machine = load(s.edition).limits.machine_settings
    found = {name: value for name, value in s.campaign.settings.items() if name not in machine}
    found |= s.winner.point if s.winner else {}
    if "average_decay" in found:
        epoch = samples.value / math.fsum(s.epochs) * len(s.epochs)  # samples
        steps = 1 / (1 - found.pop("average_decay"))
        found["average_epochs"] = float(f"{s.campaign.batch_size * steps / epoch:.4g}")
    return dict(sorted(found.items()))


def text(rows: dict[str, Any]) -> str:
    """The text of hpo_table.json."""
    return json.dumps(rows, indent=1, allow_nan=False) + "\n"


def words(scored: Sequence[Scored]) -> str:
    """All campaigns of one problem as a Markdown table, by batch size, with those that hpo_table.json leaves out."""
    head: tuple[str, ...] = ("campaign", "batch", "settings of the winner", "samples to the target (95 %)", "epochs")
    head = (*head, "reached", "campaign s", "run s", "with tuning s (95 %)", "unit-hours")
    rows = []
    for s, time, samples in solved(scored):
        settings = ", ".join(f"{name} {value}" for name, value in hyperparameters(s, samples).items())
        cells = [s.name, str(s.campaign.batch_size), settings]
        cells += [f"{show(samples.value, 0)} ({show(samples.low, 0)} to {show(samples.high, 0)})"]
        cells += [", ".join(f"{epochs:g}" for epochs in s.epochs), f"{s.successes}/{s.campaign.trials}"]
        run = s.confirmation.mean if s.confirmation else None
        cells += [show(s.wall, 1), show(run, 1), _ends(time), show(s.unit_hours)]
        rows.append(cells)
    return "\n".join(markdown_table(head, rows)) + "\n"


def _ends(e: Estimate) -> str:
    return show(e.value, 1) + ("" if math.isnan(e.low) else f" ({show(e.low, 1)} to {show(e.high, 1)})")
