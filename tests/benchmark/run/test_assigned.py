import os
import re
from dataclasses import replace

import pytest

from benchmark.run import assigned
from benchmark.run.assigned import NAMES, read_assigned
from rules.registry import Registry, Request, now

ENTRANT = ("Us", "laptop", "scaffold", "tiny")


@pytest.fixture
def registry(tmp_path):
    """A registry of two entries, in a file."""
    made, path = Registry("v9.9"), tmp_path / "registry.yaml"
    for system, nonce in (("laptop", "1" * 64), ("other", "2" * 64)):
        made.draw(replace(Request(*ENTRANT, "a" * 64, "b" * 64), system=system), now(), nonce)
    path.write_text(made.text)
    return made, path


def test_runs_have_the_seeds_of_their_entry(registry):
    assert assigned.assigned_seed("0" * 64, 0) == 5486302262134334018 and 1 << 62 <= 5486302262134334018 < 1 << 63
    made, path = registry
    assert [read_assigned(path, 2, run).seed for run in (0, 1)] == [made.entries[1].seed(run) for run in (0, 1)]
    assert read_assigned(path, 1, 0).seed != read_assigned(path, 2, 0).seed
    assert read_assigned(path, 2, 0).entry["system"] == "other"


@pytest.mark.parametrize(
    ("number", "run", "said"),
    [(0, 0, "wanted entry 0"), (3, 0, "found 2 entries, wanted entry 3"), (1, -1, "run: found -1, wanted 0 or more")],
)
def test_what_a_registry_does_not_have(registry, number, run, said):
    with pytest.raises(ValueError, match=said):
        read_assigned(registry[1], number, run)
    registry[1].unlink()
    os.mkfifo(registry[1])  # which is not waited for
    with pytest.raises(ValueError, match=r"registry\.yaml: found no registry that can be read"):
        read_assigned(registry[1], 1, 0)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[:-2],  # cut off
        lambda text: text.replace('"entry": 2', '"entry": 1'),
        lambda text: text.replace('"problem": "tiny"', '"problem": 1'),
        lambda text: text.replace('"problem": "tiny", ', ""),
        lambda text: text.replace(", ", ","),  # not as it was digested
        lambda text: text.replace("other", "\u00e9"),
    ],
    ids=["cut", "another's number", "no name", "a field less", "other spaces", "no ASCII"],
)
def test_a_damaged_entry_is_named_and_another_one_is_not_asked(registry, change):
    made, path = registry
    first, second = made.text.splitlines()
    path.write_text(f"{first}\n{change(second)}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=rf"^{re.escape(str(path))}:2: found no entry 2 of a registry"):
        read_assigned(path, 2, 0)
    assert read_assigned(path, 1, 0).seed == made.entries[0].seed(0)


def test_a_registry_has_so_many_bytes_at_most(registry, monkeypatch):
    made, path = registry
    monkeypatch.setattr(assigned, "LARGEST", len(made.text))
    assert read_assigned(path, 1, 0)
    monkeypatch.setattr(assigned, "LARGEST", len(made.text) - 1)
    with pytest.raises(ValueError, match="wanted entry 1"):
        read_assigned(path, 1, 0)


def test_what_runs_is_held_against_the_entry(registry):
    found = read_assigned(registry[1], 1, 0)
    right = [*ENTRANT, "a" * 64, "b" * 64]
    assert found.difference(*right) == "" and len(NAMES) == len(right)
    for at, name in enumerate(NAMES):
        said = found.difference(*(f"x{v}" if n == at else v for n, v in enumerate(right)))
        assert said == f"{name}: found x{right[at]}, wanted {right[at]} as in entry 1 of {registry[1]}"
    with pytest.raises(ValueError):
        found.difference(*right[:-1])
