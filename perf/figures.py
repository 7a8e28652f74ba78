"""Draw the pictures of ScaFFold's problems for the documentation.

    python perf/figures.py                                    # docs/figures/scaffold-<problem>.png and categories.png
    python perf/figures.py --problem smoke scale6 --out DIR

The picture of a problem has two slices of a sample, intensities beside labels, and the whole sample as a solid body.
The picture of categories has the base of each and some of its variants. The same problems always give the same bytes.
"""

import argparse
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

from benchmark.atomic import replacing
from benchmark.problem import load_problem
from benchmark.scaffold.category import FACTORS
from benchmark.scaffold.problem import Problem
from benchmark.scaffold.volume import Fractal, fractals, make_sample, mark
from perf.voxels import COLOURS, Scene, grid

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "docs" / "figures"
PROBLEMS = ("smoke", "scale6", "scale7", "scale8")
LOOKED_AT = 40  # samples searched for one with many categories
SLICE, BODY, SMALL = 256, 512, 128  # pixels: sides of a slice, a whole volume, a variant
GAP, EDGE, LINE, ROOM = 16, 24, 34, 64  # pixels: between and around parts, for a line of text, for names of planes
NOTHING, INK, SOFT = (226, 226, 226), (20, 20, 20), (90, 90, 90)  # background of labels, text, lighter text
SHADES = 4  # shades of each category's colour in the palette
GREYS = 16
VARIANTS = ((None, None), (0, 4), (4, 7), (7, 13), (9, 16))  # of a category: (parameter, factor in tenths), or its base
ZOOM = 1.28  # of variants, which do not reach into the corners of their cells


def chosen_sample(problem: Problem) -> int:
    """The first sample with the most categories and, among these, the most spread-out fractals."""

    def variety(sample: int) -> tuple[int, int, int]:
        placed = fractals(problem, sample)
        z, y, x = (len({f.cell[axis] for f in placed}) for axis in range(3))
        return len({f.category for f in placed}), z, y + x

    return max(range(min(problem.samples, LOOKED_AT)), key=variety)


def chosen_planes(label: np.ndarray, cell: int, wanted: int = 2) -> list[int]:
    """The fullest plane of each of the `wanted` fullest layers of cells, in order."""
    counts = (label != 0).sum(axis=(1, 2)).reshape(-1, cell)  # (layers, planes)
    layers = sorted(np.argsort(-counts.max(axis=1), kind="stable")[:wanted].tolist())
    return [layer * cell + int(counts[layer].argmax()) for layer in layers]


def font(size: int) -> ImageFont.FreeTypeFont:
    """Pillow's own font, which is the same on every machine."""
    return ImageFont.load_default(size)


