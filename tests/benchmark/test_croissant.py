import dataclasses
import hashlib
import json

import pytest

from benchmark import croissant
from benchmark.croissant import CONFORMS, croissant_path, description, faults
from benchmark.generate import generate, record
from benchmark.manifest import load_manifest
from benchmark.problem import SPLITS, load_problem


@pytest.fixture(scope="module", params=["scaffold", "cosmoflow", "deepcam", "published"])
def dataset(request, tiny, tmp_path_factory):
    """(folder, problem) of each workload's data, and of data that came from elsewhere."""
    root, problem = tmp_path_factory.mktemp("data"), tiny
    if request.param != "scaffold":
        small = load_problem("deepcam-mini" if request.param == "deepcam" else "cosmoflow-mini")
        problem = dataclasses.replace(small, name="few", train_samples=3, validation_samples=2)
    generate(root, problem)
    if request.param == "published":
        problem = dataclasses.replace(problem, universe=None, data_seed=0, name="published")
        record(root, problem)
    return root, problem


def read(root):
    return json.loads(croissant_path(root).read_text())


def test_it_says_the_digests_the_files_and_what_made_them(dataset, monkeypatch):
    root, problem = dataset
    found, manifest = read(root), load_manifest(root, problem)
    assert found["conformsTo"] == CONFORMS and found["name"] == problem.name and faults(root, problem) == []
    files = {f["@id"]: f for f in found["distribution"] if f["@type"] == "cr:FileObject"}
    assert files.keys() == {"manifest.json", *(["stats.h5"] if problem.workload == "deepcam" else [])}
    for name, said in files.items():
        data = (root / name).read_bytes()
        assert (said["sha256"], said["contentSize"]) == (hashlib.sha256(data).hexdigest(), f"{len(data)} B")
    rows = found["recordSet"][0]["data"]
    wanted = [(s, len(problem.split_samples(s)), manifest.fingerprints[s]) for s in SPLITS]
    assert [tuple(row.values()) for row in rows] == wanted
    sets = {f["@id"]: f["includes"] for f in found["distribution"] if f["@type"] == "cr:FileSet"}
    for split in SPLITS:  # every sample is in one, and nothing else is
        paths = {p for pattern in sets[f"{split}-files"] for p in root.glob(pattern)}
        assert paths == set((root / split).iterdir()) and len(paths) == len(problem.split_samples(split))
    generated = problem.name != "published"
    assert ("benchmark/generate.py" in found["description"]) == generated
    assert found["url"].startswith("urn:sha256:" if generated else "https://portal.nersc.gov/")
    assert ("license" in found) == ("datePublished" in found) == generated  # which its publishers don't state
    # it does not grow with the samples
    monkeypatch.setattr(type(problem), "samples", 1 << 20, raising=False)
    assert len(json.dumps(description(root, problem, manifest), indent=1)) < croissant.MOST_BYTES / 4


def test_other_tools_read_it(dataset):
    mlcroissant = pytest.importorskip("mlcroissant", reason="mlcroissant is not installed; see benchmark/README.md")
    root, problem = dataset
    found = mlcroissant.Dataset(croissant_path(root))
    assert not found.metadata.ctx.issues.errors
    lacks = [name for name in ("license", "datePublished") if name not in read(root)]
    assert [w for w in found.metadata.ctx.issues.warnings if not any(f"/{name}" in w for name in lacks)] == []
    assert len(list(found.records("splits"))) == 2
    entries = load_manifest(root, problem).entries
    digests = [row["samples/digest"].decode() for row in found.records("samples")]
    assert digests == [e.digest for e in entries]


@pytest.fixture
def described(tiny, tmp_path):
    generate(tmp_path, tiny)
    return tmp_path


def test_digests_are_compared_and_words_are_not(tiny, described):
    content = read(described)
    content |= {"description": "as we call it here", "license": "ours"}
    croissant_path(described).write_text(json.dumps(content))
    assert faults(described, tiny) == []
    content["distribution"].pop(0)
    content["recordSet"][0]["data"][1]["splits/fingerprint"] = "f" * 64
    croissant_path(described).write_text(json.dumps(content))
    one, other = faults(described, tiny)
    assert "croissant.json: sha256 of manifest.json: found nothing, wanted " in one
    assert f"croissant.json: fingerprint of validation: found {'f' * 64}, " in other


@pytest.mark.parametrize(
    "text", ["{", "7", '{"distribution": 1}', '{"a": 1, "a": 2}', '{"distribution": [], "recordSet": []}', " " * 65537]
)
def test_what_is_no_description_is_one_line(tiny, described, text):
    croissant_path(described).write_text(text)
    (line,) = faults(described, tiny)
    assert line.startswith(f"{croissant_path(described)}: ") and "\n" not in line
    assert ("found more than 65536 bytes" in line) == (len(text) > 65536)
    croissant_path(described).unlink()
    croissant_path(described).symlink_to("gone.json")
    (line,) = faults(described, tiny)
    assert line.startswith(f"{croissant_path(described)}: cannot be read as a description: ") and "No such file" in line


def test_a_dataset_without_one_is_whole_and_stays_as_it_is(tiny, described):
    croissant_path(described).unlink()
    assert faults(described, tiny) == []
    generate(described, tiny)
    assert not croissant_path(described).exists()
    record(described, tiny)
    assert croissant_path(described).exists() and faults(described, tiny) == []
