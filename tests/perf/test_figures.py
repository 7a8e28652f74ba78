"""Pictures of problems: small, the same bytes twice, and of the problems as they are."""

import numpy as np
import pytest

from benchmark.problem import load_problem

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

from perf import figures  # noqa: E402  needs Pillow


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    """Parts a quarter as large."""
    for name, value in {"SLICE": 64, "BODY": 96}.items():
        monkeypatch.setattr(figures, name, value)


def test_small_and_the_same_twice(tmp_path):
    for folder in ("a", "b"):
        assert figures.main(["--problem", "smoke", "--out", str(tmp_path / folder)]) == 0
    first, second = (tmp_path / folder / "scaffold-smoke.png" for folder in ("a", "b"))
    assert first.read_bytes() == second.read_bytes() and first.stat().st_size < 60_000


@pytest.mark.parametrize(
    ("name", "said"), [("smoek", "did you mean 'smoke'"), ("deepcam-mini", "found deepcam-mini, wanted problems of Sc")]
)
def test_a_problem_that_cannot_be_drawn_is_named(tmp_path, capsys, name, said):
    assert figures.main(["--problem", "smoke", name, "--out", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_planes_are_the_fullest_of_each_half():
    label = np.zeros((8, 4, 4), np.uint8)
    label[1], label[5, :2], label[6, :3], label[2, 0] = 1, 2, 3, 4
    assert figures.chosen_planes(label) == [1, 6]


@pytest.mark.parametrize("name", figures.PROBLEMS)
def test_published_pictures_are_of_the_problems_as_they_are(name):
    path = figures.OUT / f"scaffold-{name}.png"
    with Image.open(path) as picture:
        assert picture.text["problem"] == load_problem(name).digest(), "python perf/figures.py makes them anew"
    assert path.stat().st_size < 60_000
