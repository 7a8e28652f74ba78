"""Spack's package: the clone, and a virtual environment of its own with the packages that the benchmark pins. Most of
them are not in Spack, and a run needs these versions. See ../../README.md."""

from pathlib import Path

from spack.package import *

CPU = "+cpu", "--extra-index-url", "https://download.pytorch.org/whl/cpu"


class ScaffoldBench(Package):
    """ScaFFold: a benchmark, and the checks that make its numbers believable"""

    git = f"file://{Path(__file__).resolve().parents[4]}"  # of the clone that this file is in

    version("main", branch="main")

    license("Apache-2.0")

    variant("torch", default="cpu", values=("cpu", "cuda"), multi=False, description="PyTorch's build")

    depends_on("python@3.11:+venv", type=("build", "run"))

    def install(self, spec, prefix):
        install_tree(".", prefix)
        pinned = next(line for line in Path("Makefile").read_text().splitlines() if line.startswith("TORCH ?= "))
        torch = pinned.removeprefix("TORCH ?= ").partition("$")[0]
        build, *index = ("",) if spec.satisfies("torch=cuda") else CPU  # PyPI has the build for CUDA
        Executable(join_path(spec["python"].prefix.bin, "python3"))("-m", "venv", join_path(prefix, ".venv"))
        pip = Executable(join_path(prefix, ".venv", "bin", "pip"))
        pip("install", "--requirement", "requirements.txt", torch + build, *index)

    def setup_run_environment(self, env):
        env.prepend_path("PATH", join_path(self.prefix, ".venv", "bin"))
        env.set("SCAFFOLD_ROOT", self.prefix)
