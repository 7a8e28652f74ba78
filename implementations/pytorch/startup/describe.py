"""Describe what would run, for `train.py --describe`."""

from typing import Any

import torch

from benchmark.run.describe import Implementation, description

from .setup import Setup


def describe(setup: Setup, source: tuple[dict[str, str], str]) -> dict[str, Any]:
    """Return the run's resolved settings, digests, ranks, device and framework. `source` is what `Recorder.files_with`
    returns. Nothing is read or written."""
    framework, software, accelerators = f"PyTorch {torch.__version__}", {"torch": torch.__version__}, (0, "", 0)
    if torch.version.cuda:
        software |= {"cuda": torch.version.cuda, "cudnn": str(torch.backends.cudnn.version())}
    if torch.cuda.is_available():
        facts = torch.cuda.get_device_properties(0)
        accelerators = torch.cuda.device_count(), facts.name, round(facts.total_memory / 2**30)
    name = __package__.split(".")[1]  # the folder of this implementation
    ours = Implementation(name, setup.options.supported, framework, software, accelerators)
    return description(ours, setup.task.problem, setup.task.config, setup.launch, source)
