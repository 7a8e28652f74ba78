import dataclasses
import json
import os
import shutil

import pytest

from benchmark import fingerprint
from benchmark.generate import record
from benchmark.manifest import load_manifest, manifest_path
from benchmark.scaffold.description import read_header
from benchmark.scaffold.store import sample_path


@pytest.fixture
def dataset(made, tmp_path):
    return shutil.copytree(made, tmp_path, dirs_exist_ok=True)


def test_manifest_says_what_the_files_say(tiny, dataset):
    before, manifest = manifest_path(dataset).read_bytes(), load_manifest(dataset, tiny)
    assert record(dataset, tiny) == manifest and manifest_path(dataset).read_bytes() == before
    assert [e.sample for e in manifest.entries] == list(range(6))
    assert [e.split for e in manifest.entries] == ["train"] * 4 + ["validation"] * 2
    for split in ("train", "validation"):
        headers = [read_header(sample_path(dataset, split, s)) for s in tiny.split_samples(split)]
        total = fingerprint.add(*(fingerprint.from_hex(h.digest) for h in headers))
        assert manifest.fingerprints[split] == fingerprint.to_hex(total)
        assert manifest.class_counts[split] == tuple(map(sum, zip(*(h.class_counts for h in headers), strict=True)))
        assert sum(manifest.class_counts[split]) == len(headers) * tiny.voxels
    with pytest.raises(ValueError, match=r"manifest\.json: found problem 'tiny' .* wanted 'other'"):
        load_manifest(dataset, dataclasses.replace(tiny, name="other"))


def test_a_mistyped_folder_and_an_unfinished_dataset_get_advice(tiny, dataset, tmp_path):
    def said(root):
        with pytest.raises(ValueError, match=r"manifest\.json: no manifest: ") as error:
            load_manifest(root, tiny)
        assert f"python benchmark/generate.py --problem tiny --out {root}" in str(error.value)
        return str(error.value).partition("no manifest: ")[2].partition("python ")[0]

    nowhere, elsewhere = tmp_path / "nowhere", tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert said(nowhere) == f"found no folder {nowhere}, wanted a dataset: correct the path, or make one there: "
    wanted = "wanted a dataset: correct the path, or make one: "
    assert said(elsewhere) == f"found no train or validation in {elsewhere}, {wanted}"
    manifest_path(dataset).unlink()
    assert said(dataset) == f"found all {tiny.samples} samples, wanted their manifest, too: "
    sample_path(dataset, "validation", 4).unlink()
    assert said(dataset) == f"found {tiny.samples - 1} of {tiny.samples} samples, wanted all: go on with it: "


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m["samples"][0].update(split="validation"), "found 6 entries, .* each once in its split"),
        (lambda m: m["samples"][0].update(digest="0" * 64), "fingerprints: not what follows from the problem"),
        (lambda m: m.pop("samples"), "not a manifest of ours"),
        (lambda m: m["class_counts"].update(train=[*map(float, m["class_counts"]["train"])]), "class_counts: not"),
        (lambda m: m["problem"].update(scale=5), "problem: not what"),
        (lambda m: m.update(more=1), "found 'more', wanted no more"),
        (lambda m: m["samples"][0].update(id=0.0), r"samples\[0\]\.id: found 0\.0, wanted an integer"),
        (lambda m: m["samples"][0].update(split=["train"]), r"samples\[0\]\.split: found \['train'\]"),
        (lambda m: m["samples"][0].update(digest="A" * 64), "64 hexadecimal digits"),
        (lambda m: m["samples"][0].update(split="\x1b[31m"), r"found '\\x1b\[31m'"),
        (lambda m: m["samples"][0].update(more=1), "wanted id, split, digest and class_counts"),
        (lambda m: m["samples"].__setitem__(0, 3), r"samples\[0\]: found 3"),
        (lambda m: m["samples"][0].update(class_counts=[-1]), r"class_counts: found \[-1\], wanted integers from 0 on"),
        (lambda m: m["samples"][0].update(class_counts=[True]), "wanted integers from 0 on"),
        (lambda m: m["samples"][0].update(class_counts=[1 << 62]), "wanted integers from 0 on"),
        (lambda m: m["samples"][0].update(class_counts=[1]), "zip"),
    ],
)
def test_contradictions(tiny, dataset, change, message):
    content = json.loads(manifest_path(dataset).read_text())
    change(content)
    manifest_path(dataset).write_text(json.dumps(content))
    with pytest.raises(ValueError, match=rf"manifest\.json: .*{message}"):
        load_manifest(dataset, tiny)


@pytest.mark.parametrize("text", ["", "[]", "[" * 100_000, '{"a":' * 100_000, '{"samples": [], "samples": []}'])
def test_garbage(tiny, dataset, text):
    manifest_path(dataset).write_text(text)
    with pytest.raises(ValueError, match=r"manifest\.json"):
        load_manifest(dataset, tiny)
    manifest_path(dataset).unlink()
    os.mkfifo(manifest_path(dataset))  # which is not waited for
    with pytest.raises(ValueError, match="no regular file"):
        load_manifest(dataset, tiny)
