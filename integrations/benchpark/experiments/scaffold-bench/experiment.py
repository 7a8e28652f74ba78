"""The experiment for Benchpark: strong, weak and throughput scaling of a problem. See ../../README.md."""

from benchpark.directives import maintainers, variant
from benchpark.experiment import Experiment
from benchpark.programming_model import ProgrammingModel, ProgrammingModelType
from benchpark.scaling import Scaling, ScalingMode

STEPS = 40  # steps that weak and throughput scaling measure


class ScaffoldBench(
    Experiment,
    ProgrammingModel(ProgrammingModelType.Mpionly, ProgrammingModelType.Cuda),
    Scaling(ScalingMode.Strong, ScalingMode.Weak, ScalingMode.Throughput),
):
    """Strong scaling trains one problem to its target on more and more ranks; its figure of merit is the time to
    target. Weak scaling measures steps on more and more ranks with the same batch for each rank. Throughput scaling
    measures steps on the same ranks with larger and larger batches. The figure of merit of both is samples per second:
    a larger batch is another training, so they have no time to target."""

    variant("workload", default="train", values=("train",), description="what is run")
    variant("version", default="main", values=("main",), description="of the package")
    variant(
        "problem",
        default="scale7",
        values=(
            "smoke",
            "scale6",
            "scale7",
            "scale8",
            "scale9",
            "scale10",
            "scale11",
            "cosmoflow-mini",
            "deepcam-mini",
        ),
        description="a problem whose data are generated",
    )

    maintainers("scaffold-bench")

    def compute_applications_section(self):
        ranks = "n_gpus" if self.spec.satisfies("+cuda") else "n_ranks"
        test = self.spec.satisfies("exec_mode=test")
        measured = self.spec.satisfies("+weak") or self.spec.satisfies("+throughput")

        self.add_experiment_variable("problem", "smoke" if test else self.spec.variants["problem"][0], True)
        self.add_experiment_variable(ranks, 1 if test else 4, True)
        self.add_experiment_variable("batch_size", 2 if test else 4, measured)
        self.add_experiment_variable("settings", "batch_size={batch_size}" if measured else "", False)
        self.add_experiment_variable("steps", STEPS if measured else 0, False)

        def grow(var, itr, dim, scaling_factor):
            return var.val(dim) * scaling_factor

        def stay(var, itr, dim, scaling_factor):
            return var.val(dim)

        self.register_scaling_config(
            {
                ScalingMode.Strong: {ranks: grow, "batch_size": stay},
                ScalingMode.Weak: {ranks: grow, "batch_size": grow},
                ScalingMode.Throughput: {ranks: stay, "batch_size": grow},
            }
        )
        self.set_required_variables(
            n_resources=f"{{{ranks}}}",
            process_problem_size=f"{{batch_size}}/{{{ranks}}}",
            total_problem_size="{batch_size}",
        )

    def compute_package_section(self):
        model = "cuda" if self.spec.satisfies("+cuda") else "cpu"
        self.add_package_spec(self.name, [f"scaffold-bench@{self.spec.variants['version'][0]} torch={model}"])
