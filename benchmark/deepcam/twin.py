"""Make a small twin of DeepCAM's dataset: smooth weather with planted cyclones and atmospheric rivers.

The bits are the same on every machine. They come from raw words of a counter-based generator and from element-wise
additions, multiplications, divisions, square roots and comparisons of float32, each of which IEEE 754 rounds in one way
only. There are no sums over arrays and no functions of libm.
"""

from collections.abc import Iterator

import numpy as np

from benchmark import draw
from benchmark.deepcam.problem import CHANNELS, Problem

WEATHER = 101  # what is drawn, as in benchmark/draw.py: the background fields
PLACES = 102  # where cyclones, rivers and decoys are
GRAIN = 103  # each value's own noise
OCTAVES = (1.0, 0.55, 0.3, 0.15)  # weights of noise on grids of 1/16, 1/8, 1/4 and 1/2 of the resolution
HALF = np.float32(0.5)
STEPS = 64  # points along a river
LIMIT = np.float32(6.0)  # deviations are clipped to this many units
NAMES = (  # of the published dataset's channels, in its order
    "TMQ", "U850", "V850", "UBOT", "VBOT", "QREFHT", "PS", "PSL",
    "T200", "T500", "PRECT", "TS", "TREFHT", "Z1000", "Z200", "ZBOT",
)  # fmt: skip
MEAN = (20, 2, 0, 1, 0, 8, 98000, 101000, 220, 260, 3, 290, 288, 100, 12000, 60)  # plausible, in SI or mm
UNIT = (8, 6, 6, 5, 5, 3, 600, 600, 4, 4, 2, 6, 6, 50, 150, 2)  # of a deviation


def value_range() -> np.ndarray:
    """Return the least and the greatest value of each channel, float32 (2, 16), as stats.h5 has them."""
    mean, unit = np.array(MEAN, np.float32), np.array(UNIT, np.float32)
    return np.stack([mean - LIMIT * unit, mean + LIMIT * unit])


