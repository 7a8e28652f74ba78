# shellcheck shell=bash
# The runs of a submission, one after another. slurm.sh and flux.sh say how a process for each rank is started (the
# function `everywhere`), how many RANKS there are, where rank 0 is (MASTER_ADDR) and a number for the JOB; then they
# source this file, with what train.py is to be told beside them.

# EDIT: a folder on each node's own disk, to which data is copied first, on the clock; none: data is read where it is.
: "${STAGE:=}"
stage=()
if [[ -n $STAGE ]]; then
    stage=(--stage "$STAGE")
fi

# EDIT: the container, if any (apptainer.def makes one); otherwise `make setup` has made .venv, where all nodes see it.
: "${CONTAINER:=}" "${PYTHON:=.venv/bin/python}"
python=("$PYTHON")
if [[ -n $CONTAINER ]]; then
    python=(apptainer exec --nv --bind "$PWD" --bind "$DATA" ${STAGE:+--bind "$STAGE"} "$CONTAINER" python3)
fi

# EDIT: NCCL finds its way by itself. What to try where it doesn't:
# export NCCL_DEBUG=INFO              # says which network it took: NET/IB is what you want, NET/Socket is slow
# export NCCL_SOCKET_IFNAME=ib0       # ranks don't find each other: the interface on which nodes reach each other
# export NCCL_IB_HCA=mlx5             # a node has cards that are no way to other nodes, storage's say
# export NCCL_NET_GDR_LEVEL=SYS       # GPU and card hang on different PCIe roots: let them talk directly all the same
# export NCCL_MIN_P2P_NCHANNELS=8     # halos are point-to-point messages: more channels for each, if links are idle
# export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True  # boxes that nearly fill the memory: fewer holes
# export GLOO_SOCKET_IFNAME=eth0      # the same as NCCL_SOCKET_IFNAME, on nodes without GPUs

: "${OUT:=results/v1.0}" "${BENCHMARK:=scaffold}"
logs=$OUT/$ORG/results/$SYSTEM/strong/$BENCHMARK

# The tree around the logs: the source that runs, and the description of the system, of which a person must fill in
# what no program sees (the number of nodes, say). Refuses a place where runs are already.
"${python[@]}" implementations/pytorch/submit.py --runs 0 --problem "$PROBLEM" --data "$DATA" --org "$ORG" \
    --system "$SYSTEM" --out "$OUT" --nproc "$RANKS" "$@"

reached=0
for ((run = 0; run < RUNS; run++)); do
    export MASTER_PORT=$((20000 + (JOB + run) % 10000)) # below the ports that systems hand out; a new one for each run
    code=0
    everywhere "${python[@]}" implementations/pytorch/train.py --problem "$PROBLEM" --data "$DATA" --org "$ORG" \
        --system "$SYSTEM" --log "$logs/result_$run.txt" "${stage[@]}" "$@" || code=$?
    echo "run $((run + 1)) of $RUNS: exit code $code"
    reached=$((reached + (code == 0)))
    if ((code == 2)); then # wrong data or a wrong command: the next run would say the same
        break
    fi
done
echo "$reached of $RUNS runs reached the target: $OUT/$ORG; next: python compliance/check.py $OUT/$ORG"
((reached == RUNS))
