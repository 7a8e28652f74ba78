"""Inputs for the fuzzer: rounds whose every text is a stranger's, written by every command in every format."""

import random
import re
import shutil
from pathlib import Path
from typing import Any

from compliance.engine import judge
from tests import readers, strangers
from tests.results import conftest as makers


class Outputs:
    """Rounds in a scratch folder."""

    def __init__(self, folder: Path, mutate: Any, disturb: Any):
        self.folder, self.mutate, self.disturb = folder, mutate, disturb

    def output(self, rng: random.Random) -> None:
        """What is written of a round is what its readers may have, also where its tree is damaged."""
        shutil.rmtree(self.folder, ignore_errors=True)
        tree = makers.Tree(self.folder / "round")
        sets = strangers.plant(tree, makers.Makers, lambda: self.text(rng))
        for _ in range(rng.choice((0, 0, 1, 3))):
            self.disturb(rng, tree.root / "v1.0" / "beta")
        edition = rng.choice((None, "v1.0", "mlperf-hpc-v3.0"))
        verdict = judge([tree.root], edition)
        if rng.random() < 0.5:
            verdict = strangers.signed(tree.root, edition, verdict, lambda: self.text(rng))
        try:
            for name, text in strangers.outputs(verdict, tree.root, sets):
                readers.check_output(name, text)
        except ValueError as error:  # one of the sets is gone
            if not re.search(r"found 0 sets of runs, wanted 1|wanted at least 2 of one benchmark", str(error)):
                raise

    def text(self, rng: random.Random) -> str:
        """A stranger's text: known to be a nuisance, parts of several, or any characters."""
        known = list(strangers.PAYLOADS.values())
        kind = rng.randrange(4)
        if kind == 0:
            return rng.choice(known)
        if kind == 1:
            return rng.choice(known)[: rng.randrange(8)] + rng.choice(known)[rng.randrange(8) :]
        if kind == 2:
            return self.mutate(rng, rng.choice(known).encode(errors="surrogatepass")).decode(errors="surrogateescape")
        signs = "=+-@|`*_[]()<>&#!~$\"'\\;:,./%{}^ \t\r\n\0\x1b\x9b\u202e\u2028\ufeff\ud800\udcffaw1"
        return "".join(rng.choices(signs, k=rng.randint(0, 12)))
