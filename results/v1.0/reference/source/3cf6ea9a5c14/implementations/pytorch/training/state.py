"""The state that training changes and a checkpoint keeps."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict

from .average import Average


@dataclass(frozen=True)
class TrainingState:
    """A run's model, its optimizer and the average of its weights, if it has one."""

    model: nn.Module
    optimizer: torch.optim.Optimizer
    average: Average | None

    def as_dict(self) -> dict[str, Any]:
        """All of it, as torch.distributed.checkpoint wants it."""
        model, optimizer = get_state_dict(self.model, self.optimizer)
        return {"model": model, "optimizer": optimizer} | ({"average": self.average.state()} if self.average else {})

    def load(self, state: dict[str, Any]) -> None:
        """Go on from what `as_dict` gave, into whose tensors a checkpoint was read."""
        model, optimizer = state["model"], state["optimizer"]
        set_state_dict(self.model, self.optimizer, model_state_dict=model, optim_state_dict=optimizer)
        if self.average:
            self.average.load(state["average"])
