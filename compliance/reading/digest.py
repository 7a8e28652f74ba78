"""sha256 of files and of values."""

import hashlib
import re
from pathlib import Path
from typing import Any

from benchmark.log import open_regular

SHA256 = re.compile(r"[0-9a-f]{64}")


def is_sha256(value: Any) -> bool:
    """Return whether a value is a sha256 in hexadecimal."""
    return type(value) is str and bool(SHA256.fullmatch(value))


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file. Raises OSError for anything but a regular file that can be read."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256(path: Path) -> str:
    """Return the sha256 of a file, "" if it can't be read."""
    try:
        return sha256_of(path)
    except OSError:
        return ""
