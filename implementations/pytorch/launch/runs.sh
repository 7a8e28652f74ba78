# shellcheck shell=bash disable=SC2154,SC2034
# Makes the runs of a submission, one after another. A script by render.py defines what runs where, and the function
# `everywhere`, which starts a process for each rank. Then it sources this file. Variables that may be set:
#
#     STEPS=N         makes one measurement of N steps (`train.py --steps`) instead of runs
#     CHECKPOINT=DIR  runs keep checkpoints in DIR/run_<n>; the same job, submitted again, resumes where the last one
#                     ended
#     RUN=N           makes only run N
#     RUNS=N          another number of runs than the script was written for; a job array refuses any other number than
#                     that of its elements
#     DATA            the dataset
#     STAGE           a folder on each node's own disk, to which the data are copied first; the copy counts in the run's
#                     time
#     CONTAINER       an image. Without one, PYTHON is used (.venv/bin/python), which all nodes must see. For GPUs, make
#                     .venv by `make setup TORCH=cuda`: PyPI's build for CUDA 13, which needs a driver of 580 or newer.
#                     Plain `make setup` installs the build without CUDA
#
# NCCL configures itself in most cases. If it does not, set:
#
#     NCCL_DEBUG=INFO              to see which network it uses: NET/IB is right, NET/Socket is slow
#     NCCL_SOCKET_IFNAME=ib0       if ranks don't find each other: the interface on which nodes reach each other
#     NCCL_IB_HCA=mlx5             if a node also has cards that don't lead to other nodes, such as those of storage
#     NCCL_NET_GDR_LEVEL=SYS       if GPU and card are on different PCIe roots: direct transfers between them
#     NCCL_MIN_P2P_NCHANNELS=8     if links are idle: more channels for each point-to-point message, such as halos
#     PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True  if boxes nearly fill the memory: less fragmentation
#     GLOO_SOCKET_IFNAME=eth0      as NCCL_SOCKET_IFNAME, on nodes without GPUs

: "${STEPS:=}" "${RUN:=}" "${ELEMENTS:=}" "${LIMIT:=}" "${PYTHON:=.venv/bin/python}"
reached='"key": "run_stop".*"status": "success"'                                # in a log
ended='"key": "run_stop".*"reason": "(the loss is |[^"]* after [0-9]+ epochs, )' # missed it, was not interrupted
declare -F alone >/dev/null || alone() { "$@"; }                                 # starts a single process
given=(--problem "$PROBLEM" --data "$DATA" --org "$ORG" --system "$SYSTEM" ${LAYOUT:+--layout "$LAYOUT"})
given+=("device=$DEVICE" "${OPTIONS[@]}" "$@")

if [[ -n $ELEMENTS && $RUNS != "$ELEMENTS" ]]; then
    echo "RUNS: found $RUNS, wanted $ELEMENTS: this job array has so many elements (render.py --runs $RUNS)" >&2
    exit 2
fi

# Only one job may work on a set, since it could move aside the run of another. Its child processes inherit the lock.
mkdir -p "$OUT"
exec 9>>"$OUT/.$ORG.$SYSTEM.$BENCHMARK.lock"
if command -v flock >/dev/null && ! flock --nonblock 9; then
    echo "$LOGS: found another job at work, wanted one at a time" >&2
    exit 2
fi

# Every rank gets the variables that are set for libraries, except the visible GPUs, which its launcher sets.
exported=()
for name in $(compgen -e | grep -E '^(NCCL|RCCL|GLOO|UCX|FI|OMP|MKL|CUDA|PYTORCH|TORCH)_' || true); do
    [[ $name == CUDA_VISIBLE_DEVICES ]] || exported+=("$name=${!name}")
done

# The container, and the folders that are mounted into it. Relative paths are in the clone, which is mounted as well.
python=("$PYTHON") inside=() mounts=
if [[ -n $CONTAINER ]]; then
    mkdir -p "$OUT" ${CHECKPOINT:+"$CHECKPOINT"}
    folders=()
    for folder in "$PWD" "$DATA" "$STAGE" "$CHECKPOINT" "$OUT"; do
        if [[ $folder == /* ]]; then
            folders+=("$folder")
        fi
    done
    if [[ -f $CONTAINER ]]; then # the environment manifest has the image's digest
        CONTAINER_DIGEST=$(sha256sum "$CONTAINER")
        export CONTAINER_DIGEST=${CONTAINER_DIGEST%% *}
    fi
    case $RUNTIME in
        apptainer)
            python=(apptainer exec --nv)
            for folder in "${folders[@]}"; do python+=(--bind "$folder"); done
            python+=("$CONTAINER" python3)
            ;;
        enroot) # passes on only these variables; by the launcher's, ranks know their numbers and find each other
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

# Starts train.py on all ranks, on a port of its own, below the ports that systems assign themselves.
train() { # NUMBER OPTION...
    export MASTER_PORT=$((20000 + (JOB + $1) % 10000))
    everywhere "${python[@]}" "$IMPLEMENTATION/train.py" ${STAGE:+--stage "$STAGE"} "${@:2}" "${given[@]}"
}

# Copies the source that the logs name into the submission: after every run, before anybody can edit it.
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

# Writes the description of the system; a person must add what no program can see. Runs that broke off are moved aside
# below, unless CHECKPOINT has a checkpoint of them. Logs of finished runs are never touched.
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
    # Exit code 2 means wrong data or a wrong command, which the next run would meet as well. 128 and more mean a
    # signal, for instance at the time limit. Launchers return the highest code of all ranks, so the code of a rank that
    # was terminated with the others can hide a 2. It can also hide the 1 of a run that ended by itself, as its log
    # says: then the next run follows.
    if ((code == 2 || code >= 128)) || [[ $code != 0 && -n $CHECKPOINT ]] || ((LIMIT && SECONDS >= LIMIT)); then
        grep -Eqs "$ended" "$log" || break
    fi
done
echo "$good of ${#numbers[@]} runs reached the target: $OUT/$ORG; next: python compliance/check.py $OUT/$ORG"
((good == ${#numbers[@]}))
