"""Pictures of problems: small, the same bytes twice, and of the problems as they are."""

from pathlib import Path

import numpy as np
import pytest

from benchmark.problem import load_problem

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

from perf import figures  # noqa: E402  needs Pillow
from perf.voxels import COLOURS  # noqa: E402


@pytest.fixture
def tiny(monkeypatch):
    """Parts a quarter as large."""
    for name, value in {"SLICE": 64, "BODY": 96, "SMALL": 24}.items():
        monkeypatch.setattr(figures, name, value)


def test_small_and_the_same_twice(tiny, tmp_path, capsys):
    for folder in ("a", "b"):
        assert figures.main(["--problem", "smoke", "--categories", "smoke", "--out", str(tmp_path / folder)]) == 0
    found = {p.name: p.read_bytes() for p in (tmp_path / "a").iterdir()}
    assert sorted(found) == ["scaffold-categories.png", "scaffold-smoke.png"]
    assert found == {p.name: p.read_bytes() for p in (tmp_path / "b").iterdir()}
    assert max(map(len, found.values())) < 60_000
    assert len(capsys.readouterr().out.splitlines()) == 4


def test_an_unknown_problem_is_named(tmp_path, capsys):
    assert figures.main(["--problem", "smoek", "--out", str(tmp_path)]) == 2
    assert "did you mean 'smoke'" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_slices_show_each_class_in_its_colour():
    label = np.arange(6, dtype=np.uint8).reshape(2, 3).repeat(2, axis=0)[:, :2]
    volume = (label * 40).astype(np.uint8)
    grey, classes = figures.slice_pictures(volume, label)
    assert grey.size == classes.size == (128, 256)  # whole pixels a voxel
    assert grey.getpixel((0, 0)) == (0, 0, 0) and classes.getpixel((0, 0)) == figures.NOTHING
    assert classes.getpixel((127, 0)) == COLOURS[0] and grey.getpixel((127, 0)) == (40, 40, 40)


def test_planes_are_the_fullest_of_the_fullest_layers():
    label = np.zeros((8, 4, 4), np.uint8)
    label[1], label[5, :2], label[6, :3], label[2, 0] = 1, 2, 3, 4
    assert figures.chosen_planes(label, 4) == [1, 6]
    assert figures.chosen_planes(label, 2) == [1, 6]
    assert figures.chosen_planes(label, 2, wanted=1) == [1]


def test_variants_are_named_by_what_is_scaled():
    assert figures.variant_of(None, None) == (0, "base")
    assert figures.variant_of(0, 4) == (1, "parameter 1 x 0.4")
    assert figures.variant_of(11, 16) == (144, "parameter 12 x 1.6")


def test_the_palette_holds_every_colour_of_the_legend():
    palette = {tuple(c) for c in figures.palette().tolist()}
    assert len(figures.palette()) <= 256
    assert {figures.NOTHING, (0, 0, 0), (255, 255, 255), *COLOURS} <= palette


PUBLISHED = sorted((Path(figures.ROOT) / "docs" / "figures").glob("scaffold-*.png"))


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda p: p.name)
def test_published_pictures_are_of_the_problems_as_they_are(path):
    name = path.stem.removeprefix("scaffold-")
    problem = load_problem("scale7" if name == "categories" else name)
    with Image.open(path) as picture:
        assert picture.text["problem"] == problem.digest(), "python perf/figures.py makes them anew"
    assert path.stat().st_size < 60_000
