"""The state that training changes and a checkpoint keeps."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict

from .average import Average

NUMBERS = {int: torch.int64, float: torch.float64}  # types of numbers, and of the tensors that keep them


@dataclass(frozen=True)
class TrainingState:
    """A run's model, its optimizer and the average of its weights, if it has one."""

    model: nn.Module
    optimizer: torch.optim.Optimizer
    average: Average | None

    def tensors(self) -> dict[str, Tensor]:
        """Return the whole state by name: weights, the optimizer's state, the average, and numbers as tensors."""
        return flat(self.as_dict())

    def restore(self, read: Callable[[dict[str, Tensor]], None]) -> None:
        """Restore the state. `read` fills the tensors that it gets by name."""
        kept = self.as_dict()
        tensors = flat(kept)
        read(tensors)
        for name, holder, key in leaves(kept):
            if type(holder[key]) in NUMBERS:
                holder[key] = tensors[name].item()
        model, optimizer = kept["model"], kept["optimizer"]
        set_state_dict(self.model, self.optimizer, model_state_dict=model, optim_state_dict=optimizer)
        if self.average:
            self.average.load(kept["average"])

    def as_dict(self) -> dict[str, Any]:
        """Return the state as nested mappings of the run's own tensors. The optimizer's are named like the weights."""
        model, optimizer = get_state_dict(self.model, self.optimizer)
        return {"model": model, "optimizer": optimizer} | ({"average": self.average.state()} if self.average else {})


def flat(kept: dict[str, Any]) -> dict[str, Tensor]:
    """Return the tensors in nested mappings and lists by path, with numbers as tensors."""
    found = ((name, holder[key]) for name, holder, key in leaves(kept))
    return {name: x if isinstance(x, Tensor) else torch.tensor(x, dtype=NUMBERS[type(x)]) for name, x in found}


def leaves(kept: dict[str, Any] | list[Any], path: str = "") -> Iterator[tuple[str, dict | list, Any]]:
    """Yield the path of every tensor and number, the mapping or list that it is in, and its key there. Other values
    (names, flags, tuples of coefficients) follow from the settings."""
    for key, value in kept.items() if isinstance(kept, dict) else enumerate(kept):
        if isinstance(value, dict | list):
            yield from leaves(value, f"{path}{key}/")
        elif isinstance(value, Tensor) or type(value) in NUMBERS:
            yield f"{path}{key}", kept, key


def tensors_of(model: nn.Module) -> dict[str, Tensor]:
    """Return a plain model's weights and floating-point buffers by name, copied to main memory: a file of final weights
    has these, whole and under the model's own names."""
    named = (*model.named_parameters(), *model.named_buffers())  # state_dict() would shard FSDP's again
    return {name: t.detach().cpu().contiguous().clone() for name, t in named if t.is_floating_point()}
