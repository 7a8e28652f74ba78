from benchmark.environment.variables import MOST, listed, variables

SECRETS = (
    "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "HF_TOKEN", "WANDB_API_KEY", "PGPASSWORD", "SSH_AUTH_SOCK", "KRB5CCNAME",
    "SLURM_JWT", "SLURM_JOB_ACCOUNT", "SLURM_JOB_USER", "SLURM_SUBMIT_DIR", "USER", "HOME", "HTTP_PROXY", "SHELL",
    "TORCH_HUB_TOKEN", "NCCL_AUTH_KEY", "OMP_PASSWORD", "CUDA_LICENSE_FILE", "UCX_SECRET", "TORCHINDUCTOR_CACHE_DIR",
    "TRITON_CACHE_DIR", "FI_CRED", "torch_key", "MY_OMP_NUM_THREADS",
)  # fmt: skip


def test_variables_of_the_list_are_told_and_never_a_secret():
    assert [name for name in SECRETS if listed(name)] == []
    assert variables({**dict.fromkeys(SECRETS, "hunter2"), "OMP_NUM_THREADS": "4"}) == {"OMP_NUM_THREADS": "4"}
    told = {"OMP_NUM_THREADS": "4", "NCCL_IB_HCA": "mlx5_0,mlx5_1", "CUDA_VISIBLE_DEVICES": "0,1", "NCCL_DEBUG": "INFO"}
    told |= {"SLURM_CPU_BIND": "quiet,mask_cpu:0x1"}
    others = {"LD_PRELOAD": "/home/jane/fast.so", "UCX_TLS": "https://jane:pw@host/x", "PATH": "/bin"}
    assert variables(told | others) == told | {"LD_PRELOAD": ".../fast.so", "UCX_TLS": "(not told)"}
    assert len(variables({f"OMP_{i:04}": "1" for i in range(MOST + 1)})) == MOST
    assert variables({"OMP_A": "x" * 1000, "OMP_B": "x" * 1001}) == {"OMP_A": "x" * 1000, "OMP_B": "(not told)"}
