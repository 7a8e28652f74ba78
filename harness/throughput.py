"""Divide this node among runs at once: the models of a throughput set, or trials."""

import os

from benchmark.launch import usable_cores
from harness.processes import Share

VISIBLE = "CUDA_VISIBLE_DEVICES"


def shares(ranks: int, models: int, gpus: int) -> list[Share]:
    """Return each model's cores and GPUs, of the `gpus` of this node, or none where no GPU computes (0). `ranks` are
    those of a model. Raises ValueError if there are too few GPUs."""
    variables: list[dict[str, str]] = [{} for _ in range(models)]
    if gpus:
        names = os.environ.get(VISIBLE, "").split(",") if os.environ.get(VISIBLE) else list(map(str, range(gpus)))
        if len(names) < ranks * models:
            raise ValueError(f"--throughput: found {len(names)} GPUs, wanted {ranks * models}, one for each rank")
        variables = [{VISIBLE: ",".join(names[i * ranks : (i + 1) * ranks])} for i in range(models)]
    return [Share(cores, own) for cores, own in zip(divided(models), variables, strict=True)]


def trial_shares(ranks: int, trials: int, gpus: int) -> list[Share]:
    """Return each trial's GPUs, of the `gpus` of this node. If there are too few, or none, all trials share the node.
    Cores are shared in any case."""
    if not gpus or gpus < ranks * trials:
        return [Share()] * trials
    return [Share(variables=share.variables) for share in shares(ranks, trials, gpus)]


def divided(models: int) -> list[tuple[int, ...]]:
    """Return the cores of each model, equally many; none, so that all share all, where there are too few or where the
    system can't say."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    each = usable_cores() // models
    return [tuple(cores[i * each : (i + 1) * each]) for i in range(models)]
