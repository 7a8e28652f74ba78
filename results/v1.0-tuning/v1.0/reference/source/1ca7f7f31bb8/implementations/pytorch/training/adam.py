"""Adam (Kingma and Ba 2015, arXiv:1412.6980) for weights in channels-last memory."""

import torch
from torch import Tensor


class DenseAdam(torch.optim.Adam):
    """`torch.optim.Adam`, whose fused CPU kernel copies every tensor that is not contiguous, and takes 3 times as long.

    The update is element by element, so the order of elements doesn't matter: the kernel gets views of the weights,
    their gradients and their moments in which channels-last memory is contiguous. State and results are the same.

    Gradients in another order than the weights', which that kernel (of PyTorch 2.13) takes for the same, are copied.
    """

    def _init_group(self, group: dict, *lists: list[Tensor]) -> bool:
        result = super()._init_group(group, *lists)
        parameters, gradients, first_moments, second_moments = lists[:4]
        for i, parameter in enumerate(parameters):
            if is_channels_last(parameter):
                for tensors in (parameters, gradients, first_moments, second_moments):
                    tensors[i] = tensors[i].movedim(1, -1).contiguous()
        return result


def is_channels_last(x: Tensor) -> bool:
    """Whether `x` is a plain tensor (N, C, D, H, W) that lies in memory as (N, D, H, W, C), and in no other order."""
    plain = type(x) in (Tensor, torch.nn.Parameter) and x.dim() == 5
    return plain and x.is_contiguous(memory_format=torch.channels_last_3d) and not x.is_contiguous()
