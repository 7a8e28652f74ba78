"""SEED06: no seed is fixed in the source: Python by its syntax tree, YAML, shell and the like line by line."""

import re
from collections.abc import Iterator

from compliance.finding import Fault
from compliance.material import Material, Text
from compliance.pyseeds import Fixed, is_seed_name, seeds
from compliance.rule import rule

SETTINGS = (".yaml", ".yml", ".json", ".toml", ".cfg", ".ini", ".conf", ".env")
SCRIPTS = (".sh", ".bash", ".slurm", ".sbatch", ".sub", ".lsf", ".pbs", ".job", ".mk", ".bat")
SCRIPT_NAMES = ("makefile", "dockerfile", "justfile")
ASSIGNED = re.compile(r"""(?<![\w-])["']?(--?[\w-]+|\w[\w-]*)["']?\s{0,4}[:= ]\s{0,4}["']?(\d{1,30})(?![\w.])""")


@rule("SEED06", "submission", after=())
def source_fixes_no_seed(material: Material) -> Iterator[Fault]:
    """The source feeds no constant to its random number generators"""
    logged = {seed: run.path for run in reversed(material.runs) for _, seed in run.seeds}
    python = {"/".join(t.parts): t for t in material.source if t.name.endswith(".py") and t.text}
    found = seeds({name: text.text for name, text in python.items()})
    for name, places in found.items():
        for place in places:
            at = material.submission.place(*python[name].parts)
            if isinstance(place, Fixed):
                yield Fault(place.line, f"{place.call}({place.seed})", "a seed drawn afresh in every run", path=at)
            elif place.seed in logged:
                found_ = f"{place.what}, {place.seed}, which {logged[place.seed]} logs as its seed"
                yield Fault(place.line, found_, "a seed drawn afresh in every run", path=at)
    for text in material.source:
        for line, name, seed in settings(text):
            if seed in logged:
                says = f"{name} {seed}, which {logged[seed]} logs as its seed"
                yield Fault(line, says, "a seed drawn afresh in every run", path=material.submission.place(*text.parts))


def settings(text: Text) -> Iterator[tuple[int, str, int]]:
    """(line, name, seed) of what a file of settings or a script sets a seed to. Never parsed as YAML or shell:
    a stranger's file could unfold to anything."""
    name = text.name.lower()
    if not (name.endswith((*SETTINGS, *SCRIPTS)) or name.partition(".")[0] in SCRIPT_NAMES):
        return
    for number, line in enumerate(text.text.split("\n"), 1):
        if "seed" in line.lower() and len(line) < 20_000 and not line.lstrip().startswith("#"):
            for match in ASSIGNED.finditer(line):
                if is_seed_name(match[1]):
                    yield number, match[1], int(match[2])
