"""A run as a trial of a tuning campaign: its settings, its event in the log, and its end.

The campaign is in the folder of the log, and result_<i>.txt is trial i. See benchmark/tuning/folder.py.
"""

from dataclasses import dataclass
from pathlib import Path

from benchmark.config import plain
from benchmark.tuning.campaign import FILE
from benchmark.tuning.ending import ENDED, ending
from benchmark.tuning.folder import Opened, course, open_folder

from ..parallel.layout import Layout
from .stop import Aborted


@dataclass(frozen=True)
class Trial:
    """Trial `index` of a campaign, whose log is `log`."""

    opened: Opened
    index: int
    log: Path

    @property
    def settings(self) -> list[str]:
        """The trial's settings, as on a command line."""
        return [f"{name}={text(value)}" for name, value in self.opened.settings(self.index).items()]

    @property
    def facts(self) -> dict[str, str | int]:
        """The value of the log's event `trial`."""
        return {"index": self.index, "campaign": self.opened.campaign.digest, "line": self.opened.line}

    def decide(self, layout: Layout, metric: str, lower: bool) -> None:
        """Decide after an evaluation, on rank 0. Raises Aborted on all ranks if the trial does not go on."""
        if why := layout.gather(self.why(metric, lower) if layout.rank == 0 else "")[0]:
            raise Aborted(f"{ENDED}{why}")

    def why(self, metric: str, lower: bool) -> str:
        """Return why the trial ends now; "" if it continues."""
        campaign = self.opened.campaign
        if campaign.budget.seconds is None and not campaign.pruning:
            return ""
        names = [f"result_{i}.txt" for i in range(campaign.trials) if i != self.index] if campaign.pruning else []
        others = [course(path, metric) for name in names if (path := self.log.with_name(name)).exists()]
        return ending(campaign, course(self.log, metric), others, lower)


def text(value: object) -> str:
    """Return a value as YAML on one line."""
    value = plain(value)
    if isinstance(value, list):
        return f"[{', '.join(map(text, value))}]"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def open_trial(campaign: Path, log: Path, index: int | None) -> Trial:
    """Return the trial of a log beside a campaign. Raises ValueError for a log elsewhere, or for an unknown trial."""
    folder = campaign if campaign.is_dir() else campaign.parent
    if index is None or folder.resolve() != log.resolve().parent:
        raise ValueError(f"--log: found {log}, wanted {folder / 'result_<i>.txt'}, beside the trial's {FILE}")
    trial = Trial(open_folder(folder), index, log)
    trial.opened.point(index)
    return trial
