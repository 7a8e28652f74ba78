import numpy as np

from benchmark.deepcam import making, twin
from benchmark.problem import load_problem


def test_first_sample_never_changes_and_is_within_the_range(tiny):
    """Bit by bit: what benchmark/draw.py and IEEE arithmetic give."""
    entry = making.stream_sample(load_problem("deepcam-mini"), "train", 0)
    assert entry.digest == "3073c7d4b84bc8fb0d3029bf05af46334f98629e79989c703d81259df13135f0"
    assert entry.class_counts == (11346, 686, 1792)
    least, greatest = twin.value_range()
    data, _ = twin.make(tiny, 0)
    assert data.dtype == np.float32 and (data >= least).all() and (data <= greatest).all()
