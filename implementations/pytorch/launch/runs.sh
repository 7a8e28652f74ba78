# shellcheck shell=bash disable=SC2154,SC2034
# The runs of a submission, one after another. A script that render.py wrote says what runs where, and how a process for
# each rank is started (the function `everywhere`); then it sources this file. What may be set in its environment:
#
#     STEPS=N         no runs: one measurement of N steps, `train.py --steps`
#     CHECKPOINT=DIR  runs keep checkpoints in DIR/run_<n>; the same job, submitted again, resumes where the last one
#                     ended
#     RUN=N           run N alone
#     RUNS=N          another number of runs than the script was written for; a job array has its elements, and refuses it
#     DATA, STAGE     the dataset; a folder on each node's own disk, to which data is copied first, on the clock
#     CONTAINER       an image; without one, PYTHON runs, .venv/bin/python, where all nodes see it. For GPUs .venv has to
#                     be made by `make setup TORCH=cuda`, PyPI's build for CUDA 13, which needs a driver of 580
#                     or newer: plain `make setup` installs the build that has no CUDA
#
# NCCL finds its way by itself. What to set where it doesn't:
#
#     NCCL_DEBUG=INFO              says which network it took: NET/IB is what you want, NET/Socket is slow
#     NCCL_SOCKET_IFNAME=ib0       ranks don't find each other: the interface on which nodes reach each other
#     NCCL_IB_HCA=mlx5             a node has cards that are no way to other nodes, storage's say
#     NCCL_NET_GDR_LEVEL=SYS       GPU and card hang on different PCIe roots: let them talk directly all the same
#     NCCL_MIN_P2P_NCHANNELS=8     halos are point-to-point messages: more channels for each, if links are idle
#     PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True  boxes that nearly fill the memory: fewer holes
#     GLOO_SOCKET_IFNAME=eth0      the same as NCCL_SOCKET_IFNAME, on nodes without GPUs

: "${STEPS:=}" "${RUN:=}" "${ELEMENTS:=}" "${LIMIT:=}" "${PYTHON:=.venv/bin/python}"
reached='"key": "run_stop".*"status": "success"'                                # in a log
ended='"key": "run_stop".*"reason": "(the loss is |[^"]* after [0-9]+ epochs, )' # neither, but not interrupted
declare -F alone >/dev/null || alone() { "$@"; }                                 # a process by itself
given=(--problem "$PROBLEM" --data "$DATA" --org "$ORG" --system "$SYSTEM" ${LAYOUT:+--layout "$LAYOUT"})
given+=("device=$DEVICE" "${OPTIONS[@]}" "$@")

if [[ -n $ELEMENTS && $RUNS != "$ELEMENTS" ]]; then
    echo "RUNS: found $RUNS, wanted $ELEMENTS: this job array has so many elements (render.py --runs $RUNS)" >&2
    exit 2
fi

# One job at a time in a set: what it moves aside may be another one's run. Its children hold the lock as long as they are.
mkdir -p "$OUT"
exec 9>>"$OUT/.$ORG.$SYSTEM.$BENCHMARK.lock"
if command -v flock >/dev/null && ! flock --nonblock 9; then
    echo "$LOGS: found another job at work, wanted one at a time" >&2
    exit 2
fi

# What is set for libraries goes to every rank, wherever it runs; but not which GPUs it sees, which its launcher says.
exported=()
for name in $(compgen -e | grep -E '^(NCCL|RCCL|GLOO|UCX|FI|OMP|MKL|CUDA|PYTORCH|TORCH)_' || true); do
    [[ $name == CUDA_VISIBLE_DEVICES ]] || exported+=("$name=${!name}")
done