def enlarged(pixels: np.ndarray, side: int) -> Image.Image:
    """Pixels (n, n, 3) as a picture of about `side` pixels; each voxel is a whole number of pixels wide."""
    times = max(1, side // len(pixels))
    return Image.fromarray(np.repeat(np.repeat(pixels, times, axis=0), times, axis=1))


def slice_pictures(volume: np.ndarray, label: np.ndarray) -> tuple[Image.Image, Image.Image]:
    """The pictures of a plane's intensities and labels, (n, n) each."""
    colours = np.array([NOTHING, *COLOURS], np.uint8)
    return enlarged(np.repeat(volume[..., None], 3, axis=-1), SLICE), enlarged(colours[label], SLICE)


def body_picture(problem: Problem, label: np.ndarray, sample: int, planes: Sequence[int]) -> Image.Image:
    """The picture of a sample as a solid body in its grid of cells. Dashed lines mark the planes that are shown as
    slices; their names are on the left."""
    scene, cells = Scene(BODY), problem.side // problem.cell
    grid(scene, cells)
    scene.solid(label)
    for z in places_of(problem, planes):
        corners = [(z, 0, 0), (z, 0, 1), (z, 1, 1), (z, 1, 0), (z, 0, 0)]
        for start, stop in pairwise(corners):
            scene.line(start, stop, 60, dash=0.02)
    picture = Image.new("RGB", (ROOM + BODY, BODY), "white")
    picture.paste(Image.fromarray(scene.draw()), (ROOM, 0))
    draw = ImageDraw.Draw(picture)

    def write(place: tuple[float, float, float], words: str, anchor: str, size: int, **more: Any) -> None:
        x, y = scene.spot(place)
        draw.text((ROOM + x, y), words, INK, font(size), anchor, **more)

    for fractal in fractals(problem, sample):
        middle = tuple((c + 0.5) / cells for c in fractal.cell)
        write(middle, str(fractal.category + 1), "mm", 22, stroke_width=3, stroke_fill="white")
    for plane, z in zip(planes, places_of(problem, planes), strict=True):
        write((z, 1, -0.015), f"z = {plane}", "rm", 13)
    write((1.03, 1, 0.5), "x", "mt", 14)
    write((1.03, 0.5, 1.03), "y", "mt", 14)
    return picture


def places_of(problem: Problem, planes: Sequence[int]) -> list[float]:
    """The positions of planes in a cube of side 1."""
    return [(plane + 0.5) / problem.side for plane in planes]


def legend(draw: ImageDraw.ImageDraw, x: float, y: float, categories: int) -> None:
    """Draw a row of swatches with the names of background and categories."""
    names = ["background", *(f"category {i + 1}" for i in range(categories))]
    for name, colour in zip(names, (NOTHING, *COLOURS), strict=False):
        draw.rectangle((x, y, x + 16, y + 16), colour, SOFT)
        draw.text((x + 24, y + 8), name, INK, font(15), "lm")
        x += 24 + draw.textlength(name, font(15)) + 28


def problem_picture(problem: Problem) -> Image.Image:
    """The picture of a problem."""
    sample = chosen_sample(problem)
    volume, label = make_sample(problem, sample)
    planes = chosen_planes(label, problem.cell)
    top, left = EDGE + 76, EDGE + 2 * (SLICE + GAP)
    height = top + len(planes) * (SLICE + LINE) + 40
    picture = Image.new("RGB", (left + ROOM + BODY + EDGE, height), "white")
    draw = ImageDraw.Draw(picture)
    for i, words in enumerate(captions(problem)):
        draw.text((EDGE, EDGE - 4 + 30 * i), words, (INK, SOFT)[i], font((22, 14)[i]))
    for row, plane in enumerate(planes):
        y = top + row * (SLICE + LINE)
        names = (f"input: intensities at z = {plane}", f"answer: classes at z = {plane}")
        for column, part in enumerate(slice_pictures(volume[plane], label[plane])):
            x = EDGE + column * (SLICE + GAP)
            draw.text((x, y - 6), names[column], INK, font(14), "ls")
            picture.paste(part, (x, y))
    draw.text((left + ROOM, top - 6), "answer: the whole volume", INK, font(14), "ls")
    picture.paste(body_picture(problem, label, sample, planes), (left, top + LINE // 2))
    legend(draw, EDGE, height - EDGE - 16, problem.categories)
    return picture


def captions(problem: Problem) -> tuple[str, str]:
    """(title, explanation) of a problem's picture."""
    n, c, (low, high) = problem.side, problem.cell, problem.intensity.foreground
    words = (
        f"{problem.fractals} fractals, each of one of {problem.categories} categories, in cells of {c} x {c} x {c}. "
    )
    words += f"Intensities: 0 to {problem.intensity.background} outside fractals, {low} to {high} inside, whatever the "
    return f"{problem.name}: a volume of {n} x {n} x {n} voxels", words + "category. Slices: x to the right, y down."


def variant_of(parameter: int | None, factor: int | None) -> tuple[int, str]:
    """(number, name) of a variant."""
    if parameter is None:
        return 0, "base"
    number = 1 + len(FACTORS) * parameter + FACTORS.index(factor)
    return number, f"parameter {parameter + 1} x {factor / 10:g}"


def categories_picture(problem: Problem) -> Image.Image:
    """The picture of categories: a row for each with its base and some variants, at the size of the problem's cells."""
    top, left = EDGE + 82, EDGE + 110
    size = left + len(VARIANTS) * (SMALL + GAP) - GAP + EDGE, top + problem.categories * (SMALL + GAP)
    picture = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(picture)
    draw.text((EDGE, EDGE - 4), f"The {problem.categories} categories and some of their variants", INK, font(22))
    words = "A category is a pair of affine maps. A variant has one of the maps' 12 parameters scaled, in both maps."
    draw.text((EDGE, EDGE + 24), words, SOFT, font(14))
    for column, (parameter, factor) in enumerate(VARIANTS):
        number, name = variant_of(parameter, factor)
        x = left + column * (SMALL + GAP)
        draw.text((x + SMALL // 2, top - 8), name, INK, font(14), "ms")
        for row in range(problem.categories):
            scene = Scene(SMALL, ZOOM)
            fractal = Fractal(row, number, (0, 0, 0), problem.cell, (0, 0, 0))
            scene.solid(mark(problem, 0, 0, fractal).astype(np.uint8) * (row + 1))
            picture.paste(Image.fromarray(scene.draw()), (x, top + row * (SMALL + GAP)))
    for row in range(problem.categories):
        y = top + row * (SMALL + GAP) + SMALL // 2
        draw.rectangle((EDGE, y - 8, EDGE + 16, y + 8), COLOURS[row], SOFT)
        draw.text((EDGE + 24, y), f"category {row + 1}", INK, font(15), "lm")
    return picture


def palette() -> np.ndarray:
    """The colours of pictures, uint8 (n, 3): greys, and each category's colour from dark over full towards white."""
    greys = [(round(255 * i / (GREYS - 1)),) * 3 for i in range(GREYS)]
    full = np.array(COLOURS, float)
    shades = [full * s for s in np.linspace(0.5, 1, SHADES)]
    shades += [full + (255 - full) * s for s in np.linspace(0, 1, SHADES)[1:-1]]
    return np.concatenate([[*greys, NOTHING], *(np.rint(s) for s in shades)]).astype(np.uint8)


def save(picture: Image.Image, path: Path, problem: Problem) -> None:
    """Write a PNG file with a palette, a third of the bytes without. Its text "problem" is the problem's digest."""
    colours, text = Image.new("P", (1, 1)), PngInfo()
    colours.putpalette(palette().tobytes())
    text.add_text("problem", problem.digest())
    indexed = picture.quantize(palette=colours, dither=Image.Dither.NONE)
    with replacing(path) as partial:
        indexed.save(partial, "PNG", optimize=True, pnginfo=text)
    print(f"{path}: {path.stat().st_size} bytes")


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, write, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problem", nargs="*", default=PROBLEMS, help=f"default: {' '.join(PROBLEMS)}")
    parser.add_argument("--categories", default="scale7", help="the problem whose cells give the size of categories")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(arguments)
    try:
        for name in options.problem:
            problem = load_problem(name)
            save(problem_picture(problem), options.out / f"scaffold-{name}.png", problem)
        problem = load_problem(options.categories)
        save(categories_picture(problem), options.out / "scaffold-categories.png", problem)
    except (ValueError, OSError) as error:
        print(f"figures.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
