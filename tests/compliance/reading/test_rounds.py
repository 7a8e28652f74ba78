"""The list of a frozen round: what it says, and what is refused."""

import os

import pytest

from compliance.reading import rounds
from compliance.reading.rounds import NAME, changes, key_of, published_order, read_frozen, registry_of, sha256
from compliance.reading.tree import log_file, read_submission
from rules.edition import load

DIGEST = "ab" * 32


def test_a_list_is_read_again_once_it_changed(tmp_path):
    assert read_frozen(tmp_path) is None  # a round that is not frozen
    (tmp_path / NAME).write_text(f"{DIGEST} 5 a/b c.txt\n")
    assert read_frozen(tmp_path) == {"a/b c.txt": (DIGEST, 5)}
    assert read_frozen(tmp_path) is read_frozen(tmp_path)
    (tmp_path / NAME).write_text(f"{DIGEST} 5 a/b c.txt\n{DIGEST} 0 d\n")
    assert len(read_frozen(tmp_path)) == 2


@pytest.mark.parametrize(
    "line",
    [
        *("", f"{DIGEST} 5", f"{DIGEST[:-1]} 5 a"),
        *(f"{DIGEST} {rest}" for rest in ("6 first", "-5 a", "5 /etc/passwd")),
    ],
)
def test_a_damaged_list_names_its_line(tmp_path, line):
    (tmp_path / NAME).write_text(f"{DIGEST} 5 first\n{line}\n")
    with pytest.raises(ValueError, match=rf"{NAME}:2: found "):
        read_frozen(tmp_path)


def test_a_list_is_bounded_and_no_pipe_is_opened(tmp_path, monkeypatch):
    (tmp_path / NAME).write_text("x" * 81)
    with pytest.raises(ValueError, match=rf":1: found '{'x' * 80}', wanted"):
        read_frozen(tmp_path)
    (tmp_path / NAME).write_text(f"{DIGEST} 10 a\n")
    monkeypatch.setattr(rounds, "LARGEST", 70)
    assert len(read_frozen(tmp_path)) == 1
    (tmp_path / NAME).write_text(f"{DIGEST} 100 a\n")
    with pytest.raises(ValueError, match="found 71 bytes, wanted 70 at most"):
        read_frozen(tmp_path)
    (tmp_path / NAME).unlink()
    os.mkfifo(tmp_path / NAME)
    with pytest.raises(ValueError, match=NAME):
        read_frozen(tmp_path)


def test_changes(tmp_path, monkeypatch):
    for name in ("same", "other", "longer", "new"):
        (tmp_path / name).write_text(name)
    there = {p.name: (p, p.stat().st_size) for p in tmp_path.iterdir()}
    known = {name: (sha256(tmp_path / name), len(name)) for name in ("same", "longer")}
    known |= {"other": (DIGEST, 5), "gone": (DIGEST, 1), "longer": (DIGEST, 1)}
    read = []
    monkeypatch.setattr(rounds, "sha256", lambda file: read.append(file.name) or sha256(file))
    found = list(changes(there, known))
    assert found == [("gone", "absent"), ("longer", "changed"), ("new", "added"), ("other", "changed")]
    assert read == ["other", "same"]  # a file of other size is not read
    assert sha256(tmp_path / "none") == ""


def test_rounds_of_mlperf_hpc_came_before_ours(tmp_path):
    log = log_file(tmp_path / "result_0.txt", "result_0.txt")
    orders = [published_order(log, load(name)) for name in ("mlperf-hpc-v2.0", "mlperf-hpc-v3.0", "v1.0", "v1.1")]
    assert orders == sorted(set(orders))


def test_weights_may_come_and_go_in_a_frozen_round(tmp_path):
    (tmp_path / "a").write_text("a")
    places = [f"{home}results/box/strong/scaffold/weights/result_0.safetensors" for home in ("acme/", "")]
    assert list(changes(dict.fromkeys(places, (tmp_path / "a", 1)), {})) == []
    assert list(changes({}, dict.fromkeys(places, (DIGEST, 1)))) == []
    others = {"source/0/results/box/weights/a": (DIGEST, 1), "acme/results/weights.txt": (DIGEST, 1)}
    assert [what for _, what in changes({}, others)] == ["absent"] * 2


@pytest.fixture
def of(law):
    """The registry of a submission given by a path."""

    def read(path, given=None, edition="v1.0"):
        return registry_of(read_submission(path, str(path), given or path), load(edition, law))

    return read


def test_it_lies_in_the_folder_that_names_the_edition(registered, of):
    found = of(registered.root)
    assert [entry.organisation for entry in found.entries] == ["bolt", "acme"] and found.damage is None
    assert found.path == str(registered.root.parent / "registry.yaml")
    assert of(registered.root) is found  # as long as it stays as it is
    registered.write_registry("- damaged\n")
    assert of(registered.root).damage
    assert of(registered.root, edition="assigned") is None  # no folder of that name
    (registered.root.parent / "registry.yaml").unlink()
    assert of(registered.root) is None


def test_folders_between_round_and_submission_count_for_nothing(registered, of):
    deeper = registered.root.parent / "closed"
    deeper.mkdir()
    (deeper / "registry.yaml").write_text("- forged\n")
    registered.root.rename(deeper / "acme")
    found = of(deeper / "acme", given=registered.root.parents[1])
    assert len(found.entries) == 2 and found.path == str(registered.root.parent / "registry.yaml")


def test_findings_name_it_as_the_paths_were_given(registered, law, monkeypatch):
    edition, root = load("v1.0", law), registered.root
    whole, above = str(root.parent / "registry.yaml"), root.parts[-3]
    for folder, name, shown in (
        (root.parents[1], "v1.0/acme", "v1.0/registry.yaml"),
        (root.parents[2], f"{above}/v1.0/acme", f"{above}/v1.0/registry.yaml"),
        (root.parent, "acme", whole),
        (root, ".", whole),
    ):
        monkeypatch.chdir(folder)
        submission = read_submission(folder / name, name, folder / name)
        assert registry_of(submission, edition).path == shown


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("nowhere")])
def test_what_is_there_and_no_file_is_damage(registered, of, make):
    path = registered.root.parent / "registry.yaml"
    path.unlink()
    make(path)
    found = of(registered.root)
    assert found.entries == () and (found.damage.line, found.damage.wanted) == (1, "registry.yaml")


def test_entries_by_number_key_and_organisation(registered, of):
    found = of(registered.root)
    one, two = found.entries
    assert [found.entry(number) for number in (1, 2)] == [one, two]
    assert {found.entry(number) for number in (None, 0, 3, -1, 10**30)} == {None}
    assert found.fitting(key_of("ACME", "b-o-x", "scaffold", "tiny")) == [two]
    assert found.fitting(key_of("acme", "box", "scaffold", None)) == []
    assert found.of_organisation("A C M E") == [two] and found.of_organisation("crux") == []
