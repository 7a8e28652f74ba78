"""A run that is a trial of a campaign of tuning: its settings, what its log says of it, and when it ends.

The campaign is in the folder of the log, and result_<i>.txt is trial i: see benchmark/tuning/folder.py.
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
        """What it sets, as on a command line."""
        return [f"{name}={text(value)}" for name, value in self.opened.settings(self.index).items()]

    @property
    def facts(self) -> dict[str, str | int]:
        """What its log says of the campaign."""
        return {"index": self.index, "campaign": self.opened.campaign.digest, "line": self.opened.line}

    def decide(self, layout: Layout, metric: str, lower: bool) -> None:
        """Behind an evaluation: go on, or raise Aborted on all ranks, by what rank 0 reads in the logs."""
        if why := layout.gather(self.why(metric, lower) if layout.rank == 0 else "")[0]:
            raise Aborted(f"{ENDED}{why}")

    def why(self, metric: str, lower: bool) -> str:
        """Why it ends here; "" if it goes on."""
        campaign = self.opened.campaign
        if campaign.budget.seconds is None and not campaign.pruning:
            return ""
        names = [f"result_{i}.txt" for i in range(campaign.trials) if i != self.index] if campaign.pruning else []
        others = [course(path, metric) for name in names if (path := self.log.with_name(name)).exists()]
        return ending(campaign, course(self.log, metric), others, lower)


def text(value: object) -> str:
    """A value as YAML on one line."""
    value = plain(value)
    if isinstance(value, list):
        return f"[{', '.join(map(text, value))}]"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def open_trial(campaign: Path, log: Path, index: int | None) -> Trial:
    """The trial whose log is written beside a campaign. Raises ValueError for another place, or no such trial."""
    folder = campaign if campaign.is_dir() else campaign.parent
    if index is None or folder.resolve() != log.resolve().parent:
        raise ValueError(f"--log: found {log}, wanted {folder / 'result_<i>.txt'}, beside the trial's {FILE}")
    trial = Trial(open_folder(folder), index, log)
    trial.opened.point(index)
    return trial
