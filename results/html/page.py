"""Pages: templates in which every value is text, the charts' code inside the page, and a policy that forbids requests.

Whatever a template prints went through `clean`: control characters are shown and addresses of people are left out, so
that a page can be published.
"""

import base64
import hashlib
import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from compliance.safe import address, printable
from results.html.specs import SPECS

HERE = Path(__file__).resolve().parent
ADDRESS = re.compile(r"[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
HIDDEN = "[address]"


def page(template: str, charts: bool = True, code: str = "", **content: Any) -> str:
    """A whole document made of a template of `templates/`, with the code that draws charts where it has `charts`:
    inside of it, or in the file `code` beside it, as pages of a site have it. Only that file and scripts whose digests
    its policy has are run."""
    style, script = (Markup((HERE / name).read_text(encoding="utf-8")) for name in ("report.css", "report.js"))
    scripts = [bundle(), script] if charts and not code else [script]
    made = environment().get_template(template)
    beside = code if charts else ""
    allowed = policy(scripts, bool(beside))
    return made.render(style=style, code=beside, scripts=scripts, policy=allowed, specs=SPECS, **content)


@cache
def environment() -> Environment:
    """Where templates are found, and what they may use."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=clean,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["data"] = data
    return made


@cache
def bundle() -> Markup:
    """Vega, Vega-Lite and their interpreter of expressions as one script."""
    import vl_convert  # loads an engine for JavaScript: only where a page is made

    code = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return Markup(code.replace("</script", "<\\/script").replace("<!--", "<\\!--"))


def policy(scripts: Sequence[str], beside: bool = False) -> str:
    """The policy of a page: no request at all, no text run as code, no script but those that it holds, and where there
    is one `beside` it, those of its own site."""
    digests = (base64.b64encode(hashlib.sha256(code.encode()).digest()).decode() for code in scripts)
    allowed = " ".join([*(f"'sha256-{digest}'" for digest in digests), *(["'self'"] if beside else [])])
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def clean(value: Any) -> Any:
    """A value as pages show it: nothing for None, and of text nothing that a terminal would obey, and no address."""
    if value is None:
        return ""
    if isinstance(value, str) and not isinstance(value, Markup):
        return ADDRESS.sub(HIDDEN, printable(value))
    return value


def data(value: Any) -> Markup:
    """JSON inside a page: cleaned as text is, nothing in it can end the element that it stands in; NaN and infinity are
    null."""
    text = json.dumps(plain(value), separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {plain(key): plain(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, float):
        return None if not math.isfinite(value) else int(value) if value.is_integer() and abs(value) < 1e15 else value
    return clean(value) if isinstance(value, str) else value


@dataclass(frozen=True)
class Links:
    """Links to files, relative to the folder where the page will lie; none in a page that is `public`, which lies where
    there are no logs. `pages` are those of submissions, by organisation, where they have pages of their own."""

    base: Path
    public: bool = False
    pages: Mapping[str, str] = field(default_factory=dict)

    def place(self, path: Path | str, line: Any = None) -> str:
        """`path:line`, as findings write it."""
        where = os.path.relpath(path, self.base).replace(os.sep, "/")
        return where if line is None or line != line else f"{where}:{int(line)}"

    def to(self, path: Path | str) -> str:
        """What a link to a file holds, "" where there is none to be."""
        if self.public:
            return ""
        return address(self.place(path))

    def part(self, org: str, at: str) -> str:
        """What leads to the part of a set: in the page of its submission, or further below."""
        return f"{self.pages.get(org, '')}#{at}"


def anchor(*parts: str) -> str:
    """A fragment that a person can read: the same every time, and letters, digits and hyphens whatever names hold."""
    words = re.sub(r"[^a-z0-9]+", "-", " ".join(parts).lower(), flags=re.ASCII).strip("-")[:60]
    digest = hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:6]
    return f"{words}-{digest}" if words else digest
