"""Start runs in a container: the words of a runtime's command, with what is mounted."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from benchmark.launch import LAUNCHERS, NODES

RUNTIMES = ("apptainer", "pyxis", "enroot")
GPUS = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")
# Variables by which ranks know their numbers. enroot passes on only variables that it is told to.
RANKS = (
    *re.findall(r"\w+", " ".join([*LAUNCHERS.values(), *NODES.values()])),
    *("SLURM_STEP_TASKS_PER_NODE", "SLURM_NODEID", "SLURM_JOB_NODELIST", "SLURM_STEP_NODELIST", "LSB_MCPU_HOSTS"),
    *GPUS,
)
AMD = Path("/dev/kfd")  # is there where the driver for AMD's GPUs is


@dataclass(frozen=True)
class Container:
    """An image: a file, or what the runtime takes for one. The clone is mounted, and what of `paths` lies outside it,
    under the same paths."""

    image: str
    runtime: str
    clone: Path
    paths: tuple[Path, ...] = ()

    @cached_property
    def facts(self) -> dict[str, str]:
        """The variable with the image's sha256, for the environment manifest; none for what is no file."""
        if not Path(self.image).is_file():
            return {}
        with open(self.image, "rb") as file:
            return {"CONTAINER_DIGEST": hashlib.file_digest(file, "sha256").hexdigest()}

    def words(self, variables: Iterable[str]) -> tuple[list[str], list[str]]:
        """Return the words at the end of the launcher's command, and those before the program."""
        outside = (path for path in self.paths if not path.is_relative_to(self.clone))
        mounted = [str(path) for path in dict.fromkeys((self.clone, *outside))]
        if self.runtime == "pyxis":  # options of srun
            pairs = ",".join(f"{path}:{path}" for path in mounted)
            return [
                f"--container-image={self.image}",
                f"--container-mounts={pairs}",
                f"--container-workdir={self.clone}",
            ], []
        if self.runtime == "apptainer":
            binds = [word for path in mounted for word in ("--bind", path)]
            return [], ["apptainer", "exec", "--rocm" if AMD.exists() else "--nv", *binds, self.image]
        mounts = [word for path in mounted for word in ("--mount", f"{path}:{path}")]
        passed = [word for name in (*variables, *RANKS) for word in ("--env", name)]
        change = ["sh", "-c", 'cd "$0" && exec "$@"', str(self.clone)]
        return [], ["enroot", "start", *mounts, *passed, self.image, *change]
