#!/bin/bash
# The runs of a submission under Flux, one process for each GPU. Edit what is marked, then, in the clone's root:
#
#     flux batch implementations/pytorch/launch/flux.sh               # scale9 on 8 nodes of 8 GPUs
#     LAYOUT=4,4,4,4 flux batch --nodes=32 implementations/pytorch/launch/flux.sh
#     STEPS=40 flux batch --time-limit=30m implementations/pytorch/launch/flux.sh           # how fast a step is
#     CHECKPOINT=$PWD/build/checkpoints flux batch implementations/pytorch/launch/flux.sh   # again, and it goes on
#     PROBLEM=scale11 LAYOUT=4,4,4,8 flux batch --nodes=64 implementations/pytorch/launch/flux.sh \
#         'tile=[1,2,2,2]' recompute=true
#
# The variables are those below and in runs.sh; options and settings of train.py go at the end. Which layout fits and is
# fastest: perf/project.py. The dataset comes first, with as many processes as there are; each makes
# its share:
#
#     flux run --nodes=8 --ntasks=512 .venv/bin/python benchmark/generate.py --problem scale9 --out data/scale9
#
# On nodes without GPUs: set DEVICE=cpu GPUS_PER_RANK=0.
# Needs `flux hostlist` (2024 or newer).
#
# flux: --job-name=scaffold
# flux: --nodes=8
# flux: --exclusive
# flux: --time-limit=12h
# flux: --output=scaffold-{{id}}.txt
set -euo pipefail

# EDIT: what runs, or set it in the environment of flux batch. scale9 is the largest problem that the rules publish the
# fingerprints of (rules/<edition>/limits.yaml): scale10 and scale11 run, but the checker refuses their logs as yet.
: "${PROBLEM:=scale9}" "${RUNS:=5}" "${ORG:=me}" "${SYSTEM:=my-system}" "${DEVICE:=cuda}"
: "${RANKS_PER_NODE:=8}" "${CORES_PER_RANK:=12}" "${GPUS_PER_RANK:=1}"

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
NODES=$(flux hostlist --count local)
RANKS=$((NODES * RANKS_PER_NODE))
JOB=$$ # a job's id is no number
MASTER_ADDR=$(flux hostlist --nth=0 local) # rank 0 is the first process of the first node
export MASTER_ADDR

# A process for each rank, each on its own cores. All see all GPUs of their node (gpu-affinity=on), of which a process
# takes the one of its local rank. A rank that ends badly takes the others along at once. SIGTERM, two minutes before
# the batch job's time is up, which is theirs too, makes them write the end of the log.
everywhere() {
    flux run --nodes="$NODES" --ntasks="$RANKS" --cores-per-task="$CORES_PER_RANK" --gpus-per-task="$GPUS_PER_RANK" \
        --setopt=cpu-affinity=per-task --setopt=gpu-affinity=on --setopt=exit-on-error --signal=TERM@120 "$@"
}

# The implementation that runs: the folder that this script lies in. Where the scheduler runs a copy of the script, it is
# the only folder with such a script, or the one that IMPLEMENTATION names.
found=(implementations/*/launch/flux.sh)
if [[ -z ${IMPLEMENTATION:-} && -e $here/launch/runs.sh ]]; then
    IMPLEMENTATION=$here
elif [[ -z ${IMPLEMENTATION:-} ]] && ((${#found[@]} == 1)); then
    IMPLEMENTATION=${found[0]%/launch/*}
elif [[ -z ${IMPLEMENTATION:-} ]]; then
    echo "flux.sh: found ${found[*]}, wanted IMPLEMENTATION=implementations/<name> to say which" >&2
    exit 2
fi

# shellcheck source=implementations/pytorch/launch/runs.sh
source "$IMPLEMENTATION/launch/runs.sh"
