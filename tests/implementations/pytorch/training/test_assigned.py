import re
from dataclasses import replace

import pytest

from implementations.pytorch.training.assigned import read_assigned
from implementations.pytorch.training.events import EDITION
from rules.registry import Registry, Request, now

NAMES = ("Us", "laptop", "scaffold", "tiny")


@pytest.fixture
def registry(tmp_path):
    """A registry of two entries, in a file."""
    made, path = Registry(EDITION), tmp_path / "registry.yaml"
    for system, nonce in (("laptop", "1" * 64), ("other", "2" * 64)):
        made.draw(replace(Request(*NAMES, "a" * 64, "b" * 64), system=system), now(), nonce)
    path.write_text(made.text)
    return made, path


def test_runs_have_the_seeds_of_their_entry(registry):
    made, path = registry
    assert [read_assigned(path, 2, run).seed for run in (0, 1)] == [made.entries[1].seed(run) for run in (0, 1)]


@pytest.mark.parametrize(("number", "run"), [(0, 0), (3, 0), (1, -1)])
def test_what_a_registry_does_not_have(registry, number, run):
    with pytest.raises(ValueError, match="wanted"):
        read_assigned(registry[1], number, run)


def test_a_damaged_registry_is_named(registry):
    _, path = registry
    path.write_text(path.read_text()[:-1])
    with pytest.raises(ValueError, match=rf"{re.escape(str(path))}:2: found a last line without an end"):
        read_assigned(path, 1, 0)


def test_what_runs_is_held_against_the_entry(registry):
    assigned = read_assigned(registry[1], 1, 0)
    right = [*NAMES, "a" * 64, "b" * 64]
    assert assigned.difference(*right) == ""
    for at, name in enumerate(("organisation", "system", "benchmark", "problem", "source", "config")):
        found = assigned.difference(*(f"x{v}" if n == at else v for n, v in enumerate(right)))
        assert found.startswith(f"{name}: found x{right[at]}, wanted {right[at]} as in entry 1 of ")


def test_an_entry_from_registration_to_the_run(tiny, events, tmp_path):
    """Registered by the log of one step, drawn, used; and refused once a setting has changed."""
    from compliance.register import request_of

    def run(name, *more):
        return tiny.train(tmp_path / name, "--org", "Us", "--system", "laptop", *more)

    assert run("steps.txt", "--steps", "1").returncode == 0
    made, path = Registry(EDITION), tmp_path / "registry.yaml"
    entry = made.draw(request_of(tmp_path / "steps.txt"), now(), "1" * 64)
    path.write_text(made.text)
    use = ("--registry", str(path), "--entry", "1")
    done = run("result_3.txt", *use)
    assert done.returncode == 0, done.stderr
    (seed,) = (e for e in events(tmp_path / "result_3.txt") if e.key == "seed")
    assert seed.value == entry.seed(3)
    assert (seed.metadata["source"], seed.metadata["entry"]) == ("registry", 1)
    done = run("result_4.txt", *use, "batch_size=3")
    assert done.returncode == 1
    assert "config: found " in done.stderr and "as in entry 1" in done.stderr
    assert not [e for e in events(tmp_path / "result_4.txt") if e.key == "run_start"]
