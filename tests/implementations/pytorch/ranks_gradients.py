"""Started by torchrun in test_layout.py: loss and gradients of a batch that is split over ranks.

ranks_gradients.py OUT SAMPLES
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[3])

import torch

from benchmark.launch import detect_launch
from implementations.pytorch.config import TrainConfig
from implementations.pytorch.layout import connect
from implementations.pytorch.loss import class_weights
from implementations.pytorch.model import UNet
from implementations.pytorch.step import batch_loss

CONFIG = TrainConfig(device="cpu", precision="float32")


def gradients(layout, samples: int) -> dict[str, torch.Tensor]:
    """Loss and gradients by parameter's name of a fixed batch of so many samples, in float64."""
    torch.manual_seed(0)
    model = UNet(classes=3, width=8, levels=1).double()
    volume = torch.randint(0, 256, (samples, 4, 4, 4), dtype=torch.uint8)
    label = torch.randint(0, 3, (samples, 4, 4, 4), dtype=torch.uint8)
    mine = layout.share(range(samples))
    weight = class_weights(3, 0.3).double()
    parallel = Double(layout.parallel(model))  # must live until the gradients are there
    loss = batch_loss(parallel, volume[mine], label[mine], weight, layout, CONFIG)
    loss.backward()
    return {"loss": loss.detach(), **{name: p.grad for name, p in model.named_parameters()}}


class Double(torch.nn.Module):
    """A model that takes its input in float64."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(x.double())


if __name__ == "__main__":
    torch.set_num_threads(1)
    layout = connect(detect_launch(), torch.device("cpu"), 60)
    found = gradients(layout, int(sys.argv[2]))
    torch.save(layout.gather(found), sys.argv[1]) if layout.rank == 0 else layout.gather(found)
    torch.distributed.destroy_process_group()
