"""The words of containers' runtimes, with what is mounted and variables that are passed on."""

from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from harness.container import Container
from harness.launcher import Launcher

PROGRAM = ["python", "train.py", "--head"]
CLONE, PATHS = Path("/clone"), (Path("/data"), Path("/clone/results"), Path("/data"))


def command(runtime: str, image: str = "image") -> list[str]:
    """The command of a rank in a container, without variables of ranks."""
    container = Container(image, runtime, CLONE, PATHS)
    return [w for w in Launcher(2, ("srun",), container=container).command(PROGRAM) if "=2" not in w]


def test_apptainer_binds_what_is_outside_the_clone_once():
    words = command("apptainer")
    assert words[-10:] == ["apptainer", "exec", "--nv", "--bind", "/clone", "--bind", "/data", "image", *PROGRAM][-10:]
    assert words[:2] == ["srun", "env"] and words.count("--bind") == 2


def test_apptainer_shows_amds_gpus_where_their_driver_is(tmp_path, monkeypatch):
    monkeypatch.setattr("harness.container.AMD", tmp_path)
    assert "--rocm" in command("apptainer") and "--nv" not in command("apptainer")


def test_pyxis_is_options_of_srun():
    words = command("pyxis")
    mounts = "--container-mounts=/clone:/clone,/data:/data"
    assert words[:5] == ["srun", "--container-image=image", mounts, "--container-workdir=/clone", "env"]


def test_enroot_passes_on_what_ranks_need_and_starts_in_the_clone():
    words = command("enroot")
    assert words[-8:] == ["image", "sh", "-c", 'cd "$0" && exec "$@"', "/clone", *PROGRAM]
    passed = {value for name, value in pairwise(words) if name == "--env"}
    assert {"MASTER_PORT", "WORLD_SIZE", "SLURM_PROCID", "PMI_RANK", "PALS_RANKID", "FLUX_TASK_RANK"} <= passed
    assert {"OMPI_COMM_WORLD_RANK", "MPI_LOCALRANKID", "FLUX_JOB_NNODES", "CUDA_VISIBLE_DEVICES"} <= passed
    assert [words[i + 1] for i, word in enumerate(words) if word == "--mount"] == ["/clone:/clone", "/data:/data"]


def test_ranks_know_the_images_sha256(tmp_path):
    (tmp_path / "image").write_bytes(b"layers")
    digest = f"CONTAINER_DIGEST={sha256(b'layers').hexdigest()}"
    assert digest in command("apptainer", str(tmp_path / "image"))
    assert not [word for word in command("apptainer") if word.startswith("CONTAINER_DIGEST")]
