import pytest

from benchmark.launch import Launch, detect_launch, tasks_per_node


@pytest.mark.parametrize(
    ("environ", "wanted"),
    [
        ({}, Launch(0, 1, 0, 1, "none")),
        (
            {"RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "4"},
            Launch(5, 8, 1, 4, "torchrun"),
        ),
        (
            {
                "OMPI_COMM_WORLD_RANK": "2",
                "OMPI_COMM_WORLD_SIZE": "4",
                "OMPI_COMM_WORLD_LOCAL_RANK": "0",
                "OMPI_COMM_WORLD_LOCAL_SIZE": "2",
            },
            Launch(2, 4, 0, 2, "openmpi"),
        ),
        (
            {"FLUX_TASK_RANK": "3", "FLUX_JOB_SIZE": "4", "FLUX_TASK_LOCAL_ID": "1", "FLUX_JOB_NNODES": "2"},
            Launch(3, 4, 1, 2, "flux"),
        ),
        ({"PMI_RANK": "1", "PMI_SIZE": "2"}, Launch(1, 2, 1, 2, "pmi")),
        (
            {"PMI_RANK": "3", "PMI_SIZE": "4", "MPI_LOCALRANKID": "1", "MPI_LOCALNRANKS": "2"},
            Launch(3, 4, 1, 2, "pmi"),
        ),
        (
            {"PALS_RANKID": "5", "PALS_LOCAL_RANKID": "1", "PALS_LOCAL_SIZE": "4", "WORLD_SIZE": "8"},
            Launch(5, 8, 1, 4, "pals"),
        ),
        (
            {
                "SLURM_PROCID": "6",
                "SLURM_STEP_NUM_TASKS": "7",
                "SLURM_LOCALID": "0",
                "SLURM_NODEID": "3",
                "SLURM_STEP_TASKS_PER_NODE": "2(x3),1",
            },
            Launch(6, 7, 0, 1, "slurm"),
        ),
    ],
)
def test_launchers(environ, wanted):
    assert detect_launch(environ) == wanted


def test_a_batch_script_is_alone():
    assert detect_launch({"SLURM_PROCID": "0", "SLURM_NTASKS": "8", "SLURM_LOCALID": "0"}).launcher == "none"


def test_torchrun_inside_a_step_wins():
    step = {"SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "2", "SLURM_LOCALID": "0"}
    inside = {"RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2"}
    assert detect_launch({**step, **inside}) == Launch(3, 4, 1, 2, "torchrun")


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"RANK": "x", "WORLD_SIZE": "2"}, "RANK: found 'x'"),
        ({"RANK": "-1", "WORLD_SIZE": "2"}, "RANK: found '-1'"),
        ({"RANK": "2", "WORLD_SIZE": "2"}, "RANK: found 2 of 2 ranks"),
        ({"RANK": "0", "WORLD_SIZE": "2", "LOCAL_RANK": "2", "LOCAL_WORLD_SIZE": "2"}, "LOCAL_RANK: found 2 of 2"),
    ],
)
def test_nonsense(environ, message):
    with pytest.raises(ValueError, match=message):
        detect_launch(environ)


def test_tasks_per_node():
    assert tasks_per_node("2(x3),1") == [2, 2, 2, 1]
    with pytest.raises(ValueError, match="wanted such as"):
        tasks_per_node("2(y3)")
