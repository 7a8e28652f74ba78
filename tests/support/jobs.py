"""Kinds of jobs."""

KINDS = [  # launchers, and what they need
    ("slurm",),
    ("slurm", "--array"),
    ("slurm", "--container", "image.sqsh", "--runtime", "pyxis"),
    ("slurm", "--container", "image.sqsh", "--runtime", "enroot"),
    ("flux",),
    ("flux", "--container", "image.sif"),
    ("pbs",),
    ("pbs", "--array", "--mpi", "pals"),
    ("mpi",),
    ("mpi", "--mpi", "mpich"),
]
