"""Inputs for the fuzzer: rounds whose every text is a stranger's, written by every command in every format."""

import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from compliance.engine import judge
from tests import readers, strangers
from tests.results import conftest as makers

Mutate = Callable[[random.Random, bytes], bytes]
SIGNS = "=+-@|`*_[]()<>&#!~$\"'\\;:,./%{}^ \t\r\n\0\x1b\x9b\u202e\u2028\ufeff\ud800\udcffaw1"


def write_a_round(folder: Path, rng: random.Random, mutate: Mutate, disturb: Callable) -> None:
    """What is written of a round is what its readers may have, also where its tree is damaged."""

    def text() -> str:
        return strangers_text(rng, mutate)

    shutil.rmtree(folder, ignore_errors=True)
    tree = makers.Tree(folder / "round")
    sets = strangers.plant(tree, makers.MAKERS, text)
    for _ in range(rng.choice((0, 0, 1, 3))):
        disturb(rng, tree.root / "v1.0" / "beta")
    edition = rng.choice((None, "v1.0", "mlperf-hpc-v3.0"))
    verdict = judge([tree.root], edition)
    if rng.random() < 0.5:
        verdict = strangers.signed(tree.root, edition, verdict, text)
    try:
        for name, written in strangers.outputs(verdict, tree.root, sets):
            readers.check_output(name, written)
    except ValueError as error:  # one of the sets is gone
        if not re.search(r"found 0 sets of runs, wanted 1|wanted at least 2 of one benchmark", str(error)):
            raise


def strangers_text(rng: random.Random, mutate: Mutate) -> str:
    """A stranger's text: known to be a nuisance, parts of several, or any characters."""
    known = list(strangers.PAYLOADS.values())
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice(known)
    if kind == 1:
        return rng.choice(known)[: rng.randrange(8)] + rng.choice(known)[rng.randrange(8) :]
    if kind == 2:
        return mutate(rng, rng.choice(known).encode(errors="surrogatepass")).decode(errors="surrogateescape")
    return "".join(rng.choices(SIGNS, k=rng.randint(0, 12)))
