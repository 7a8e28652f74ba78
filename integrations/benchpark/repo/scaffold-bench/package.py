"""The package for Spack: a copy of the clone, with a virtual environment that has the pinned packages.

Runs need these versions, and most of them are not in Spack. See ../../README.md.
"""

from pathlib import Path

from spack.package import *


class ScaffoldBench(Package):
    """ScaFFold: a benchmark, and the checks that make its numbers believable"""

    git = f"file://{Path(__file__).resolve().parents[4]}"  # the clone that has this file

    version("main", branch="main")

    license("Apache-2.0")

    variant("torch", default="cpu", values=("cpu", "cuda"), multi=False, description="PyTorch's build")

    depends_on("gmake", type="build")
    depends_on("python@3.11:+venv", type=("build", "run"))

    def install(self, spec, prefix):
        install_tree(".", prefix)
        build = "cuda" if spec.satisfies("torch=cuda") else "cpu"
        python = join_path(spec["python"].prefix.bin, "python3")
        Executable("make")("-C", prefix, "setup", f"TORCH={build}", f"PYTHON={python}")

    def setup_run_environment(self, env):
        env.prepend_path("PATH", join_path(self.prefix, ".venv", "bin"))
        env.set("SCAFFOLD_ROOT", self.prefix)
