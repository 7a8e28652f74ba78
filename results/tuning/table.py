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
    known = [s for s in scored if s.solution and s.samples_to_target]
    for s in sorted(known, key=lambda s: (s.campaign.batch_size, s.solution.value)):
        rows.setdefault(f"{s.campaign.problem}_{s.campaign.batch_size}", row(s))
    return rows


def row(s: Scored) -> dict[str, Any]:
    """A campaign's winner in the fields of MLPerf's reference convergence points, with fields of our own
    (benchmark/tuning/table.py)."""
    samples = s.samples_to_target
    return {
        "Benchmark": s.benchmark,
        "Creator": s.org,
        "When": s.edition,
        "Platform": s.system,
        "BS": s.campaign.batch_size,
        "Hyperparams": hyperparameters(s),
        "Epochs to converge": list(s.epochs),
        "Samples to converge": {"mean": samples.value, "low": samples.low, "high": samples.high},
        "Trials": s.campaign.trials,
        "Successes": s.successes,
        "Campaign": s.campaign.digest,
    }


def hyperparameters(s: Scored) -> dict[str, Any]:
    """The winner's settings, and those that all trials had, as the reference names them now: older campaigns have
    `average_decay`, of a step, in place of `average_epochs`."""
    machine = load(s.edition).limits.machine_settings
    found = {name: value for name, value in s.campaign.settings.items() if name not in machine} | s.winner.point
    if "average_decay" in found:
        epoch = s.samples_to_target.value / math.fsum(s.epochs) * len(s.epochs)  # samples
        steps = 1 / (1 - found.pop("average_decay"))
        found["average_epochs"] = float(f"{s.campaign.batch_size * steps / epoch:.4g}")
    return dict(sorted(found.items()))


def text(rows: dict[str, Any]) -> str:
    """The text of hpo_table.json."""
    return json.dumps(rows, indent=1, allow_nan=False) + "\n"


def words(scored: Sequence[Scored]) -> str:
    """All campaigns of one problem as a Markdown table, by batch size, with those that hpo_table.json leaves out."""
    head = ("campaign", "batch", "settings of the winner", "samples to the target (95 %)", "epochs", "reached")
    head = (*head, "campaign s", "run s", "with tuning s (95 %)", "unit-hours")
    rows = []
    for s in sorted(scored, key=lambda s: (s.campaign.batch_size, s.solution.value)):
        settings = ", ".join(f"{name} {value}" for name, value in row(s)["Hyperparams"].items())
        known = (s.samples_to_target.value, s.samples_to_target.low, s.samples_to_target.high)
        cells = [s.name, str(s.campaign.batch_size), settings, "{:.0f} ({:.0f} to {:.0f})".format(*known)]
        cells += [", ".join(f"{epochs:g}" for epochs in s.epochs), f"{s.successes}/{s.campaign.trials}"]
        cells += [f"{s.wall:.1f}", f"{s.confirmation.mean:.1f}", _ends(s.solution), show(s.unit_hours)]
        rows.append(cells)
    return "\n".join(markdown_table(head, rows)) + "\n"


def _ends(e: Estimate) -> str:
    return f"{e.value:.1f}" + ("" if math.isnan(e.low) else f" ({e.low:.1f} to {e.high:.1f})")
