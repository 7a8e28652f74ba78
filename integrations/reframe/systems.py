"""Systems for ReFrame: `reframe -C integrations/reframe/systems.py --system xeon-amx-2core ...`

The two systems are examples: the machine of the published reference runs, and a cluster with Slurm. Name your system
here, and put its reference numbers into references.yaml.
"""

site_configuration = {
    "systems": [
        {
            "name": "xeon-amx-2core",
            "descr": "two processors, without a scheduler",
            "hostnames": [],
            "partitions": [{"name": "cpu", "scheduler": "local", "launcher": "local", "environs": ["builtin"]}],
        },
        {
            "name": "cluster",
            "descr": "a partition of nodes with GPUs, under Slurm",
            "hostnames": [],
            "partitions": [
                {
                    "name": "gpu",
                    "scheduler": "slurm",
                    "launcher": "srun",
                    "environs": ["builtin"],
                    "access": ["--partition=gpu", "--gpus-per-node=8", "--exclusive"],
                }
            ],
        },
    ],
    "environments": [{"name": "builtin"}],
}
