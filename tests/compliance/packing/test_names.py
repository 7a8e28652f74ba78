"""Names: which there are, and what is replaced."""

import json

import pytest

from compliance.packing.names import DEEP, Names, gather, hosts, searched, users
from tests.compliance.logs import log_text, logged
from tests.support.effort import guarded


@pytest.fixture
def names():
    found = Names("00aa11bb")
    for kind, name in (("org", "Zenithlabs"), ("sys", "box"), ("host", "vm"), ("host", "café7"), ("sys", "cafe")):
        found.add(kind, name)
    return found


def masked(names, text, source=False, numbers=None):
    new, spots = names.mask(text.encode(), source, numbers)
    parts, end = [], 0
    for at, size, old in spots:  # put back
        parts += [new[end:at], old]
        end = at + size
    assert b"".join([*parts, new[end:]]) == text.encode()
    return new.decode()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("zenithlabs", "org00aa11bbn1"),
        ('"host": "vm"', '"host": "host00aa11bbn1"'),
        ("kvm vm-1 a.vm vm.c", "kvm vm-1 a.vm vm.c"),
        ("Box boxes", "sys00aa11bbn1 boxes"),
        ("café7 caf\\u00e97", "host00aa11bbn2 host00aa11bbn2"),
        ("in /lustre/a/b.h5, twice /lustre/a/b.h5,", "in /hidden/path1 twice /hidden/path1"),
        ("/proc/cpuinfo /usr/local/cuda /dev/shm a/b https://example.org/x/y 1 /2", None),
        ("boss@zenithlabs.example", "/hidden/path1"),
        ("sha256 " + "cafe" * 16, None),
    ],
)
def test_what_is_replaced(names, text, wanted):
    assert masked(names, text) == (text if wanted is None else wanted)


def test_in_source_words_stay_and_digests_are_replaced(names):
    assert masked(names, "box vm zenithlabs cafe q@k.mean", source=True) == "box vm org00aa11bbn1 cafe q@k.mean"
    names.add("name", "cafe", loose=True)
    assert masked(names, "decafe", source=True) == "desys00aa11bbn2"
    numbers = {"a" * 64: "b" * 64, "12": "13"}
    text = json.dumps({"line": "a" * 64, "bytes": 12, "epoch": 12, "other": "a" * 65})
    wanted = json.dumps({"line": "b" * 64, "bytes": 13, "epoch": 12, "other": "a" * 65})
    assert masked(names, text, numbers=numbers) == wanted


def test_an_implementation_is_hidden_where_it_is_one(names):
    names.add("impl", "box")
    names.implementations.add("box")
    text = "implementations/box/train.py implementations.box.train implementations/boxes box"
    new = "implementations/sys00aa11bbn1/train.py implementations.sys00aa11bbn1.train implementations/boxes box"
    assert masked(names, text, source=True) == new


def test_names_in_capitals_are_one_and_the_longest_is_taken(names):
    names.add("org", "ZENITHLABS")
    names.add("org", "Zenith Labs Inc", same_as="Zenithlabs")
    assert {names.given[n] for n in ("ZENITHLABS", "Zenithlabs", "Zenith Labs Inc")} == {"org00aa11bbn1"}
    names.add("sys", "Zenithlabs One")
    assert masked(names, "zenithlabs one, zenithlabs two") == "sys00aa11bbn3, org00aa11bbn1 two"


def test_short_names_and_words_of_the_source_are_masked_alone(names):
    """A folder's name is masked as source is."""
    for name in ("xq7", "xq7z", "beef", "strong"):
        names.add("host", name)
    assert names.loose == {"Zenithlabs", "café7", "xq7z"}
    assert names.kept() == ["beef", "box", "cafe", "strong", "vm", "xq7"]
    assert names.of("box") == "sys00aa11bbn1" and names.of("box vm zenithlabs2") == "box vm org00aa11bbn12"


