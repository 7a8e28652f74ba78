"""Entries of a registry, and what is registered."""

import pytest

from harness.registration import check_entry, entry_of
from rules.current import EDITION
from rules.registry import Registry, Request, now


def test_an_entry_by_its_number(tmp_path):
    registry = Registry(EDITION)
    request = Request("a", "b", "c", "d", "a" * 64, "b" * 64)
    entry = registry.draw(request, now(), "1" * 64)
    (tmp_path / "registry.yaml").write_text(registry.text)
    assert entry_of(tmp_path / "registry.yaml", 1) == entry
    for number in (0, 2):
        with pytest.raises(ValueError, match=f"registry.yaml: found 1 entries, wanted entry {number}"):
            entry_of(tmp_path / "registry.yaml", number)


def test_an_entry_that_is_not_named(fake):
    setup = fake.setup()
    check_entry(setup)  # the round has no registry
    registry = Registry(EDITION)
    setup.registry.parent.mkdir(parents=True, exist_ok=True)
    registry.draw(Request("Us", "another", setup.benchmark, setup.problem, "a" * 64, "b" * 64), now(), "1" * 64)
    setup.registry.write_text(registry.text)
    check_entry(setup)
    registry.draw(Request("US", "Laptop", setup.benchmark, setup.problem, "a" * 64, "b" * 64), now(), "2" * 64)
    setup.registry.write_text(registry.text)
    with pytest.raises(ValueError, match=r"registry\.yaml: found entry 2, of US, Laptop, scaffold, tiny, and no "):
        check_entry(setup)
    check_entry(fake.setup("--entry", "2"))
    with pytest.raises(ValueError, match="found 2 entries, wanted entry 3"):
        check_entry(fake.setup("--entry", "3"))
