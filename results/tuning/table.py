"""hpo_table.json of a problem, from campaigns that have a score."""

import json
import math
from collections.abc import Sequence
from typing import Any

from compliance.safe import markdown
from results.tables.formatting import show
from results.tuning.estimators import Estimate
from results.tuning.score import Scored
from rules.edition import load


def table(scored: Sequence[Scored]) -> dict[str, Any]:
    """The rows, by "<problem>_<batch size>", of campaigns of one problem; of several at a batch size the one with the
    shortest time to solution."""
    rows: dict[str, Any] = {}
    known = [s for s in scored if s.solution and s.samples_to_target]
    for s in sorted(known, key=lambda s: (s.campaign.batch_size, s.solution.value)):
        rows.setdefault(f"{s.campaign.problem}_{s.campaign.batch_size}", row(s))
    return rows


def row(s: Scored) -> dict[str, Any]:
    """A campaign's winner in the fields of MLPerf's reference convergence points, and in ours: see
    benchmark/tuning/table.py."""
    samples, known = s.samples_to_target, load(s.edition).benchmarks[s.benchmark].settings
    machine = {name for name, setting in known.items() if setting.machine}
    fixed = {name: value for name, value in s.campaign.settings.items() if name not in machine}
    return {
        "Benchmark": s.benchmark,
        "Creator": s.org,
        "When": s.edition,
        "Platform": s.system,
        "BS": s.campaign.batch_size,
        "Hyperparams": {**fixed, **s.winner.point},
        "Epochs to converge": list(s.epochs),
        "Samples to converge": {"mean": samples.value, "low": samples.low, "high": samples.high},
        "Trials": s.campaign.trials,
        "Successes": s.successes,
        "Campaign": s.campaign.digest,
    }


def text(rows: dict[str, Any]) -> str:
    """The table as it is written."""
    return json.dumps(rows, indent=1, allow_nan=False) + "\n"


def words(scored: Sequence[Scored]) -> str:
    """The campaigns of one problem as a table for a document, by batch size; a campaign whose settings are not in
    hpo_table.json, as another one of its batch size was shorter, is in it, too."""
    head = ("campaign", "batch", "settings of the winner", "samples to the target (95 %)", "epochs", "reached")
    head = (*head, "campaign s", "run s", "with tuning s (95 %)", "unit-hours")
    lines = [head, ["---"] * len(head)]
    for s in sorted(scored, key=lambda s: (s.campaign.batch_size, s.solution.value)):
        settings = ", ".join(f"{name} {value}" for name, value in row(s)["Hyperparams"].items())
        known = (s.samples_to_target.value, s.samples_to_target.low, s.samples_to_target.high)
        cells = [s.name, str(s.campaign.batch_size), settings, "{:.0f} ({:.0f} to {:.0f})".format(*known)]
        cells += [", ".join(f"{epochs:g}" for epochs in s.epochs), f"{s.successes}/{s.campaign.trials}"]
        cells += [f"{s.wall:.1f}", f"{s.confirmation.mean:.1f}", _ends(s.solution), show(s.unit_hours)]
        lines.append([markdown(cell) for cell in cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _ends(e: Estimate) -> str:
    return f"{e.value:.1f}" + ("" if math.isnan(e.low) else f" ({e.low:.1f} to {e.high:.1f})")
