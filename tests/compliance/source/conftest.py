"""Fixtures: a folder of source, and what the rules that look into source find in it."""

import itertools

import pytest

from compliance.reading.files import SubmissionFiles
from compliance.reading.tree import read_submission
from compliance.rule import CHECKS
from rules.edition import load

CODES = ("SRC02", "SEED06", "CODE01", "CODE02", "CODE03", "CODE04")


@pytest.fixture
def look(tmp_path):
    """{path below a folder of source: text or bytes} -> [(path, line, code)] of all that is found there."""
    numbers = itertools.count()

    def judge(files):
        root = tmp_path / str(next(numbers)) / "acme"
        for name, content in files.items():
            path = root / "source" / "0123456789ab" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        given = SubmissionFiles(read_submission(root, "acme", root), (), load("v1.0"))
        faults = [(code, fault) for code in CODES for fault in CHECKS[code].function(given)]
        return sorted((f.path.removeprefix("acme/source/0123456789ab/"), f.line, code) for code, f in faults)

    return judge


def marked(text):
    """[(line, code)] of what is to be found in a text: the codes that stand behind `#!` in its lines."""
    lines = [(n, line.partition("#!")[2].split()) for n, line in enumerate(text.split("\n"), 1)]
    return sorted((number, code) for number, codes in lines for code in codes)


@pytest.fixture
def as_marked(look):
    """Asserts that a file of Python has exactly the findings that its lines are marked with."""

    def hold(text, name="implementations/acme/train.py", **others):
        found = look({name: text, **others})
        assert [(line, code) for path, line, code in found if path == name] == marked(text)
        return [f for f in found if f[0] != name]

    return hold
