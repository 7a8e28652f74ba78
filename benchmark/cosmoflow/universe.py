"""Make synthetic universes: counts of particles in four snapshots, drawn from four parameters. The bits are the same on
every machine.

All channels share a Gaussian random field with the power spectrum k^-tilt and variance 1. Channel c of C has it at
amplitude_c = amplitude * growth^(C - 1 - c). The field's exponential, scaled to mean 1, times the mean density is the
expectation of a voxel's count. The count is Poisson (Coles and Jones 1991, lognormal fields). The field is periodic, as
simulations are.

The arithmetic is +, -, *, / and square roots of IEEE float64, one operation an array pass, on the raw words of
benchmark/draw.py. There is no libm, FFT or BLAS. The result differs from the ideal as follows:

- A mode's amplitude is a sum of four uniform numbers and not normal. The field, a sum over all modes, is nearly normal.
- The transform is a sum over products of cas(x) = cos x + sin x (Hartley 1942) along each axis. These serve as plane
  waves here: they are orthogonal, and as k and -k have the same power, the field has the covariance of the spectrum.
- The field has no mode k = 0, so the mean of a sample's field is 0, as in a simulation.
- exp is a Taylor polynomial, squared repeatedly, with an error of 1e-12. Expectations are cut off at 100.
"""

import math
from decimal import Context, Decimal
from functools import lru_cache

import numpy as np

from benchmark import draw
from benchmark.cosmoflow.problem import PARAMETERS, Problem

# What is drawn, as in benchmark/draw.py: never renumber.
VALUES = 64  # a sample's parameters
MODES = 65  # amplitudes of its field
COUNTS = 66  # particles

UNIT = 1 << 23  # parameters are multiples of 1 / UNIT: exact in float32
MODE_MEAN, MODE_SCALE = 4 * 65535 / 2, 1 / math.sqrt(4 * (65536**2 - 1) / 12)  # of a sum of four uniform uint16
MOST_EXPECTED, MOST_COUNT = 100.0, 255
SQUARINGS, DEGREE = 10, 8  # of `exponential`


def make_universe(problem: Problem, sample: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a sample: counts x, int16 (side, side, side, channels), and parameters y, float32 (4,), in [-1, 1].

    Raises ValueError if the problem's data are real.
    """
    universe = problem.universe
    if universe is None:
        raise ValueError(f"{problem.name} has no generator: its data are real")
    raw = draw.words(problem.data_seed, VALUES, sample, count=PARAMETERS)
    y = [draw.between(word, -UNIT, UNIT) / UNIT for word in raw]
    ranges = (universe.density, universe.amplitude, universe.tilt, universe.growth)
    density, amplitude, tilt, growth = (
        low + (high - low) * (u + 1) / 2 for u, (low, high) in zip(y, ranges, strict=True)
    )
    field = gaussian_field(problem, sample, tilt)
    expected = np.empty((*field.shape, problem.channels))
    for channel in reversed(range(problem.channels)):
        expected[..., channel] = density * exponential(field * amplitude - amplitude * amplitude / 2)
        amplitude *= growth
    raw = draw.words(problem.data_seed, COUNTS, sample, count=expected.size)
    x = poisson(np.minimum(expected, MOST_EXPECTED).reshape(-1), (raw >> np.uint64(11)) * 2.0**-53)
    return x.astype(np.int16).reshape(expected.shape), np.array(y, np.float32)


def gaussian_field(problem: Problem, sample: int, tilt: float) -> np.ndarray:
    """Return a sample's field, float64 (side, side, side), with variance 1 on average over samples."""
    side = problem.side
    index, modes, logs = spectrum(side)
    root = exponential(logs * (-tilt / 4))  # (k^2)^(-tilt / 4) is the square root of the power
    root[0] = 0.0
    power = math.fsum(n * r * r for n, r in zip(modes, root.tolist(), strict=True))
    root = root * (MODE_SCALE / math.sqrt(power))
    raw = draw.words(problem.data_seed, MODES, sample, count=side**3)
    field = (sum((raw >> np.uint64(16 * part)) & np.uint64(0xFFFF) for part in range(4)) - MODE_MEAN) * root[index]
    field, waves = field.reshape((side,) * 3), cas(side)
    for _ in range(3):  # transform the first axis and make it the last
        total = waves[:, 0, None, None] * field[0]
        for k in range(1, side):
            total += waves[:, k, None, None] * field[k]
        field = np.moveaxis(total, 0, -1)
    return np.ascontiguousarray(field)


@lru_cache(maxsize=4)
def spectrum(side: int) -> tuple[np.ndarray, list[int], np.ndarray]:
    """Return facts of the different values of k^2 on the grid, in ascending order from 0: the index of each mode's
    value (side^3,), the number of modes with each value, and each value's logarithm (0 for 0)."""
    k = np.arange(side)
    square = np.minimum(k, side - k) ** 2
    total = square[:, None, None] + square[:, None] + square
    squares, index, modes = np.unique(total, return_inverse=True, return_counts=True)
    context = Context(prec=30)  # decimal's logarithm is correctly rounded by its specification
    logs = [float(Decimal(n).ln(context)) if n else 0.0 for n in squares.tolist()]
    return index.reshape(-1), modes.tolist(), np.array(logs)


@lru_cache(maxsize=4)
def cas(side: int) -> np.ndarray:
    """Return cos + sin of 2 pi i k / side for all i and k, float64 (side, side); `side` is 4, 8, 16, ..."""
    cosine = 0.0  # of a quarter turn
    for _ in range(side.bit_length() - 3):
        cosine = math.sqrt((1 + cosine) / 2)  # of half the angle
    cosines = [1.0, cosine]
    while len(cosines) < side:
        cosines.append(2 * cosine * cosines[-1] - cosines[-2])
    values = np.array([cosines[m] + cosines[m - side // 4] for m in range(side)])
    return values[np.outer(np.arange(side), np.arange(side)) % side]


def exponential(x: np.ndarray) -> np.ndarray:
    """Return e^x for |x| up to a few hundred."""
    x = x * 2.0**-SQUARINGS
    value = np.full_like(x, 1 / math.factorial(DEGREE))
    for n in reversed(range(DEGREE)):
        value *= x
        value += 1 / math.factorial(n)
    for _ in range(SQUARINGS):
        value *= value
    return value


def poisson(expected: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """Return Poisson counts by inversion, int64 (n,): the distribution function's values up to `uniform`."""
    counts = np.zeros(len(expected), np.int64)
    chance = exponential(-expected)
    reached, here = chance.copy(), np.arange(len(expected))
    for count in range(1, MOST_COUNT + 1):
        more = np.flatnonzero(uniform >= reached)
        if not len(more):
            break
        here, expected, uniform, reached = here[more], expected[more], uniform[more], reached[more]
        chance = chance[more] * expected * (1 / count)
        reached = reached + chance
        counts[here] = count
    return counts
