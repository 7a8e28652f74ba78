"""The application for Ramble: data, run, checker, figures of merit and success criteria. See ../../README.md."""

from ramble.appkit import *

ROOT = "$SCAFFOLD_ROOT"  # set by the package, or by the user of a clone
LOG = "{experiment_run_dir}/result_0.txt"


class ScaffoldBench(ExecutableApplication):
    """Training to a target on generated data, judged by the benchmark's checker"""

    name = "scaffold-bench"

    tags = ["python", "deep-learning", "training", "synthetic-data"]

    executable("generate", f"python {ROOT}/benchmark/generate.py --problem {{problem}} --out {{data}}/{{problem}}")
    executable(
        "train",
        f"python {ROOT}/implementations/{{implementation}}/train.py --problem {{problem}} --data {{data}}/{{problem}}"
        f" --log {LOG} --org benchpark --system {{platform_name}} --steps {{steps}} {{settings}}",
        use_mpi=True,
    )
    executable("check", [f"python {ROOT}/compliance/check.py {LOG}", 'echo "check.py: exit code $?"'])

    workload("train", executables=["generate", "train", "check"])

    workload_variable("problem", default="smoke", description="which problem", workloads=["train"])
    workload_variable(
        "data",
        default="{workspace_root}/data",
        description="folder with a folder of data for each problem",
        workloads=["train"],
    )
    workload_variable(
        "implementation", default="pytorch", description="folder of implementations/", workloads=["train"]
    )
    workload_variable(
        "platform_name", default="benchpark", description="name of the system in the log", workloads=["train"]
    )
    workload_variable(
        "steps", default="0", description="measure so many steps; 0: train to the target", workloads=["train"]
    )
    workload_variable("settings", default="", description="field=value ..., as for train.py", workloads=["train"])

    figure_of_merit(
        "time to target",
        fom_regex=r"^time to target: (?P<seconds>[0-9.]+) s$",
        group_name="seconds",
        units="s",
        fom_type=FomType.TIME,
    )
    figure_of_merit(
        "samples per second",
        fom_regex=r'.*"key": "(throughput|tracked_stats)", "value": \{.*?"throughput": (?P<rate>[0-9.e+-]+)',
        group_name="rate",
        log_file=LOG,
        units="1/s",
        fom_type=FomType.THROUGHPUT,
    )
    figure_of_merit(
        "exit code of the checker",
        fom_regex=r"^check\.py: exit code (?P<code>[0-9]+)$",
        group_name="code",
        fom_type=FomType.CATEGORY,
    )

    success_criteria("in order", mode="string", match=r"^check\.py: exit code 0$", file="{log_file}")
    success_criteria("complete", mode="string", match=r'.*"key": "(run_stop|throughput)"', file=LOG)
