import json
import os
import random

import pytest
import yaml

from rules import registry
from rules.registry import FIRST, LARGEST, LONGEST, Damaged, Registry, Request, Wrong, parse_request, read_registry

VALUES = {
    "organisation": "acme",
    "system": "box",
    "benchmark": "scaffold",
    "problem": "smoke",
    "source": "5" * 64,
    "config": "c" * 64,
}
TIME = "2026-01-31T12:00:00Z"


@pytest.fixture
def three():
    """A registry of three entries."""
    found = Registry("v1.0")
    for number in range(3):
        found.draw(Request(**{**VALUES, "config": f"{number:064x}"}), TIME, f"{number + 10:064x}")
    return found


@pytest.fixture
def read(tmp_path):
    """Reads a registry from its lines, each a text or the fields of an entry."""

    def reader(*lines, edition="v1.0"):
        path = tmp_path / "registry.yaml"
        texts = [line if isinstance(line, str) else f"- {json.dumps(line, sort_keys=True)}\n" for line in lines]
        path.write_text("".join(texts))
        return read_registry(path, edition)

    return reader


def fields(found):
    """The entries of a registry as mappings."""
    return yaml.safe_load(found.text)


def damage(read, *lines, **options):
    """What is wrong with a registry of these lines: (line, found, wanted)."""
    with pytest.raises(Damaged) as caught:
        read(*lines, **options)
    assert str(caught.value).endswith(f":{caught.value.line}: found {caught.value.found}, wanted {caught.value.wanted}")
    return caught.value.line, caught.value.found, caught.value.wanted


def test_the_formula_is_what_it_was():
    """A published seed, so that nobody changes the formula unawares."""
    found = Registry("v1.0")
    entry = found.draw(Request(**VALUES), TIME, "a" * 64)
    assert entry.digest == "b1c68ac1efc101e94014eac6be7943c70459e5d0e4200b435e12b7c983798441"
    assert [entry.seed(i) for i in (0, 1)] == [7936924676943635310, 7883891682861400257]


def test_the_file_is_yaml_and_read_as_it_was_written(three, read):
    found = read(three.text)
    assert found.entries == three.entries and found.text == three.text and found.head == three.entries[2].digest
    assert [e["entry"] for e in fields(three)] == [1, 2, 3] and read("").head == FIRST
    assert [e["before"] for e in fields(three)] == [FIRST, three.entries[0].digest, three.entries[1].digest]
    found = Registry("v1.0")
    names = dict.fromkeys(("organisation", "system", "benchmark", "problem"), "\U00010400" * 100)
    found.draw(Request(**{**VALUES, **names}), TIME, "a" * 64)
    assert len(found.text) <= LONGEST
    assert read(found.text).entries == found.entries


def test_a_changed_entry_breaks_the_chain_at_the_next(three, read):
    for place, name, value in ((0, "nonce", "e" * 64), (1, "organisation", "bolt")):
        changed = fields(three)
        changed[place][name] = value
        line, found, _ = damage(read, *changed)
        assert line == place + 2 and found.startswith("before ")
    changed = fields(three)
    changed[1]["drawn"] = "2026-01-31T11:59:59Z"
    assert damage(read, *changed)[:2] == (2, "drawn 2026-01-31T11:59:59Z")


def test_entries_that_were_taken_out_or_put_in_another_order_are_seen(three, read):
    one, two, other = fields(three)
    assert damage(read, one, other)[:2] == (2, "entry 3")
    assert damage(read, two, other)[:2] == (1, "entry 2")
    assert damage(read, two, one)[:2] == (1, "entry 2")
    assert damage(read, one, two, two)[:2] == (3, "entry 2")
    assert damage(read, one, two, {**two, "entry": 3})[1].startswith("before ")


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("entry", 0, "entry 0"),
        ("entry", True, "entry True"),
        ("entry", registry.MOST + 1, f"entry {registry.MOST + 1}"),
        ("before", "1" * 64, f"before '{'1' * 64}'"),
        ("edition", "v1.1", "edition 'v1.1'"),
        ("system", "box\n", r"system 'box\n'"),
        ("problem", "x" * 101, "problem 'x"),
        ("benchmark", None, "benchmark None"),
        ("config", "C" * 64, "config 'C"),
        ("nonce", "a" * 65, "nonce 'a"),
        ("drawn", "2026-1-31T12:00:00Z", "drawn '2026"),
        ("drawn", "2026-02-30T12:00:00Z", "drawn '2026"),
        ("drawn", "1969-12-31T23:59:59Z", "drawn '1969"),
        ("drawn", 1_769_860_800, "drawn 1769860800"),
    ],
)
def test_a_field_of_another_kind_is_damage(three, read, name, value, found):
    entry = {**fields(three)[0], name: value}
    line, told, wanted = damage(read, entry)
    assert line == 1 and told.startswith(found) and wanted


