"""Draw the pictures of ScaFFold's problems for the documentation.

    python perf/figures.py                                    # docs/figures/scaffold-<problem>.png
    python perf/figures.py --problem smoke scale6 --out DIR

The picture of a problem has two slices of a sample, intensities beside labels, and the whole sample as a solid body.
The same problems always give the same bytes.
"""

import argparse
import itertools
import math
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

from benchmark.atomic import replacing
from benchmark.problem import load_problem
from benchmark.scaffold.problem import Problem
from benchmark.scaffold.volume import fractals, make_sample
from perf.script import script

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "docs" / "figures"
PROBLEMS = ("smoke", "scale6", "scale7", "scale8")
SLICE, BODY = 256, 540  # pixels: sides of a slice, and of the whole volume
GAP, EDGE, LINE, TOP = 16, 24, 34, 100  # pixels: between and around parts, for a line of text, above the first part
NOTHING, INK, SOFT, GREY = (226, 226, 226), (20, 20, 20), (90, 90, 90), (170, 170, 170)
# Okabe and Ito's colours, told apart with any colour vision: https://jfly.uni-koeln.de/color/
COLOURS = ((0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (240, 228, 66))  # of categories 1, 2, ...
TURN, HEIGHT = math.radians(28), math.radians(26)  # the direction of view: plane z = 0 is on top, y = 0 behind
RIGHT = np.array([0.0, -math.sin(TURN), math.cos(TURN)])  # each (z, y, x): the picture's axes, and towards the viewer
DOWN = np.array([math.cos(HEIGHT), math.cos(TURN) * math.sin(HEIGHT), math.sin(TURN) * math.sin(HEIGHT)])
NEAR = np.array([-math.sin(HEIGHT), math.cos(TURN) * math.cos(HEIGHT), math.sin(TURN) * math.cos(HEIGHT)])
FACES = np.array(  # the corners of a voxel's faces that the viewer sees: on top, in front, on the right
    [[(0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0)], [(0, 1, 0), (0, 1, 1), (1, 1, 1), (1, 1, 0)],
     [(0, 0, 1), (0, 1, 1), (1, 1, 1), (1, 0, 1)]]
)  # fmt: skip
SHADES = np.array([1.1, 0.92, 0.72])  # of these faces
FARTHEST = 0.76  # shade of the farthest voxels
FINER = 2  # a body is drawn at this multiple of its size, and averaged
CORNERS = list(itertools.product((0, 1), repeat=3))
NEAREST = (0, 1, 1)  # the corner of the volume that is nearest to the viewer


def on_picture(places: np.ndarray) -> list:
    """The [x, y] in pixels, in lists as deep as the array, of places (..., 3) in a cube of side 1."""
    unit = 0.99 * FINER * BODY / max(np.abs(RIGHT).sum(), np.abs(DOWN).sum())
    found = FINER * BODY / 2 + unit * np.stack([(places - 0.5) @ RIGHT, (places - 0.5) @ DOWN], axis=-1)
    return found.tolist()


def body(label: np.ndarray, names: Iterable[tuple[np.ndarray, str]] = ()) -> Image.Image:
    """A picture of a volume of classes (n, n, n) as a solid body between the edges of the volume. `names` are places in
    a cube of side 1 with what is written there."""
    picture = Image.new("RGB", (FINER * BODY, FINER * BODY), "white")
    draw = ImageDraw.Draw(picture)
    edges = [edge for edge in itertools.combinations(CORNERS, 2) if math.dist(*edge) == 1]
    for nearest in (False, True):
        for edge in edges:
            if (NEAREST in edge) == nearest:
                draw.line([tuple(place) for place in on_picture(np.array(edge))], GREY, FINER)
        if not nearest:
            solid(draw, label)
    for place, words in names:
        at = on_picture(place)
        draw.text(at, words, INK, font(22 * FINER), "mm", stroke_width=3 * FINER, stroke_fill="white")
    return picture.reduce(FINER)


def solid(draw: ImageDraw.ImageDraw, label: np.ndarray) -> None:
    """Draw the occupied voxels, the nearest last. Their shade depends on the face and on the distance."""
    n = len(label)
    voxels = np.argwhere(label)
    voxels = voxels[np.argsort(voxels @ NEAR, kind="stable")]
    distance = 0.5 + ((voxels + 0.5) / n - 0.5) @ NEAR / np.abs(NEAR).sum()  # 0: farthest, 1: nearest
    shades = (FARTHEST + (1 - FARTHEST) * distance)[:, None] * SHADES
    colours = np.minimum(255, np.array(COLOURS)[label[tuple(voxels.T)] - 1, None] * shades[..., None]).astype(int)
    for voxel, of_faces in zip(voxels, colours.tolist(), strict=True):
        for face, colour in zip(on_picture((voxel + FACES) / n), of_faces, strict=True):
            draw.polygon([tuple(corner) for corner in face], tuple(colour))


def chosen_sample(problem: Problem) -> int:
    """The sample with the most categories among the first 40."""
    return max(range(min(problem.samples, 40)), key=lambda sample: len({f.category for f in fractals(problem, sample)}))


def chosen_planes(label: np.ndarray) -> list[int]:
    """The fullest plane of each half of a volume."""
    counts = (label != 0).sum(axis=(1, 2)).reshape(2, -1)
    return [half * counts.shape[1] + int(counts[half].argmax()) for half in range(2)]


def font(size: int) -> ImageFont.FreeTypeFont:
    """Pillow's own font, which is the same on every machine."""
    return ImageFont.load_default(size)


def problem_picture(problem: Problem) -> Image.Image:
    """The picture of a problem."""
    sample = chosen_sample(problem)
    volume, label = make_sample(problem, sample)
    left, height = EDGE + 2 * (SLICE + GAP) + GAP, TOP + 2 * (SLICE + LINE) + LINE
    picture = Image.new("RGB", (left + BODY + EDGE, height), "white")
    draw = ImageDraw.Draw(picture)
    title, words = captions(problem)
    draw.text((EDGE, EDGE - 4), title, INK, font(22))
    draw.text((EDGE, EDGE + 26), words, SOFT, font(14))
    classes = np.array([NOTHING, *COLOURS], np.uint8)[label]
    for row, plane in enumerate(chosen_planes(label)):
        for column, (words, pixels) in enumerate((("input: intensities", volume), ("answer: classes", classes))):
            x, y = EDGE + column * (SLICE + GAP), TOP + row * (SLICE + LINE)
            draw.text((x, y - 6), f"{words} at z = {plane}", INK, font(14), "ls")
            picture.paste(Image.fromarray(pixels[plane]).resize((SLICE, SLICE), Image.Resampling.NEAREST), (x, y))
    draw.text((left, TOP - 6), "answer: the whole volume, z = 0 on top, y = 0 behind", INK, font(14), "ls")
    cells = problem.side // problem.cell
    numbers = [((np.array(f.cell) + 0.5) / cells, str(f.category + 1)) for f in fractals(problem, sample)]
    picture.paste(body(label, numbers), (left, TOP))
    legend(draw, EDGE, height - EDGE - 16, ["background", *(f"category {i + 1}" for i in range(problem.categories))])
    return picture


def legend(draw: ImageDraw.ImageDraw, x: float, y: float, names: Sequence[str]) -> None:
    """Draw a row of swatches with the names of classes."""
    for name, colour in zip(names, (NOTHING, *COLOURS), strict=False):
        draw.rectangle((x, y, x + 16, y + 16), colour, SOFT)
        draw.text((x + 24, y + 8), name, INK, font(15), "lm")
        x += 52 + draw.textlength(name, font(15))


def captions(problem: Problem) -> tuple[str, str]:
    """(title, explanation) of a problem's picture."""
    n, c, (low, high) = problem.side, problem.cell, problem.intensity.foreground
    return (
        f"{problem.name}: a volume of {n} x {n} x {n} voxels",
        f"{problem.fractals} fractals, each of one of {problem.categories} categories, in cells of {c} x {c} x {c}. "
        f"Intensities: 0 to {problem.intensity.background} outside fractals, {low} to {high} inside, whatever the "
        "category. Slices: x to the right, y down.",
    )


def save(picture: Image.Image, path: Path, problem: Problem) -> None:
    """Write a PNG file with a palette, a third of the bytes without. Its text "problem" is the problem's digest."""
    text = PngInfo()
    text.add_text("problem", problem.digest())
    indexed = picture.quantize(192, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    with replacing(path) as partial:
        indexed.save(partial, "PNG", optimize=True, pnginfo=text)
    print(f"{path}: {path.stat().st_size} bytes")


@script
def main(arguments: Sequence[str] | None) -> None:
    """Draw and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problem", nargs="*", default=PROBLEMS, help=f"default: {' '.join(PROBLEMS)}")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(arguments)
    problems = {name: load_problem(name) for name in options.problem}
    if odd := [name for name, problem in problems.items() if not isinstance(problem, Problem)]:
        raise ValueError(f"--problem: found {odd[0]}, wanted problems of ScaFFold, such as {PROBLEMS[0]}")
    for name, problem in problems.items():
        save(problem_picture(problem), options.out / f"scaffold-{name}.png", problem)


if __name__ == "__main__":
    sys.exit(main())
