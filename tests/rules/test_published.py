import hashlib

import pytest

from rules import published
from rules.published import REPOSITORY, origin, own_files, place

TRAIN = "implementations/pytorch/train.py"
TASK, CONFIG = "implementations/acme/task.py", "config/mine.yaml"


@pytest.fixture
def files(monkeypatch):
    """A tree of two files."""
    held = {TRAIN: "1" * 64, "benchmark/log.py": "2" * 64}
    monkeypatch.setattr(published, "own_files", lambda: held)
    return held


def test_own_files_are_the_trees():
    files = own_files()
    assert {TRAIN, "benchmark/log.py", "rules/edition.py", "implementations/__init__.py"} <= files.keys()
    assert files[TRAIN] == hashlib.sha256((REPOSITORY / TRAIN).read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("path", "compared"),
    [
        (TRAIN, TRAIN),
        ("implementations/acme/input/reader.py", "implementations/pytorch/input/reader.py"),
        ("implementations/minimal/train.py", "implementations/minimal/train.py"),
        ("implementations/minimalist/train.py", TRAIN),
        ("implementations/__init__.py", "implementations/__init__.py"),
        (CONFIG, CONFIG),
    ],
)
def test_a_file_is_compared_with_the_one_at_its_place(path, compared):
    assert place(path) == compared


SAME = "every file is identical to the reference implementation's"
OTHER = "from the reference implementation's"


@pytest.mark.parametrize(
    ("named", "release", "others", "words"),
    [
        ({}, "this tree", (), ""),
        ({"implementations/acme/train.py": "1"}, "this tree", (), f"{SAME}, of this tree"),
        ({TRAIN: "3", "benchmark/log.py": "2"}, "v1.0.1", (), f"{SAME}, of v1.0.1"),
        ({TRAIN: "3", "benchmark/log.py": "4"}, "", (), f"{SAME}, of several releases"),
        ({TRAIN: "1", CONFIG: "5"}, "", (CONFIG,), f"1 of 2 files differs {OTHER}: {CONFIG}"),
        ({TASK: "1", TRAIN: "2"}, "", (TASK, TRAIN), f"2 of 2 files differ {OTHER}: {TASK}, {TRAIN}"),  # elsewhere
        ({TRAIN: ""}, "", (TRAIN,), f"1 of 1 files differs {OTHER}: {TRAIN}"),  # could not be read
        (dict.fromkeys("abcde", "5"), "", tuple("abcde"), f"5 of 5 files differ {OTHER}: a, b, c and 2 more"),
    ],
)
def test_the_origin_of_files(files, named, release, others, words):
    releases = {"v1.0.1": {TRAIN: "3" * 64, "benchmark/log.py": "2" * 64}, "v1.0.2": {"benchmark/log.py": "4" * 64}}
    found = origin([(path, digit * 64) for path, digit in named.items()], releases)
    assert (found.release, found.others, found.details if named else found.words) == (release, others, words)
