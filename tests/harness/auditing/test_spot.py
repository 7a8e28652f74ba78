"""The digest of a checkpoint's state: all its files but the metadata, which has times."""

import hashlib

import pytest

from benchmark.source import combine
from harness.auditing.spot import state_of


def test_the_state_is_all_files_but_the_metadata(tmp_path):
    for name, data in (("part_000000.safetensors", b"a"), ("part_000001.safetensors", b"b"), ("metadata.json", b"{}")):
        (tmp_path / name).write_bytes(data)
    parts = {f"part_00000{n}.safetensors": hashlib.sha256(data).hexdigest() for n, data in enumerate((b"a", b"b"))}
    assert state_of(tmp_path) == combine(parts.items())
    (tmp_path / "part_000002.safetensors").symlink_to(tmp_path / "metadata.json")
    with pytest.raises(ValueError, match="no plain file"):
        state_of(tmp_path)
