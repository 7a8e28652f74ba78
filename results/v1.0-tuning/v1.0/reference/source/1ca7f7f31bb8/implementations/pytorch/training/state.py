"""The state that training changes and a checkpoint keeps."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict

from .average import Average

NUMBERS = {int: torch.int64, float: torch.float64}  # and as what they are kept


@dataclass(frozen=True)
class TrainingState:
    """A run's model, its optimizer and the average of its weights, if it has one."""

    model: nn.Module
    optimizer: torch.optim.Optimizer
    average: Average | None

    def tensors(self) -> dict[str, Tensor]:
        """All of it, by name: weights, what the optimizer keeps of each, the average, and numbers as tensors of one."""
        return flat(self.as_dict())

    def restore(self, read: Callable[[dict[str, Tensor]], None]) -> None:
        """Go on from what `read` fills the tensors with."""
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
        """Mappings of mappings, whose tensors are the run's own; the optimizer's have the names of weights."""
        model, optimizer = get_state_dict(self.model, self.optimizer)
        return {"model": model, "optimizer": optimizer} | ({"average": self.average.state()} if self.average else {})


def flat(kept: dict[str, Any]) -> dict[str, Tensor]:
    """The tensors in mappings and lists, and numbers as tensors of one; each by its path."""
    found = ((name, holder[key]) for name, holder, key in leaves(kept))
    return {name: x if isinstance(x, Tensor) else torch.tensor(x, dtype=NUMBERS[type(x)]) for name, x in found}


def leaves(kept: dict[str, Any] | list[Any], path: str = "") -> Iterator[tuple[str, dict | list, Any]]:
    """The path of every tensor and number, the mapping or list that it is in, and its key there. What else there is
    follows from the settings: names, flags, tuples of coefficients."""
    for key, value in kept.items() if isinstance(kept, dict) else enumerate(kept):
        if isinstance(value, dict | list):
            yield from leaves(value, f"{path}{key}/")
        elif isinstance(value, Tensor) or type(value) in NUMBERS:
            yield f"{path}{key}", kept, key