def make(problem: Problem, sample: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a sample: data, float32 (H, W, 16), and labels, uint8 (H, W)."""
    twin, shape = problem.twin, (problem.height, problem.width)
    weather = [background(problem, sample, field) for field in range(12)]
    moist, damp, p, t, warm, aloft, rain, u, v, ub, vb, ground = weather
    label = np.zeros(shape, np.uint8)
    dice = uniform(problem, sample)
    for _ in range(pick(dice, twin.rivers)):
        strength, flow = between(dice, twin.contrast), between(dice, twin.wind)
        near, (ty, tx), inside = river(shape, dice, between(dice, twin.half_width))
        moist, damp, rain = moist + near * strength, damp + near * strength, rain + near * strength
        u, v, ub, vb = (a + near * b * flow for a, b in ((u, tx), (v, ty), (ub, tx), (vb, ty)))
        label[inside] = 2
    for kind in ["low", "patch"] * pick(dice, twin.decoys):
        near, _, _ = disc(shape, dice, between(dice, twin.radius))
        strength = between(dice, twin.contrast)
        if kind == "low":
            p, warm, aloft = p - near * strength, warm - near * strength, aloft - near * strength
        else:
            moist, damp, rain = moist + near * strength, damp + near * strength, rain + near * strength
    for _ in range(pick(dice, twin.cyclones)):
        strength, spin = between(dice, twin.contrast), between(dice, twin.wind)
        near, (dy, dx), inside = disc(shape, dice, between(dice, twin.radius))
        p, warm, aloft = p - near * strength, warm + near * strength, aloft + near * strength
        moist, rain = moist + near * (HALF * strength), rain + near * strength
        ring = near * (spin + spin)  # times a distance that is 1 at the rim, where `near` is 1/2
        u, v, ub, vb = u - ring * dy, v + ring * dx, ub - ring * dy, vb + ring * dx
        label[inside] = 1
    fields = [moist, u, v, ub, vb, damp, 0.8 * p + 0.4 * ground, p, warm, aloft, rain]
    fields += [t, 0.7 * t + 0.3 * damp, p, 0.6 * warm + 0.4 * t, ground]
    data = grain(problem, sample)
    for channel, field in enumerate(fields):
        clipped = np.clip(field + data[..., channel], -LIMIT, LIMIT)
        data[..., channel] = clipped * np.float32(UNIT[channel]) + np.float32(MEAN[channel])
    return data, label


def background(problem: Problem, sample: int, field: int) -> np.ndarray:
    """Return smooth noise, float32 (H, W), within +-sum(OCTAVES). Noise on a coarse grid is refined and blurred, and at
    each finer grid more noise is added."""
    h, w = problem.height // 16, problem.width // 16
    sizes = [(h << octave) * (w << octave) for octave in range(len(OCTAVES))]
    raw = draw.words(problem.data_seed, WEATHER, sample, field, count=sum(sizes))
    noise = (raw >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-23) - np.float32(1)  # 24 bits: exact
    smooth, start = np.zeros((h, w), np.float32), 0
    for octave, (size, weight) in enumerate(zip(sizes, OCTAVES, strict=True)):
        if octave:
            smooth = finer(smooth)
        smooth = smooth + noise[start : start + size].reshape(smooth.shape) * np.float32(weight)
        start += size
    return finer(smooth)


def grain(problem: Problem, sample: int) -> np.ndarray:
    """Return independent noise for each value, float32 (H, W, 16), uniform within +-`twin.grain`."""
    size = problem.height * problem.width * CHANNELS
    raw = draw.to_bytes(draw.words(problem.data_seed, GRAIN, sample, count=-(-size // 8)))[:size]
    noise = (raw.astype(np.float32) - np.float32(127.5)) * np.float32(problem.twin.grain / 128)
    return noise.reshape(problem.height, problem.width, CHANNELS)


def finer(field: np.ndarray) -> np.ndarray:
    """Refine a field (H, W) to (2 H, 2 W), and blur it by (1, 2, 1) / 4 along both axes. Edges are repeated."""
    field = field.repeat(2, axis=0).repeat(2, axis=1)
    for axis in (0, 1):
        wide = np.pad(field, [(1, 1) if a == axis else (0, 0) for a in (0, 1)], mode="edge")
        before, after = (wide[:-2], wide[2:]) if axis == 0 else (wide[:, :-2], wide[:, 2:])
        field = np.float32(0.25) * before + np.float32(0.5) * field + np.float32(0.25) * after
    return field


def uniform(problem: Problem, sample: int) -> Iterator[np.float32]:
    """Yield uniform numbers in [0, 1), at most 256."""
    for word in draw.words(problem.data_seed, PLACES, sample, count=256):
        yield np.float32(int(word) >> 40) * np.float32(2.0**-24)


def pick(dice: Iterator[np.float32], ends: tuple[int, int]) -> int:
    """Draw an integer in [low, high], both included."""
    low, high = ends
    return low + int(next(dice) * np.float32(high - low + 1))


def between(dice: Iterator[np.float32], ends: tuple[float, float]) -> np.float32:
    """Draw a number in [low, high)."""
    low, high = np.float32(ends[0]), np.float32(ends[1])
    return low + next(dice) * (high - low)


def grid(shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the pixels' y (H, 1) and x (1, W)."""
    return np.arange(shape[0], dtype=np.float32)[:, None], np.arange(shape[1], dtype=np.float32)[None]


def bump(square: np.ndarray) -> np.ndarray:
    """Return a bump that is 1 at the centre, 1/2 at the rim and falls towards 0 outside. `square` is the squared
    distance in units of the rim's."""
    return np.float32(1) / (np.float32(1) + square * square)


def disc(shape: tuple[int, int], dice: Iterator[np.float32], radius: np.float32):
    """Place a disc at random. Return its bump (H, W), the offsets (y, x) from its centre in radii, and its pixels."""
    cy, cx = (between(dice, (float(radius), n - 1 - float(radius))) for n in shape)
    y, x = grid(shape)
    dy, dx = (y - cy) / radius, (x - cx) / radius
    square = dy * dy + dx * dx
    return bump(square), (dy, dx), square < 1


def river(shape: tuple[int, int], dice: Iterator[np.float32], half: np.float32):
    """Place a curved filament at random, a quadratic Bezier curve from the left part of the map to the right. Return
    its bump (H, W), the direction (y, x) of its nearest piece, and its pixels."""
    h, w = shape
    ys = [between(dice, (0.1 * h, 0.9 * h)) for _ in range(3)]
    xs = [between(dice, ends) for ends in ((0, 0.3 * w), (0.3 * w, 0.7 * w), (0.7 * w, w))]
    y, x = grid(shape)
    best = np.full(shape, np.inf, np.float32)
    ty, tx = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    for step in range(STEPS):
        s = np.float32(step / (STEPS - 1))
        r = np.float32(1) - s
        py, px = (r * (r * a + s * b) + s * (r * b + s * c) for a, b, c in (ys, xs))
        vy, vx = (r * (b - a) + s * (c - b) for a, b, c in (ys, xs))
        length = np.sqrt(vy * vy + vx * vx)
        dy, dx = y - py, x - px
        square = dy * dy + dx * dx
        closer = square < best
        best[closer] = square[closer]
        ty[closer], tx[closer] = vy / length, vx / length
    square = best / (half * half)
    return bump(square), (ty, tx), square < 1
