"""Making hpo_table.json of a problem from its scored campaigns."""

import json
import math
from collections.abc import Sequence
from typing import Any

from results.tuning.estimators import Estimate
from results.tuning.score import Scored
from rules.edition import load


def table(scored: Sequence[Scored]) -> dict[str, Any]:
    """{"<problem>_<batch size>": row} of campaigns of one problem: at each batch size the campaign with the fewest
    samples to the target, whatever the machine that made it."""
    known = [(s, samples) for s in scored if (samples := s.samples_to_target)]
    rows: dict[str, Any] = {}
    for s, samples in sorted(known, key=lambda of: (of[0].campaign.batch_size, of[1].value)):
        rows.setdefault(f"{s.campaign.problem}_{s.campaign.batch_size}", row(s, samples))
    return rows


def row(s: Scored, samples: Estimate) -> dict[str, Any]:
    """A campaign's winner in the fields of MLPerf's reference convergence points, with fields of our own
    (benchmark/tuning/table.py)."""
    return {
        "Benchmark": s.judged.benchmark,
        "Creator": s.judged.org,
        "When": s.judged.edition,
        "Platform": s.judged.system,
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
    machine = load(s.judged.edition).limits.machine_settings
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
