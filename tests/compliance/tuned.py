"""Good submissions with a campaign of tuning."""

import hashlib
from pathlib import Path
from typing import ClassVar

from benchmark.ledger import Drawn, Frozen
from benchmark.tree import campaign_path
from benchmark.tuning.campaign import campaign_of
from benchmark.tuning.folder import OWN, Opened
from tests.compliance.ledgers import Campaign, time_of
from tests.compliance.logs import START, event_like, good
from tests.compliance.submissions import Surveyed, Tree


class Tuned(Tree):
    """A good submission with a campaign of tuning: trials 0 to 3, one after another, of which 1 and 3 reached the
    target, 2 was pruned behind its second epoch and 0 used up its budget; then the confirmation runs, logs 4 to 6."""

    at = 1
    COURSES = (
        (0.5, 0.7, 0.8, 0.85, 0.86, 0.87, 0.88, 0.9),
        (0.5, 0.7, 0.8, 0.9, 0.91, 0.995),
        (0.5, 0.4),
        (0.5, 0.75, 0.82, 0.995),
    )
    VALUES: ClassVar = {
        "problem": "tiny",
        "batch_size": 4,
        "space": {"learning_rate": {"low": 1e-4, "high": 1e-2, "scale": "log"}},
        "trials": 4,
        "budget": {"epochs": 8},
        "pruning": {"epochs": 2, "trials": 2},
        "confirmations": 3,
    }

    def __init__(self, root: Path):
        self.campaign, self.name = campaign_of(self.VALUES, "campaign"), "first"
        self.said: list = [Frozen(self.campaign.digest), Drawn("".join(f"{7 * i % 256:02x}" for i in range(32)), OWN)]
        self.epochs = 0
        super().__init__(root, runs=0)
        self.logs = [good(i, q) for i, q in enumerate((*self.COURSES, *3 * [self.COURSES[3]]))]
        self.frozen()

    @property
    def folder(self) -> Path:
        """The campaign's."""
        return campaign_path(self.root, "box", self.benchmark, self.name)

    def path(self, index: int) -> Path:
        trials = self.campaign.trials
        at, index = (self.folder, index) if index < trials else (self.folder / "confirmation", index - trials)
        return at / f"result_{index}.txt"

    def frozen(self, order=None) -> None:
        """Writes campaign, ledger and logs anew, as they follow from what is frozen and drawn."""
        self.put(self.folder / "campaign.json", self.campaign.text)
        line = hashlib.sha256(self.begin().lines[1]).hexdigest()
        opened = Opened(self.campaign, self.said[1].shift, self.said[1].source, line, 0, {})
        for index in range(len(self.logs)):
            trial = index < self.campaign.trials
            point = opened.point(index if trial else 3)
            log = self.logs[index]
            log.events = [e for e in log.events if e["key"] != "trial"]
            self.settings(index, **point, epochs=8 if trial else self.epochs)
            self.changed("opt_base_learning_rate", index, value=point["learning_rate"])
            if trial:
                said = {"index": index, "campaign": self.campaign.digest, "line": line}
                log.events.insert(8, event_like(log.events[8], "trial", said))
        self.launch()

    def begin(self) -> Campaign:
        """The beginning of the ledger."""
        ledger = Campaign()
        for said in self.said:
            ledger.add(said, START - 60_000)
        return ledger

    def launch(self) -> None:
        """Writes the ledger of the trials, and all logs, anew."""
        ledger, numbers = self.begin(), {}
        whole = [i for i, log in enumerate(self.logs[: self.campaign.trials]) if log.events]
        changes = [(time_of(self.logs[i].events, key), key, i) for i in whole for key in ("init_stop", "run_stop")]
        for time, key, index in sorted(changes):
            events = self.logs[index].events
            if key == "init_stop":
                numbers[index] = ledger.start(events, f"result_{index}.txt")
                ledger.state(events, numbers[index])
            else:
                status = self.logs[index].one("run_stop")["metadata"]["status"]
                ledger.end(numbers[index], self.logs[index].text(), status, time)
        for index, log in enumerate(self.logs):
            self.write(index)
            if not log.events:
                self.path(index).unlink()
        ledger.write(self.folder)


class Confirmed(Surveyed, Tuned):
    """A good submission with a campaign of tuning, and the environments of its trials and confirmation runs: trial 3
    is the winner, logs 4 to 6 confirm it."""

    def __init__(self, root: Path):
        super().__init__(root)
        self.epochs = 60  # as the config says
        self.survey_all()
        self.frozen()
        rate = self.logs[3].one("hyperparameters")["value"]["learning_rate"]
        self.elsewhere("command", [*self.manifests[4]["run"]["command"]["value"], f"learning_rate={rate}"])

    def elsewhere(self, name: str, value: object) -> None:
        """Lets all confirmation runs have another fact."""
        for index in (4, 5, 6):
            self.fact(name, value, index)
