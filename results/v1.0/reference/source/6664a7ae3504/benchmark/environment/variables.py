"""Select the environment variables that change how a run computes or communicates, from a fixed list."""

import os
import re
from collections.abc import Mapping

from benchmark.environment.paths import shortened

# Variables of threads, arithmetic, communication, accelerators, memory and files begin with one of these.
PREFIXES = (
    "OMP_", "GOMP_", "KMP_", "MKL_", "OPENBLAS_", "BLIS_", "ONEDNN_", "DNNL_",
    "NCCL_", "RCCL_", "GLOO_", "UCX_", "UCC_", "FI_", "PSM2_", "TORCH_", "TORCHINDUCTOR_", "PYTORCH_", "TRITON_",
    "CUDA_", "CUBLAS_", "CUDNN_", "NVIDIA_TF32_", "HIP_", "ROCR_", "HSA_", "MIOPEN_", "ZE_", "ONEAPI_",
    "MALLOC_", "TCMALLOC_", "HDF5_",
)  # fmt: skip
# Launchers' variables for what is started on how much, and some others.
NAMES = (
    "SLURM_JOB_NUM_NODES", "SLURM_NTASKS", "SLURM_NTASKS_PER_NODE", "SLURM_TASKS_PER_NODE", "SLURM_CPUS_PER_TASK",
    "SLURM_CPUS_ON_NODE", "SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE", "SLURM_CPU_BIND", "SLURM_MEM_BIND",
    "SLURM_DISTRIBUTION", "SLURM_GPU_FREQ", "SLURM_CPU_FREQ_REQ", "SLURM_THREADS_PER_CORE", "SLURM_HINT",
    "FLUX_JOB_NNODES", "FLUX_JOB_SIZE", "PBS_NUM_NODES", "PBS_NP", "PBS_NCPUS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
    "PALS_DEPTH", "WORLD_SIZE", "LOCAL_WORLD_SIZE",
    "LD_PRELOAD", "LD_BIND_NOW", "PYTHONHASHSEED", "PYTHONNOUSERSITE", "PYTHONMALLOC", "PYTHONOPTIMIZE",
)  # fmt: skip
# Variables whose names match this are never recorded, whatever they begin with: their values may be private.
SECRET = re.compile(
    r"KEY|TOKEN|SECRET|PASS|PWD|CRED|AUTH|COOKIE|SESSION|PRIVATE|LICENSE|SIGNATURE|PROXY|UR[IL]|USER|ACCOUNT|MAIL|HOME"
    r"|CACHE|(DIR|PATH|FILE)$"  # where a user keeps what
)
LONGEST, MOST = 1000, 200  # characters of a value, variables


def variables(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the listed variables that are set, without private folders and addresses in their values."""
    names = sorted(name for name in environ if listed(name))
    return {name: told(environ[name]) for name in names[:MOST]}


def listed(name: str) -> bool:
    """Return whether a variable is on the list."""
    return (name in NAMES or name.startswith(PREFIXES)) and not SECRET.search(name.upper())


def told(value: str) -> str:
    """Return a value as the manifest shows it."""
    return "(not told)" if "@" in value or "://" in value or len(value) > LONGEST else shortened(value)
