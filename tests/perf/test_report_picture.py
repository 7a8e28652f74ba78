"""A picture of the report: as large as asked for, and of the part that is asked for."""

import pytest

pytest.importorskip("PIL.Image", reason="Pillow is not installed")
pytest.importorskip("websocket", reason="websocket-client is not installed")

from perf.browser import browser
from perf.report_picture import OUT, picture

PAGE = """<!doctype html><body style="margin:0;background:white"><h2 style="margin:2000px 0 0">smoke</h2>
<details><summary>a set</summary><div style="height:3000px;background:rgb(0,0,255)"></div></details>"""


@pytest.mark.slow
@pytest.mark.skipif(browser() is None, reason="no Chromium is installed")
def test_the_part_below_a_heading_with_its_set_opened(tmp_path):
    page = tmp_path / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    found = picture(page, "smoke", width=400, height=300).convert("RGB")
    assert found.size == (300, 225) and found.getpixel((150, 220)) == (0, 0, 255)
    with pytest.raises(RuntimeError, match=r"page\.html: found no heading with 'scale6'"):
        picture(page, "scale6")


def test_the_published_picture_is_small():
    assert 10_000 < OUT.stat().st_size < 120_000
