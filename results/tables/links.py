"""Links from tables to logs and to the parts of a page."""

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compliance.safe import address
from results.statistics.result import Result


@dataclass(frozen=True)
class Links:
    """The links of a page, relative to the folder `base` where it will lie. A `public` page has no links to files,
    since no logs lie beside it. `pages` are the files of submissions' own pages, by organisation."""

    base: Path
    public: bool = False
    pages: Mapping[str, str] = field(default_factory=dict)

    def place(self, path: Path | str, line: Any = None) -> str:
        """`path:line`, as findings write it."""
        where = os.path.relpath(path, self.base).replace(os.sep, "/")
        return where if line is None or line != line else f"{where}:{int(line)}"

    def to(self, path: Path | str) -> str:
        """The link to a file, "" in a public page."""
        return "" if self.public else address(self.place(path))

    def part(self, r: Result) -> str:
        """The link to a set's part: in its submission's page, or in this page."""
        return f"{self.pages.get(r.org, '')}#{anchor(r.name, r.group[2])}"


def anchor(*parts: str) -> str:
    """A readable fragment of letters, digits and hyphens, with a digest that tells similar names apart."""
    words = re.sub(r"[^a-z0-9]+", "-", " ".join(parts).lower(), flags=re.ASCII).strip("-")[:60]
    digest = hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:6]
    return f"{words}-{digest}" if words else digest
