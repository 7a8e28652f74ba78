"""A run as a trial of a tuning campaign: its event in the log, and its end before the target.

The campaign is in the folder of the log, where result_<i>.txt is trial i. Whoever starts the run gives it the settings
of the trial's point. See benchmark/tuning/.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmark.run.files import LEDGER
from benchmark.tuning.ending import course, ending

CAMPAIGN = "campaign.json"
BUDGET, PRUNING = {"epochs", "seconds"}, {"epochs", "rule", "settled", "trials"}  # the fields of these


@dataclass(frozen=True)
class Trial:
    """Trial `index` of a campaign of `trials`, whose log is `log`. `campaign` is the sha256 of the campaign's file, and
    `line` that of the ledger's line with its shift."""

    log: Path
    index: int
    campaign: str
    line: str
    trials: int
    budget: SimpleNamespace
    pruning: SimpleNamespace | None

    @property
    def facts(self) -> dict[str, str | int]:
        """The value of the log's event `trial`."""
        return {"index": self.index, "campaign": self.campaign, "line": self.line}

    def reason_to_end(self, metric: str, lower: bool) -> str:
        """Return why the trial ends after its last evaluation; "" if it continues. `metric` is the key of its scores,
        and `lower` says that a lower score is better."""
        if self.budget.seconds is None and not self.pruning:
            return ""
        names = [f"result_{i}.txt" for i in range(self.trials) if i != self.index] if self.pruning else []
        others = [course(path, metric) for name in names if (path := self.log.with_name(name)).exists()]
        return ending(self, course(self.log, metric), others, lower)


def open_trial(campaign: Path, log: Path, index: int | None) -> Trial:
    """Return the trial of a log beside a campaign. Raises ValueError for a log elsewhere, or for an unknown trial, and
    OSError."""
    folder = campaign if campaign.is_dir() else campaign.parent
    if index is None or folder.resolve() != log.resolve().parent:
        raise ValueError(f"--log: found {log}, wanted {folder / 'result_<i>.txt'}, beside the trial's {CAMPAIGN}")
    path = folder / CAMPAIGN
    data, lines = path.read_bytes(), (folder / LEDGER).read_bytes().splitlines()
    fields = parsed(path, data)
    if len(lines) < 2:
        raise ValueError(f"{folder / LEDGER}: found {len(lines)} lines, wanted a campaign that is frozen and drawn")
    if not 0 <= index < fields["trials"]:
        raise ValueError(f"found trial {index}, wanted 0 to {fields['trials'] - 1}")
    budget, pruning = SimpleNamespace(**fields["budget"]), fields["pruning"] and SimpleNamespace(**fields["pruning"])
    frozen, drawn = (hashlib.sha256(text).hexdigest() for text in (data, lines[1]))
    return Trial(log, index, frozen, drawn, fields["trials"], budget, pruning)


def parsed(path: Path, data: bytes) -> dict[str, Any]:
    """Return the fields of a frozen campaign. Raises ValueError, naming the file, for any other content."""
    try:
        fields = json.loads(data)
        budget, pruning = fields["budget"], fields["pruning"] or {}
        sound = (type(fields["trials"]), type(budget), type(pruning)) == (int, dict, dict)
        sound = sound and budget.keys() == BUDGET and pruning.keys() in (set(), PRUNING)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        sound = False
    if not sound:
        raise ValueError(f"{path}: found no frozen campaign, wanted one, as harness/tune.py writes it")
    return dict(fields)