def test_names_of_folders_and_of_what_logs_tell(tmp_path):
    """A line that is no event, and an event that is not as it should be, tell none."""
    told = [
        logged(1, "submission_platform", "Ridge IX"),
        logged(1, "source", "0" * 64, files={"implementations/quick/train.py": "0" * 64}),
        logged(1, "source", "0" * 64, files=["implementations/none/train.py"]),
        logged(1, "devices", [{"uuids": ["GPU-0a1b"]}, "odd"]),
        logged(1, "devices", 5),
        logged(1, "seed", 5, files={"implementations/none/train.py": 1}, uuids=["no"]),
    ]
    files = {
        "results/ridge/strong/scaffold/result_0.txt": f":::MLLOG no\n{log_text(told)}",
        "results/solo/note": "",
        "results/notes.md": "",
        "systems/ridge.json": '{"system_name": "Ridge Nine"}',
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    found = gather(tmp_path, files, ["Al"])
    assert set(found.given) == {tmp_path.name, "Al", "ridge", "Ridge IX", "Ridge Nine", "GPU-0a1b", "quick", "solo"}
    assert len({found.given[name] for name in ("ridge", "Ridge IX", "Ridge Nine")}) == 1
    assert "Al" in found.loose and found.implementations == {"quick"}


@pytest.mark.parametrize(("deep", "wanted"), [(DEEP - 1, {"quartz"}), (DEEP, set())])
def test_json_is_searched_to_a_depth(deep, wanted):
    told: object = {"host": "quartz"}
    for level in range(deep):
        told = [told] if level % 2 else {"inner": told}
    found = Names()
    searched(found, told)
    assert set(found.given) == wanted


def test_what_is_no_name_and_users_of_home_folders():
    names = Names()
    for name in (None, 5, "", " ", "pytorch", "localhost", "a\nb"):
        names.add("host", name)
    users(names, b"/home/morwenna/x /Users/Jo/y /home/m/mia/z")
    assert set(names.given) == {"morwenna", "Jo", "mia"}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("n1", ["n1", "n1"]),
        ("n1.example.org", ["n1.example.org", "n1"]),
        ("ridge[01-04,7] gpu9,gpu10", ["ridge", "ridge", "gpu9", "gpu9", "gpu10", "gpu10"]),
        ("16", []),
        (f"sha256-{'a' * 64}-[1-16]", []),  # hosts whose names are not told
        (f"sha256-{'a' * 63}-[1-16]", [f"sha256-{'a' * 63}-"] * 2),
    ],
)
def test_hosts_of_lists(text, wanted):
    assert list(hosts(text)) == wanted


def test_names_of_a_submission(named):
    """Also those that a manifest of the environment beside a log tells, wherever in it."""
    told = {"launch": {"SLURMD_NODENAME": "quartz3", "nodes": ["quartz4"]}, "user": "edwin", "kind": {"node": 4}}
    path = named.path(0).with_name("environment_0.json")
    path.write_text(json.dumps(told))
    named.put(path.parent / "power" / "result_0" / "node_0.txt", log_text([logged(1, "power", 5, host="quartz5")]))
    paths = [p.relative_to(named.root).as_posix() for p in named.root.rglob("*") if p.is_file()]
    found = gather(named.root, paths, ["Aurelia"])
    wanted = {"zenithlabs", "ZENITHLABS", "Zenithlabs", "polarbox9", "polarbox9: Aurelia, 1 node", "Aurelia"}
    wanted |= {"ridge07", "ridge07.zenithlabs.example", "quartz3", "quartz4", "quartz5", "edwin"}
    assert set(found.given) == wanted and found.implementations == {"zenithlabs"}


@pytest.mark.slow
def test_thousands_of_names_are_replaced_at_once(names):
    """A large system: 1,000 hosts, 4,000 accelerators, and half a megabyte of text."""
    for number in range(1000):
        names.add("host", f"quartz{number}")
    for number in range(4000):
        names.add("uuid", f"GPU-{number:08x}-ffff-{number:012x}")
    text = "metadata lineno gpu-0000000 quarz " * 15_000 + "quartz99 quartz999 QUARTZ9999"
    with guarded():
        new = masked(names, text)
    host = {n: names.given[f"quartz{n}"] for n in (99, 999)}
    assert new.endswith(f"quarz {host[99]} {host[999]} {host[999]}9")
