"""A submission whose files are full of names, and its packages."""

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from benchmark.tree import result_path, system_path
from compliance.engine import judge
from compliance.packing.pack import pack_anonymous
from tests.compliance.logs import SYSTEM as FIELDS
from tests.compliance.logs import log_text, logged
from tests.compliance.submissions import Launched, Weighted

ORG, SYSTEM, HOST, USER = "zenithlabs", "polarbox9", "ridge07.zenithlabs.example", "morwenna"
PATHS = (f"/home/{USER}/tuning", "/lustre/project42/data")
SECRETS = (ORG, SYSTEM, "ridge07", USER, "project42", "Aurelia", "boss@", "lustre")


def judging(law):
    """A function that judges a submission by the rules there."""
    return lambda path, edition=None: judge([path], edition, rules=law)


class Named(Launched):
    """A submission of zenithlabs with an implementation of its own, weights, a run that was made again and a
    description, all of which tell names."""

    def __init__(self, root: Path):
        super().__init__(root)
        old, self.root = self.root, root / "v1.0" / ORG
        shutil.rmtree(old / "results")
        shutil.rmtree(old / "systems")
        old.rename(self.root)
        self.source = self.root / self.source.relative_to(old)
        (self.source / "implementations/pytorch").rename(self.source / "implementations" / ORG)
        self.source.rename(self.root / "source" / "now")
        self.source = self.root / "source" / "now"
        for index in range(5):
            for key, value in (("submission_org", ORG.upper()), ("submission_platform", SYSTEM)):
                self.changed(key, index, value=value)
            groups = self.logs[index].one("devices")["value"]
            self.changed("devices", index, value=[{**group, "host": HOST} for group in groups])
        train = self.source / "implementations" / ORG / "train.py"
        train.write_text(f"# Tuned by {USER}, Zenithlabs, in {PATHS[1]}/b.py\n" + train.read_text())
        self.ran()
        for index in range(5):
            self.logs[index].add("weights")
            Weighted.weigh(self, index, self.state(index))
        notes = f"run by {USER} on {HOST} in {PATHS[0]}"
        told = {"submitter": "Zenithlabs", "system_name": f"{SYSTEM}: Aurelia, 1 node", "hw_notes": notes}
        self.write_system({**FIELDS, **told})
        self.put(self.root / "README.md", f"Aurelia, by {USER} (boss@zenithlabs.example), from {PATHS[1]}.\n")
        self.launch(self.again)

    weights = Weighted.weights

    def state(self, seed: int) -> dict[str, np.ndarray]:
        """The weights of a run, one tensor of which is named for who trained it."""
        rng = np.random.Generator(np.random.Philox(seed))
        sizes = ((f"{ORG}.weight", (30, 40)), ("b.bias", 34))
        return {name: rng.standard_normal(n).astype("f4") for name, n in sizes}

    def path(self, index: int) -> Path:
        return result_path(self.root, SYSTEM, self.benchmark, index, self.scaling)

    def write_system(self, fields: dict) -> Path:
        return self.put(system_path(self.root, SYSTEM), json.dumps(fields, indent=2))

    def again(self, campaign, index: int) -> None:
        """Before run 2 there was another start of it, which broke off and was moved aside."""
        if index == 2:
            number = self.tried(campaign, index)
            line = campaign.lines[number - 1]
            lines = self.logs[2].text().splitlines(keepends=True)
            stop = next(i for i, text in enumerate(lines) if '"epoch_stop"' in text)
            place = self.ledger.parent / "superseded" / "20260301T120000.0Z" / "result_2.txt"
            stated = log_text([logged(1, "ledger", number, line=hashlib.sha256(line).hexdigest())])
            self.put(place, "".join([*lines[:20], stated, *lines[20:stop]]))
            text = f"superseded: {HOST} lost {PATHS[1]}/x.h5"
            campaign.note(number, text, self.logs[2].events[0]["time_ms"] - 1000)


@pytest.fixture
def named(tmp_path) -> Named:
    """The submission."""
    return Named(tmp_path)


@pytest.fixture(scope="package")
def blind(law, tmp_path_factory) -> tuple[Named, Path, Path, object]:
    """The submission, its anonymous package, the key, and what was packed; for tests that change none of it."""
    folder = tmp_path_factory.mktemp("blind")
    tree = Named(folder)
    files = folder / "blind.tar.gz", folder / "blind.key"
    return tree, *files, pack_anonymous(tree.root, *files, ["aurelia", "project42"], judging(law), rules=law)
