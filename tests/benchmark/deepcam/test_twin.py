"""The generator of DeepCAM's samples: its bits, and what classes look like."""

import dataclasses

import numpy as np

from benchmark.deepcam import making, twin
from benchmark.problem import load_problem


def test_first_sample_never_changes():
    """Bit by bit: what benchmark/draw.py and IEEE arithmetic give."""
    entry = making.stream_sample(load_problem("deepcam-mini"), "train", 0)
    assert entry.digest == "3073c7d4b84bc8fb0d3029bf05af46334f98629e79989c703d81259df13135f0"
    assert entry.class_counts == (11346, 686, 1792)


def test_cyclones_are_low_warm_and_turn(tiny):
    """On average over the cyclones' pixels of many samples, without noise."""
    quiet = dataclasses.replace(tiny, twin=dataclasses.replace(tiny.twin, cyclones=(1, 1), rivers=(0, 0), grain=0.0))
    low, warm, spin = [], [], []
    for sample in range(40):
        data, label = twin.make(quiet, sample)
        inside = label == 1
        z = (data - np.array(twin.MEAN)) / np.array(twin.UNIT)
        low.append(z[..., 7][inside].mean() - z[..., 7][~inside].mean())
        warm.append(z[..., 8][inside].mean() - z[..., 8][~inside].mean())
        y, x = np.nonzero(inside)
        spin.append(((x - x.mean()) * z[..., 2][inside] - (y - y.mean()) * z[..., 1][inside]).mean())
    assert np.mean(low) < -0.4 and np.mean(warm) > 0.4 and np.mean(spin) > 1


def test_rivers_are_moist_and_flow_along_themselves(tiny):
    quiet = dataclasses.replace(tiny, twin=dataclasses.replace(tiny.twin, cyclones=(0, 0), rivers=(1, 1), grain=0.0))
    moist, along = [], []
    for sample in range(40):
        data, label = twin.make(quiet, sample)
        z = (data - np.array(twin.MEAN)) / np.array(twin.UNIT)
        moist.append(z[..., 0][label == 2].mean() - z[..., 0][label == 0].mean())
        along.append(z[..., 1][label == 2].mean() - z[..., 1][label == 0].mean())  # they run from left to right
    assert np.mean(moist) > 0.4 and np.mean(along) > 0.2


def test_values_are_within_the_range_of_stats(tiny):
    least, greatest = twin.value_range()
    data, _ = twin.make(tiny, 0)
    assert data.dtype == np.float32 and (data >= least).all() and (data <= greatest).all()
