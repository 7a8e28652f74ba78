#!/bin/bash
# The runs of a submission under Slurm, one process for each GPU. Edit what is marked, then, in the clone's root:
#
#     sbatch implementations/pytorch/launch/slurm.sh                  # scale9 on 8 nodes of 8 GPUs
#     LAYOUT=4,4,4,4 sbatch --nodes=32 implementations/pytorch/launch/slurm.sh
#     STEPS=40 sbatch --time=0:30:00 implementations/pytorch/launch/slurm.sh     # how fast a step is
#     CHECKPOINT=$PWD/build/checkpoints sbatch implementations/pytorch/launch/slurm.sh  # again, and it goes on
#     PROBLEM=scale11 LAYOUT=4,4,4,8 sbatch --nodes=64 implementations/pytorch/launch/slurm.sh \
#         'tile=[1,2,2,2]' recompute=true
#
# The variables are those below and in runs.sh; options and settings of train.py go at the end. Which layout fits and is
# fastest: perf/project.py. The dataset comes first, with as many processes as there are; each makes
# its share:
#
#     srun --nodes=8 --ntasks-per-node=64 .venv/bin/python benchmark/generate.py --problem scale9 --out data/scale9
#
# On nodes without GPUs: take --gpus-per-node out, and set DEVICE=cpu.
#
#SBATCH --job-name=scaffold
#SBATCH --nodes=8
#SBATCH --ntasks-per-node=8
#SBATCH --gpus-per-node=8
#SBATCH --cpus-per-task=12
#SBATCH --exclusive
#SBATCH --time=12:00:00
#SBATCH --signal=TERM@120
#SBATCH --output=scaffold-%j.txt
# Not --gpus-per-task: a rank that sees one GPU takes that one, but where the others of its node are out of its reach,
# NCCL can't copy to them directly.
# SIGTERM, two minutes before the time is up, makes a run write the end of its log. It goes to the ranks, not to this
# script, which ends when it sees that they were told to (runs.sh).
set -euo pipefail

# EDIT: what runs, or set it in the environment of sbatch. scale9 is the largest problem that the rules publish the
# fingerprints of (rules/<edition>/limits.yaml): scale10 and scale11 run, but the checker refuses their logs as yet.
: "${PROBLEM:=scale9}" "${RUNS:=5}" "${ORG:=me}" "${SYSTEM:=my-system}" "${DEVICE:=cuda}"

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
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

# The implementation that runs: the folder that this script lies in. Where the scheduler runs a copy of the script, it is
# the only folder with such a script, or the one that IMPLEMENTATION names.
found=(implementations/*/launch/slurm.sh)
if [[ -z ${IMPLEMENTATION:-} && -e $here/launch/runs.sh ]]; then
    IMPLEMENTATION=$here
elif [[ -z ${IMPLEMENTATION:-} ]] && ((${#found[@]} == 1)); then
    IMPLEMENTATION=${found[0]%/launch/*}
elif [[ -z ${IMPLEMENTATION:-} ]]; then
    echo "slurm.sh: found ${found[*]}, wanted IMPLEMENTATION=implementations/<name> to say which" >&2
    exit 2
fi

# shellcheck source=implementations/pytorch/launch/runs.sh
source "$IMPLEMENTATION/launch/runs.sh"
