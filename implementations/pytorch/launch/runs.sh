# shellcheck shell=bash
# The runs of a submission, one after another. slurm.sh and flux.sh say how a process for each rank is started (the
# function `everywhere`), how many RANKS there are, where rank 0 is (MASTER_ADDR) and a number for the JOB; then they
# source this file, with what train.py is to be told beside them.
#
#     STEPS=N         no runs: one measurement of N steps, `train.py --steps`; `--trace DIR` may follow
#     CHECKPOINT=DIR  runs keep checkpoints in DIR/run_<n>; the same job, submitted again, goes on where the last one
#                     ended and leaves runs that are over alone

: "${DATA:=$PWD/data/$PROBLEM}" "${STEPS:=}" "${CHECKPOINT:=}" "${LAYOUT:=}"

# EDIT: a folder on each node's own disk, to which data is copied first, on the clock; none: data is read where it is.
: "${STAGE:=}"

# EDIT: the container, if any (apptainer.def makes one); otherwise .venv, where all nodes see it. For GPUs it has to be
# made by `make setup TORCH=cuda`, PyPI's build for CUDA 13, which needs a driver of 580 or newer: plain `make
# setup` installs the build that has no CUDA.
: "${CONTAINER:=}" "${PYTHON:=.venv/bin/python}"

# EDIT: NCCL finds its way by itself. What to try where it doesn't:
# export NCCL_DEBUG=INFO              # says which network it took: NET/IB is what you want, NET/Socket is slow
# export NCCL_SOCKET_IFNAME=ib0       # ranks don't find each other: the interface on which nodes reach each other
# export NCCL_IB_HCA=mlx5             # a node has cards that are no way to other nodes, storage's say
# export NCCL_NET_GDR_LEVEL=SYS       # GPU and card hang on different PCIe roots: let them talk directly all the same
# export NCCL_MIN_P2P_NCHANNELS=8     # halos are point-to-point messages: more channels for each, if links are idle
# export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True  # boxes that nearly fill the memory: fewer holes
# export GLOO_SOCKET_IFNAME=eth0      # the same as NCCL_SOCKET_IFNAME, on nodes without GPUs

edition=$(ls rules 2>/dev/null | grep -E '^v[0-9]+\.[0-9]+$' | sort -V | tail -n 1 || true) # the newest, as rules/edition.py has it
: "${OUT:=results/${edition:?found no edition in rules/, wanted one}}" "${BENCHMARK:=scaffold}"
results=$OUT/$ORG/results/$SYSTEM
reached='"key": "run_stop".*"status": "success"'                                # in a log
ended='"key": "run_stop".*"reason": "(the loss is |[^"]* after [0-9]+ epochs, )' # neither, but not interrupted

python=("$PYTHON")
if [[ -n $CONTAINER ]]; then
    mkdir -p "$OUT" ${CHECKPOINT:+"$CHECKPOINT"}
    python=(apptainer exec --nv)
    for folder in "$PWD" "$DATA" "$STAGE" "$CHECKPOINT" "$OUT"; do
        if [[ $folder == /* ]]; then # what is relative lies in the clone
            python+=(--bind "$folder")
        fi
    done
    python+=("$CONTAINER" python3)
fi

# How ranks split the batch and the volumes: data,depth,height,width. All by data, which is what train.py does by
# itself, leaves all ranks without a sample that are more than a batch has, and never makes a box smaller.
if [[ -z $LAYOUT && $PROBLEM == scale9 ]] && ((RANKS == 64)); then
    LAYOUT=4,2,2,4
fi
if [[ -z $LAYOUT && "$*" != *layout* ]] && ((RANKS > 1)); then
    echo "LAYOUT: found none, wanted data,depth,height,width for $PROBLEM on $RANKS ranks; what fits:" \
        "$PYTHON perf/project.py --problem $PROBLEM --ranks $RANKS --system dgx-h200" >&2
    exit 2
fi
given=(--problem "$PROBLEM" --data "$DATA" --org "$ORG" --system "$SYSTEM" ${LAYOUT:+--layout "$LAYOUT"})
given+=("device=$DEVICE" "$@")

# train.py on all ranks, on a port of its own, below those that systems hand out.
train() { # NUMBER OPTION...
    export MASTER_PORT=$((20000 + (JOB + $1) % 10000))
    everywhere "${python[@]}" "$IMPLEMENTATION/train.py" ${STAGE:+--stage "$STAGE"} "${@:2}" "${given[@]}"
}

# The source that the logs name, copied next to them: after every run, before anybody edits it.
config=() before=
for word in "$@"; do
    if [[ $before == --config ]]; then
        config=(--config "$word")
    fi
    before=$word
done
collect() {
    "${python[@]}" benchmark/collect.py "$OUT/$ORG" "${config[@]}"
}

if [[ -n $STEPS ]]; then
    number=0
    while [[ -e $results/throughput/$BENCHMARK/result_$number.txt ]]; do
        number=$((number + 1))
    done
    train 0 --log "$results/throughput/$BENCHMARK/result_$number.txt" --steps "$STEPS"
    collect
    echo "$STEPS steps: $results/throughput/$BENCHMARK/result_$number.txt"
    exit
fi

# The description of the system, of which a person must fill in what no program sees (the number of nodes, say). What is
# there of runs that broke off is moved aside, unless CHECKPOINT has theirs.
logs=$results/strong/$BENCHMARK
"${python[@]}" "$IMPLEMENTATION/submit.py" --runs 0 --out "$OUT" --nproc "$RANKS" "${given[@]}"

good=0
for ((run = 0; run < RUNS; run++)); do
    log=$logs/result_$run.txt
    code=0
    if ! grep -Eqs "$reached|$ended" "$log"; then
        if [[ -s $log ]] && ! compgen -G "${CHECKPOINT:-/dev/null}/run_$run/epoch_*" >/dev/null; then
            "${python[@]}" "$IMPLEMENTATION/submit.py" --aside "$run" --out "$OUT" --nproc "$RANKS" "${given[@]}"
        fi
        train "$run" --log "$log" ${CHECKPOINT:+--checkpoint "$CHECKPOINT/run_$run" --resume} || code=$?
        collect
        echo "run $((run + 1)) of $RUNS: exit code $code"
    fi
    if grep -Eqs "$reached" "$log"; then
        good=$((good + 1))
    fi
    # 2: wrong data or a wrong command, the next run would say the same. 128 and more: a signal, the time limit's say.
    # srun and flux give the highest code of all ranks: 2 may hide behind that of a rank which was taken along. So may
    # the 1 of a run that came to an end of its own, after which it is the next one's turn.
    if ((code == 2 || code >= 128)) || [[ $code != 0 && -n $CHECKPOINT ]]; then
        grep -Eqs "$ended" "$log" || break
    fi
done
echo "$good of $RUNS runs reached the target: $OUT/$ORG; next: python compliance/check.py $OUT/$ORG"
((good == RUNS))
