"""A machine of files: what /proc and /sys would have, in a folder."""

from pathlib import Path

import pytest


@pytest.fixture
def machine(tmp_path):
    """The function that writes files below a root, text by path, and links, paths that begin with ->; the root."""

    def make(files: dict[str, str]) -> Path:
        for name, text in files.items():
            path = tmp_path / "root" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text.startswith("->"):
                path.symlink_to(tmp_path / "root" / text[2:])
            else:
                path.write_text(text)
        return tmp_path / "root"

    return make
