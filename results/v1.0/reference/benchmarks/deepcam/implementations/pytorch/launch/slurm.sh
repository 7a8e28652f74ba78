#!/bin/bash
# The runs of a submission under Slurm, one process for each GPU. Edit what is marked, then, in the clone's root:
#
#     sbatch implementations/pytorch/launch/slurm.sh                  # all settings from configs/<problem>.yaml
#     sbatch implementations/pytorch/launch/slurm.sh --layout 4,4,4,8 'tile=[1,2,2,2]' recompute=true
#
# The dataset comes first, with as many processes as there are; each makes its share:
#
#     srun --nodes=8 --ntasks-per-node=64 .venv/bin/python benchmark/generate.py --problem scale11 --out DATA
#
# On nodes without GPUs, ask for none, and give each rank its cores: threads=12.
# Which layout fits and is fastest: implementations/pytorch/project.py.
#
#SBATCH --job-name=scaffold
#SBATCH --nodes=64
#SBATCH --ntasks-per-node=8
#SBATCH --gpus-per-node=8
#SBATCH --cpus-per-task=12
#SBATCH --exclusive
#SBATCH --time=12:00:00
#SBATCH --signal=TERM@120
#SBATCH --output=scaffold-%j.txt
# Not --gpus-per-task: a process must see all GPUs of its node, of which it takes the one of its local rank.
# SIGTERM, two minutes before the time is up, makes a run write the end of its log.
set -euo pipefail

# EDIT: what runs, or set it in the environment of sbatch.
: "${PROBLEM:=scale11}" "${DATA:=$PWD/data/$PROBLEM}" "${RUNS:=5}" "${ORG:=me}" "${SYSTEM:=my-system}"

cd "${SLURM_SUBMIT_DIR:-.}"
RANKS=$SLURM_NTASKS
JOB=$SLURM_JOB_ID
mapfile -t hosts < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
export MASTER_ADDR=${hosts[0]} # rank 0 is the first process of the first node

# A process for each rank, in blocks: ranks 0, 1, ... on the first node, so that a tile is a node's.
# A rank that ends badly takes the others along at once; without that, they wait for it until their timeout.
everywhere() {
    srun --ntasks="$RANKS" --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" --distribution=block:block --cpu-bind=cores \
        --kill-on-bad-exit=1 "$@"
}

# shellcheck source=implementations/pytorch/launch/runs.sh
source implementations/pytorch/launch/runs.sh