def test_entries_are_in_the_order_of_time():
    found = Registry("v1.0")
    asked = [Request(**{**VALUES, "config": f"{number:064x}"}) for number in range(3)]
    first = found.draw(asked[0], "1970-01-02T00:00:00Z", "1" * 64)
    assert first.drawn_ms == 24 * 3600 * 1000
    found.draw(asked[1], TIME, "2" * 64)
    with pytest.raises(Wrong, match=f"no time before the last entry's, {TIME}"):  # though later than the first
        found.draw(asked[2], "2026-01-31T11:59:59Z", "3" * 64)
    assert found.draw(asked[2], TIME, "3" * 64).entry == 3


def test_an_entry_has_its_fields_in_one_form(three, read):
    """One form alone has the digest that the next entry holds."""
    entry = fields(three)[0]
    assert damage(read, {**entry, "seed": 5})[:2] == (1, "the field 'seed'")
    entry.pop("nonce")
    assert damage(read, entry)[:2] == (1, "no field 'nonce'")
    first, *_ = three.text.splitlines(keepends=True)
    for other in (first.replace('": ', '":', 1), first.replace("}", " }"), first.replace('"acme"', '"\\u0061cme"')):
        assert damage(read, other)[1] == "an entry in another form"
    assert damage(read, first.replace("- {", '- {"nonce": "", '))[1] == "an entry in another form"  # named twice
    assert damage(read, first.replace("\n", "\r\n"))[0] == 1


@pytest.mark.parametrize(
    "line",
    [
        "\n",
        "- !!python/object/apply:os.system [id]\n",
        '- {"entry": ' + "9" * 5000 + "}\n",
        "- {\u20ac}\n",
        "- " + " " * LONGEST + "\n",
    ],
    ids=lambda line: line[:12].strip() or "space",
)
def test_a_line_that_is_no_entry(three, read, line):
    assert damage(read, line)[0] == 1
    assert damage(read, three.text, line)[0] == 4


def test_too_much_and_half_an_entry_are_not_read(tmp_path, monkeypatch, three, read):
    (tmp_path / "registry.yaml").write_bytes(b"\n" * (LARGEST + 1))
    with pytest.raises(Damaged, match=f"found more than {LARGEST} bytes"):
        read_registry(tmp_path / "registry.yaml", "v1.0")
    assert damage(read, three.text[:-1]) == (3, "a last line without an end", "whole lines")
    monkeypatch.setattr(registry, "MOST", 2)
    assert damage(read, three.text)[:2] == (3, "entry 3")


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("nowhere"), lambda path: None])
def test_what_is_no_file_is_not_waited_for(tmp_path, make):
    make(path := tmp_path / "registry.yaml")
    with pytest.raises(Damaged, match="no file that can be read"):
        read_registry(path, "v1.0")


def test_a_request_has_one_entry_and_an_entry_its_own_nonce(three):
    for name in ("acme", "ACME", "a.c.m.e"):
        with pytest.raises(Wrong, match="with the source and settings of entry 1, wanted others"):
            three.draw(Request(**{**VALUES, "organisation": name, "config": "0" * 64}), TIME, "f" * 64)
    assert len(three.entries) == 3
    for changed in ({"config": "f" * 64}, {"source": "f" * 64}, {"system": "box2"}):
        three.draw(Request(**{**VALUES, "config": "0" * 64, **changed}), TIME, os.urandom(32).hex())
    assert len(three.entries) == 6
    with pytest.raises(Wrong, match="the nonce of another entry"):
        three.draw(Request(**{**VALUES, "config": "e" * 64}), TIME, three.entries[0].nonce)


@pytest.mark.parametrize("text", ["", "[]", "{" * 5000, "x" * (LONGEST + 1)])
def test_an_entrant_sends_a_request_and_nothing_else(text):
    assert parse_request(Request(**VALUES).text) == Request(**VALUES)
    with pytest.raises(Wrong, match="wanted"):
        parse_request(text)


def test_whatever_is_changed_nothing_but_damage_comes_of_it(tmp_path, three):
    """What is read is what stands there, to the byte; anything else is damage with its line."""
    rng, path, whole = random.Random(3), tmp_path / "registry.yaml", three.text.encode()
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 1, 2, 8))):
            at = rng.randrange(len(data))
            how = rng.randrange(4)
            data[at : at + (how > 0) * rng.choice((1, 1, 40))] = rng.randbytes(how % 3)
        path.write_bytes(data)
        try:
            assert read_registry(path, "v1.0").text.encode() == data
        except Damaged as damaged:
            assert 1 <= damaged.line <= data.count(b"\n") + 1
