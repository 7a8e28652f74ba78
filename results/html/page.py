"""Making pages from templates: every value is escaped, and a policy in the page forbids requests.

Every value passes through `clean`, which shows control characters and leaves out mail addresses, so that a page can be
published.
"""

import base64
import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from compliance.safe import printable
from results.html.specs import SPECS

HERE = Path(__file__).resolve().parent
ADDRESS = re.compile(r"[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
HIDDEN = "[address]"


def page(template: str, charts: bool = True, code: str = "", **content: Any) -> str:
    """The HTML of a page, made from a template of `templates/`. A page with `charts` holds the code that draws them, or
    loads it from the file `code` beside it, as the pages of a site do. The page's policy allows no other script."""
    style, script = (Markup((HERE / name).read_text(encoding="utf-8")) for name in ("report.css", "report.js"))
    scripts = [bundle(), script] if charts and not code else [script]
    made = environment().get_template(template)
    beside = code if charts else ""
    allowed = policy(scripts, bool(beside))
    return made.render(style=style, code=beside, scripts=scripts, policy=allowed, specs=SPECS, **content)


@cache
def environment() -> Environment:
    """The Jinja environment: autoescaping, and an error for undefined names."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=clean,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["data"] = data
    made.filters["breakable"] = breakable
    return made


@cache
def bundle() -> Markup:
    """Vega, Vega-Lite and their interpreter of expressions as one script."""
    import vl_convert  # loads a JavaScript engine: only when a page is made

    code = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return Markup(code.replace("</script", "<\\/script").replace("<!--", "<\\!--"))


def policy(scripts: Sequence[str], beside: bool = False) -> str:
    """The content security policy of a page: no request, no evaluation of text, and no script except those it holds,
    named by their digests. With `beside`, scripts of its own site, too."""
    digests = (base64.b64encode(hashlib.sha256(code.encode()).digest()).decode() for code in scripts)
    allowed = " ".join([*(f"'sha256-{digest}'" for digest in digests), *(["'self'"] if beside else [])])
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def clean(value: Any) -> Any:
    """A value as pages show it: "" for None; text without control characters and mail addresses."""
    if value is None:
        return ""
    if isinstance(value, str) and not isinstance(value, Markup):
        return ADDRESS.sub(HIDDEN, printable(value))
    return value


def breakable(value: Any) -> Markup:
    """A name that a narrow screen may break after its parts."""
    return Markup(re.sub(r"([_/+-])(?=.)", r"\1<wbr>", str(escape(clean(value)))))


def data(value: Any) -> Markup:
    """JSON for a script element: text is cleaned, markup is escaped, NaN and infinity are null."""
    text = json.dumps(plain(value), separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def plain(value: Any) -> Any:
    """A value as JSON holds it: text cleaned, whole floats as integers, NaN and infinity as None."""
    if isinstance(value, Mapping):
        return {plain(key): plain(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, float):
        return None if not math.isfinite(value) else int(value) if value.is_integer() and abs(value) < 1e15 else value
    return clean(value) if isinstance(value, str) else value
