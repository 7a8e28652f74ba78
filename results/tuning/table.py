"""hpo_table.json of a problem, from campaigns that have a score."""

import json
from collections.abc import Sequence
from typing import Any

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
