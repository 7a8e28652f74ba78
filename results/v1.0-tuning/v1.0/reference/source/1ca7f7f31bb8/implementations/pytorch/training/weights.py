"""The final weights of a run: the state that scored, in a file that holds nothing but tensors.

`weights/result_<i>.safetensors` beside the log has the weights (their moving average, where a run evaluates that) and
the floating-point buffers of the plain model, whole, under the model's own names. Anybody can evaluate it again.
"""

import hashlib
from pathlib import Path

from safetensors.torch import save_file
from torch import Tensor, nn

from benchmark.atomic import replacing
from benchmark.tree import weights_path


def tensors_of(model: nn.Module) -> dict[str, Tensor]:
    """A plain model's weights and floating-point buffers by name, copied to memory."""
    named = (*model.named_parameters(), *model.named_buffers())  # state_dict() would shard FSDP's again
    return {name: t.detach().cpu().contiguous().clone() for name, t in named if t.is_floating_point()}


def save_weights(tensors: dict[str, Tensor], log: Path) -> tuple[str, int]:
    """Write the weights of a log's run; sha256 in hexadecimal and size in bytes of the file. Raises OSError."""
    path = weights_path(log)
    with replacing(path) as temporary:
        try:
            save_file(tensors, temporary)
        except Exception as error:  # the library's own, which is no OSError: a full disk may be the reason
            raise OSError(None, str(error), str(path)) from error
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest(), path.stat().st_size
