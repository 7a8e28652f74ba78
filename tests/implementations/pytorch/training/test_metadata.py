"""What a checkpoint says of its run: every damage is noticed, and nothing in it is believed unseen."""

import dataclasses
import hashlib
import json
import os
import re

import pytest

from implementations.pytorch.training.metadata import LARGEST, CheckpointMetadata, load_metadata, render

DIGEST = hashlib.sha256(b"").hexdigest()
GOOD = CheckpointMetadata(
    problem=DIGEST,
    settings={"batch_size": 4, "layout": None},
    seed=2**63 - 1,
    started=1_700_000_000_000,
    saved=1_700_000_000_500,
    epoch=2,
    score=0.1 + 0.2,
    facts={"intersection": [1, 2]},
    parts={"part_000000.safetensors": DIGEST, "part_000003.safetensors": DIGEST[::-1]},
    places={"model/weight": [0, 2**63 - 1], "optimizer/step": [3, 1]},
)


def signed(fields: dict) -> bytes:
    """Any fields with the digest that they should have."""
    text = json.dumps({"sha256": "", **fields}, indent=1)
    return text.replace('""', f'"{hashlib.sha256(text.encode()).hexdigest()}"', 1).encode()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "metadata.json"


def test_there_and_back(path):
    path.write_text(render(GOOD))
    assert load_metadata(path) == GOOD
    assert path.read_bytes() == signed(dataclasses.asdict(GOOD))
    assert dataclasses.replace(GOOD, seed=0, epoch=0).seed == 0


def test_found_and_wanted_are_named(path):
    text = render(GOOD)
    path.write_text(text.replace('"epoch": 2', '"epoch": 3'))
    wanted = json.loads(text)["sha256"]
    found = json.loads(render(dataclasses.replace(GOOD, epoch=3)))["sha256"]
    with pytest.raises(ValueError, match=f"^{path}: found sha256 {found}, wanted '{wanted}', as the file itself says$"):
        load_metadata(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff", "no metadata of a checkpoint: 'utf-8' codec"),
        (b"[" * 200_000, "no metadata of a checkpoint: nested too deeply"),
        (b'{"epoch": ' + b"9" * 5000 + b"}", "no metadata of a checkpoint: Exceeds the limit"),
        (b" " * LARGEST, "no metadata of a checkpoint: Expecting value"),
        (b" " * (LARGEST + 1), f"no metadata of a checkpoint: found more than {LARGEST} bytes"),
        (b"[1]", "found sha256 .*, wanted None, as the file itself says"),
        (b'{"sha256": "\\ud800"}', "found sha256 "),
    ],
)
def test_what_is_no_metadata_is_refused(path, data, message):
    path.write_bytes(data)
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}: {message}"):
        load_metadata(path)
    path.unlink()
    os.mkfifo(path)  # which is not waited for
    with pytest.raises(ValueError, match=f"^{path}: no metadata of a checkpoint: .*no regular file"):
        load_metadata(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epoch": "2"}, r"\.epoch: found '2' \(str\), wanted int"),
        ({"epoch": -1}, ": epoch: found -1, wanted 0 or more"),
        ({"seed": 2**63}, ": seed: found 9223372036854775808, wanted 0 or more, and less than 2\\^63"),
        ({"settings": []}, r": settings: found \[\], wanted a mapping"),
        ({"parts": {"../part_000000.safetensors": DIGEST}}, ": parts: found .*, wanted names of parts"),
        ({"parts": {"part_000000.safetensors": DIGEST.upper()}}, ": parts: found .*, wanted names of parts"),
        ({"parts": {"part_000000.safetensors": 1}}, ": parts: found .*, wanted names of parts"),
        ({"places": {"a": [0]}}, ": places: found .*, wanted the first part of each tensor, from 0, and the rows"),
        ({"places": {"a": [-1, 1]}}, ": places: found .*, wanted the first part"),
        ({"places": {"a": [0, 0]}}, ": places: found .*, wanted the first part"),
        ({"places": {"a": [0, True]}}, ": places: found .*, wanted the first part"),
        ({"places": {"a": [0, 2**63]}}, ": places: found .*, wanted the first part"),
    ],
)
def test_fields_are_what_they_claim_to_be(path, change, message):
    """Whoever writes the right digest may still write anything into the fields."""
    path.write_bytes(signed(dataclasses.asdict(GOOD) | change))
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}{message}"):
        load_metadata(path)
    path.write_bytes(signed(dataclasses.asdict(GOOD)))
    assert load_metadata(path) == GOOD
