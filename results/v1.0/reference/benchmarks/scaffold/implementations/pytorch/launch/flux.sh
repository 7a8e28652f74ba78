#!/bin/bash
# The runs of a submission under Flux, one process for each GPU. Edit what is marked, then, in the clone's root:
#
#     flux batch implementations/pytorch/launch/flux.sh               # all settings from configs/<problem>.yaml
#     flux batch implementations/pytorch/launch/flux.sh --layout 4,4,4,8 'tile=[1,2,2,2]' recompute=true
#
# The dataset comes first, with as many processes as there are; each makes its share:
#
#     flux run --nodes=8 --ntasks=512 .venv/bin/python benchmark/generate.py --problem scale11 --out DATA
#
# On nodes without GPUs, ask for none, and give each rank its cores: threads=12.
# Which layout fits and is fastest: implementations/pytorch/project.py. Needs `flux hostlist` (2024 or newer).
#
# flux: --job-name=scaffold
# flux: --nodes=64
# flux: --exclusive
# flux: --time-limit=12h
# flux: --output=scaffold-{{id}}.txt
set -euo pipefail

# EDIT: what runs, or set it in the environment of flux batch.
: "${PROBLEM:=scale11}" "${DATA:=$PWD/data/$PROBLEM}" "${RUNS:=5}" "${ORG:=me}" "${SYSTEM:=my-system}"
: "${RANKS_PER_NODE:=8}" "${CORES_PER_RANK:=12}" "${GPUS_PER_RANK:=1}"

NODES=$(flux hostlist --count local)
RANKS=$((NODES * RANKS_PER_NODE))
JOB=$$ # a job's id is no number
MASTER_ADDR=$(flux hostlist --nth=0 local) # rank 0 is the first process of the first node
export MASTER_ADDR

# A process for each rank, each on its own cores. All see all GPUs of their node (gpu-affinity=on), of which a process
# takes the one of its local rank. A rank that ends badly takes the others along at once.
everywhere() {
    flux run --nodes="$NODES" --ntasks="$RANKS" --cores-per-task="$CORES_PER_RANK" --gpus-per-task="$GPUS_PER_RANK" \
        --setopt=cpu-affinity=per-task --setopt=gpu-affinity=on --setopt=exit-on-error "$@"
}

# shellcheck source=implementations/pytorch/launch/runs.sh
source implementations/pytorch/launch/runs.sh