# The container, and the folders that it sees: what is relative lies in the clone.
python=("$PYTHON") inside=() mounts=
if [[ -n $CONTAINER ]]; then
    mkdir -p "$OUT" ${CHECKPOINT:+"$CHECKPOINT"}
    folders=()
    for folder in "$PWD" "$DATA" "$STAGE" "$CHECKPOINT" "$OUT"; do
        if [[ $folder == /* ]]; then
            folders+=("$folder")
        fi
    done
    if [[ -f $CONTAINER ]]; then # which image it was goes into the environment manifest
        CONTAINER_DIGEST=$(sha256sum "$CONTAINER")
        export CONTAINER_DIGEST=${CONTAINER_DIGEST%% *}
    fi
    case $RUNTIME in
        apptainer)
            python=(apptainer exec --nv)
            for folder in "${folders[@]}"; do python+=(--bind "$folder"); done
            python+=("$CONTAINER" python3)
            ;;
        enroot) # which hands on what it is told to alone: how ranks know themselves and each other
            python=(enroot start)
            for folder in "${folders[@]}"; do python+=(--mount "$folder:$folder"); done
            for name in "${exported[@]%%=*}" MASTER_ADDR MASTER_PORT WORLD_SIZE CONTAINER_DIGEST CUDA_VISIBLE_DEVICES \
                SLURM_{PROCID,STEP_NUM_TASKS,LOCALID,STEP_TASKS_PER_NODE,NODEID,STEP_NUM_NODES} \
                OMPI_COMM_WORLD_{,LOCAL_}{RANK,SIZE} FLUX_{TASK_RANK,JOB_SIZE,TASK_LOCAL_ID,JOB_NNODES} \
                PMI_{RANK,SIZE,LOCAL_RANK,LOCAL_SIZE} MPI_LOCAL{RANKID,NRANKS} PALS_{RANKID,LOCAL_RANKID,LOCAL_SIZE}; do
                python+=(--env "$name")
            done
            # shellcheck disable=SC2016  # the shell inside expands it
            python+=("$CONTAINER" sh -c 'cd "$0" && exec python3 "$@"' "$PWD")
            ;;
        pyxis) # srun starts it
            for folder in "${folders[@]}"; do mounts+=",$folder:$folder"; done
            inside=("--container-image=$CONTAINER" "--container-mounts=${mounts#,}" "--container-workdir=$PWD")
            python=(python3)
            ;;
    esac
fi

# train.py on all ranks, on a port of its own, below those that systems hand out.
train() { # NUMBER OPTION...
    export MASTER_PORT=$((20000 + (JOB + $1) % 10000))
    everywhere "${python[@]}" "$IMPLEMENTATION/train.py" ${STAGE:+--stage "$STAGE"} "${@:2}" "${given[@]}"
}

# The source that the logs name, copied next to them: after every run, before anybody edits it.
config=() before=
for word in "${given[@]}"; do
    if [[ $before == --config ]]; then
        config=(--config "$word")
    fi
    before=$word
done
collect() {
    alone "${python[@]}" benchmark/collect.py "$OUT/$ORG" "${config[@]}"
}

submit() { # OPTION...
    alone "${python[@]}" "$IMPLEMENTATION/submit.py" "$@" --out "$OUT" --nproc "$RANKS" --nodes "$NODES" "${given[@]}"
}

if [[ -n $STEPS ]]; then
    number=0
    while [[ -e $MEASURED/result_$number.txt ]]; do
        number=$((number + 1))
    done
    train 0 --log "$MEASURED/result_$number.txt" --steps "$STEPS"
    collect
    echo "$STEPS steps: $MEASURED/result_$number.txt"
    exit
fi

# The description of the system, of which a person must fill in what no program sees. What is there of runs that broke
# off is moved aside, unless CHECKPOINT has theirs. A log of a run that is over is never touched.
submit --runs 0

good=0 numbers=()
for ((run = 0; run < RUNS; run++)); do numbers+=("$run"); done
if [[ -n $RUN ]]; then
    numbers=("$RUN")
fi
for run in "${numbers[@]}"; do
    log=$LOGS/result_$run.txt
    code=0
    if ! grep -Eqs "$reached|$ended" "$log"; then
        if [[ -s $log ]] && ! compgen -G "${CHECKPOINT:-/dev/null}/run_$run/epoch_*" >/dev/null; then
            submit --aside "$run"
        fi
        train "$run" --log "$log" ${CHECKPOINT:+--checkpoint "$CHECKPOINT/run_$run" --resume} || code=$?
        collect
        echo "run $((run + 1)) of $RUNS: exit code $code"
    fi
    if grep -Eqs "$reached" "$log"; then
        good=$((good + 1))
    fi
    # 2: wrong data or a wrong command, the next run would say the same. 128 and more: a signal, the time limit's say.
    # Launchers give the highest code of all ranks: 2 may hide behind that of a rank which was taken along. So may the 1
    # of a run that came to an end of its own, after which it is the next one's turn.
    if ((code == 2 || code >= 128)) || [[ $code != 0 && -n $CHECKPOINT ]] || ((LIMIT && SECONDS >= LIMIT)); then
        grep -Eqs "$ended" "$log" || break
    fi
done
echo "$good of ${#numbers[@]} runs reached the target: $OUT/$ORG; next: python compliance/check.py $OUT/$ORG"
((good == ${#numbers[@]}))
