"""Anonymous packages: no name is left in them, they are judged as what they were made of, and it comes back."""

import gzip
import json
import re

import pytest

from compliance.engine import judge
from compliance.packing.anonymous import anonymised, sha256
from compliance.packing.archive import unpack
from compliance.packing.key import read_key, restored
from compliance.packing.manifest import Manifest, files_at
from compliance.packing.names import gather
from compliance.packing.pack import PENDING, pack_anonymous
from rules.edition import load
from tests.compliance.packing.conftest import ORG, PATHS, SECRETS, SYSTEM, USER, judging


@pytest.fixture(scope="module")
def unpacked(blind, tmp_path_factory):
    """The anonymous submission."""
    return unpack(blind[1], tmp_path_factory.mktemp("unpacked") / "v1.0")


def told(verdict, ignored):
    return sorted((f.code, f.severity, f.line) for f in verdict.findings if not f.code.startswith(ignored))


def files(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_no_name_is_in_any_file_of_the_package(blind, unpacked):
    """Names of files, text, headers of weights, and the tar itself, uncompressed."""
    whole = gzip.decompress(blind[1].read_bytes()).lower()
    held = {**files(unpacked), "the tar": whole, "names": "\n".join(files(unpacked)).encode()}
    before = b"\n".join([*files(blind[0].root).values()]).lower()
    for name in (*SECRETS, *PATHS):
        assert name.lower().encode() in before
        assert not [path for path, data in held.items() if name.lower().encode() in data.lower()]


def test_it_is_judged_as_the_original(blind, unpacked, law):
    before, after = (judge([path], rules=law) for path in (blind[0].root, unpacked))
    assert told(before, PENDING) == told(after, PENDING)
    assert {"LED08"} <= {code for code, *_ in told(after, PENDING)}
    assert not [f for f in after.findings if f.severity == "error"]


def test_published_files_and_the_numbers_of_weights_stay(blind, unpacked):
    (old,), (new,) = ((folder / "source").iterdir() for folder in (blind[0].root, unpacked))
    assert files(old / "benchmark") == files(new / "benchmark") != {}
    assert old.name != new.name
    old, new = (next(folder.glob("results/*/strong/scaffold/weights/*_0*")) for folder in (blind[0].root, unpacked))
    assert old.read_bytes()[-4 * 1234 :] == new.read_bytes()[-4 * 1234 :]
    length = int.from_bytes(new.read_bytes()[:8], "little")
    assert json.loads(new.read_bytes()[8 : 8 + length]) and not length % 8


def test_it_comes_back_byte_for_byte(blind, tmp_path):
    back = unpack(blind[1], tmp_path / "v1.0", restored(read_key(blind[2]), "key"))
    assert back.name == ORG and files(back) == files(blind[0].root)
    assert [p.name for p in (tmp_path / "v1.0").iterdir()] == [ORG]
    names = read_key(blind[2]).names
    assert {ORG, SYSTEM, USER, "aurelia"} <= set(names) and len({*names.values()}) > 4
    assert blind[2].stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("data", [b"\x89PNG\0", b"\xff\xfe", gzip.compress(b"zenithlabs", mtime=0)])
def test_what_cannot_be_looked_into_is_refused(named, law, tmp_path, data):
    (named.root / "README.pdf").write_bytes(data)
    with pytest.raises(ValueError, match=r"^README\.pdf: found no plain text, wanted it"):
        pack_anonymous(named.root, tmp_path / "a.tar.gz", tmp_path / "a.key", [], judging(law), rules=law)
    assert not (tmp_path / "a.key").exists() and not (tmp_path / "a.tar.gz").exists()


def test_words_of_the_published_source_are_hidden_but_in_source(law, tree, tmp_path):
    """The organisation acme and the system box: both are words that the reference has, too."""
    tree.put(tree.root / "README.md", "Made by acme on box, in boxes.\n")
    packed = pack_anonymous(tree.root, tmp_path / "a.tar.gz", tmp_path / "a.key", [], judging(law), rules=law)
    assert packed.names.kept() == ["acme", "box", "n1"]
    folder = unpack(tmp_path / "a.tar.gz", tmp_path / "out")
    assert re.fullmatch(r"Made by org\w+ on sys\w+, in boxes\.\n", (folder / "README.md").read_text())
    texts = [p.read_text() for p in folder.glob("results/*/strong/scaffold/*.txt")]
    assert len(texts) == 5 and not re.search(r"\b(acme|box|n1)\b", "".join(texts))
    back = unpack(tmp_path / "a.tar.gz", tmp_path / "v2", restored(read_key(tmp_path / "a.key"), "key"))
    assert files(back) == files(tree.root)


def test_a_file_that_a_log_names_has_its_bytes_there(tmp_path):
    """A manifest of the environment, whose host becomes a longer name: its digest and its bytes are the new ones, and
    other numbers of bytes stay."""
    home = tmp_path / "zenith" / "results" / "ridge" / "strong" / "scaffold"
    home.mkdir(parents=True)
    told = json.dumps({"nodes": [{"hosts": ["ridge07", "ridge08"], "facts": {}}]}).encode()
    (home / "environment_0.json").write_bytes(told)
    facts = {"value": sha256(told), "metadata": {"bytes": len(told), "path": "environment_0.json"}}
    other = {"value": 1, "metadata": {"bytes": len(told)}}
    (home / "result_0.txt").write_text(f"{json.dumps(facts)}\n{json.dumps(other)}\n")
    names = ("environment_0.json", "result_0.txt")
    files = files_at(tmp_path / "zenith", [f"results/ridge/strong/scaffold/{name}" for name in names])
    found = gather(tmp_path / "zenith", [file.path for file in files])
    manifest = Manifest("zenith", "v1.0", files)
    anonymised(tmp_path / "zenith", tmp_path / "new", manifest, load("v1.0"), found)
    (log,) = (tmp_path / "new").rglob("result_0.txt")
    new = log.with_name("environment_0.json").read_bytes()
    first, second = map(json.loads, log.read_text().splitlines())
    assert b"ridge" not in new and len(new) > len(told)
    assert first == {"value": sha256(new), "metadata": {"bytes": len(new), "path": "environment_0.json"}}
    assert second == other
