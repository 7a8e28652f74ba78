"""Draw the README's picture of the report: a part of the page that results/summarize.py writes for a round.

    python perf/report_picture.py        # docs/figures/report.png

Needs Chromium, websocket-client and Pillow. Another version of Chromium may draw another picture.
"""

import argparse
import base64
import io
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from PIL import Image

from benchmark.atomic import replacing
from perf.browser import started, tab
from results import summarize

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "docs" / "figures" / "report.png"
WIDTH, HEIGHT = 1180, 1325  # CSS pixels
SIZE, COLOURS = 0.75, 256  # pixels of the picture for each CSS pixel; colours of its palette
MARGIN, SETTLE = 14, 3.0  # CSS pixels above the heading; seconds to wait for charts
FIND = """(() => {
  const found = [...document.querySelectorAll("h2")].find((heading) => heading.textContent.includes(%s));
  const follows = (part) => found.compareDocumentPosition(part) & Node.DOCUMENT_POSITION_FOLLOWING;
  if (found) [...document.querySelectorAll("details:not(.rule)")].find(follows).open = true;
  if (found) window.scrollTo(0, found.getBoundingClientRect().top + window.scrollY - %d);
  return Boolean(found);
})()"""  # opens the first set below the heading, and scrolls there: charts are drawn when they are seen


def picture(page: Path, heading: str, width: int = WIDTH, height: int = HEIGHT) -> Image.Image:
    """A picture of a page from a heading on. Raises RuntimeError if there is no browser or no such heading."""
    with started() as address:
        opened = tab(address)
        opened.open(page, width=width)
        opened.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        for _ in range(2):  # charts that are drawn on the way move the heading
            if not opened.run(FIND % (json.dumps(heading), MARGIN)):
                raise RuntimeError(f"{page.name}: found no heading with {heading!r}, wanted one")
            time.sleep(SETTLE)
        data = opened.call("Page.captureScreenshot", format="png")["data"]
    whole = Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")
    small = whole.resize((round(width * SIZE), round(height * SIZE)), Image.Resampling.LANCZOS)
    return small.quantize(COLOURS, Image.Quantize.MAXCOVERAGE)


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, write, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", default=[str(ROOT / "results" / "v1.0")], help="default: results/v1.0")
    parser.add_argument("--heading", default="scaffold", help="where the picture begins; default: scaffold")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        code = summarize.main([*options.paths, "--output", str(page)])
        if not page.is_file():
            return code
        try:
            with replacing(options.out) as partial:
                picture(page, options.heading).save(partial, "PNG", optimize=True)
        except (RuntimeError, OSError) as error:
            print(f"report_picture.py: {error}", file=sys.stderr)
            return 2
    print(f"{options.out}: {options.out.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
