"""What can be had without looking at structure: `python benchmark/shortcut.py --problem cosmoflow-mini`.

Fitted on the training split, scored by validation mean absolute error. A problem needs a network as long as all of them
stay far from its target:

- `constant`: the median of each parameter.
- `mean count`: linear regression on the logarithm of each channel's mean count.
- `moments`: the same, and mean, variance and skewness of each channel's log(1 + count).
- `histogram`: linear regression on how often each count, up to 31, occurs in each channel: all that single voxels tell.

Samples are made on the fly.
"""

from pathlib import Path

import numpy as np
from tqdm import tqdm

from benchmark.cosmoflow.problem import Problem
from benchmark.cosmoflow.universe import make_universe
from benchmark.workers import work

SCORE = "MAE"
LEVELS = 32  # of a histogram; the last is of all counts above


def features(root: Path, problem: Problem, task: tuple[str, int]) -> tuple[int, dict[str, np.ndarray], np.ndarray]:
    """A sample's id, what each kind of regression knows of it, and its parameters."""
    x, y = make_universe(problem, task[1])
    counts = x.reshape(-1, problem.channels).T  # (channels, voxels)
    mean = np.log(counts.mean(1) + 1e-3)
    logs = np.log1p(counts)
    centred = logs - logs.mean(1, keepdims=True)
    moments = np.concatenate([mean, logs.mean(1), *((centred**power).mean(1) for power in (2, 3))])
    levels = [np.bincount(np.minimum(c, LEVELS - 1), minlength=LEVELS) / len(c) for c in counts]
    return (
        task[1],
        {"constant": np.zeros(0), "mean count": mean, "moments": moments, "histogram": np.concatenate(levels)},
        y,
    )


def regress(known: np.ndarray, wanted: np.ndarray, train: int) -> float:
    """Mean absolute error on the samples from `train` on, of the linear regression on the others: known (samples,
    features), wanted (samples, 4). Without features, of the median."""
    if not known.shape[1]:
        return float(np.abs(wanted[train:] - np.median(wanted[:train], axis=0)).mean())
    known = np.concatenate([known, np.ones((len(known), 1))], axis=1)
    weights = np.linalg.lstsq(known[:train], wanted[:train], rcond=1e-9)[0]
    return float(np.abs(wanted[train:] - known[train:] @ weights).mean())


def shortcuts(problem: Problem, workers: int) -> dict[str, float]:
    """Validation mean absolute error by kind."""
    tasks = [(split, sample) for split in ("train", "validation") for sample in problem.split_samples(split)]
    made = tqdm(work(features, Path(), problem, tasks, workers), total=len(tasks), desc="samples", disable=None)
    samples = sorted(made, key=lambda sample: sample[0])
    wanted = np.stack([y for _, _, y in samples]).astype(float)
    kinds = samples[0][1]
    return {kind: regress(np.stack([s[1][kind] for s in samples]), wanted, problem.train_samples) for kind in kinds}
