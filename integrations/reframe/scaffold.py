"""ReFrame tests of the benchmark, one class a workload: https://reframe-hpc.readthedocs.io

    reframe -c integrations/reframe/scaffold.py -t smoke -r --performance-report

A test trains a problem to its target and has the checker judge the log. It passes if the checker exits with 0, the run
printed its time to target, and every performance variable is within the references of the system
(integrations/reframe/references.yaml). It reads the run's output and log, and imports nothing from the project.
"""

import json
import os
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
import yaml
from reframe.core.builtins import parameter, performance_function, run_after, run_before, sanity_function, variable

ROOT = Path(__file__).resolve().parents[2]
LOG = "result_0.txt"
TIME = r"^time to target: (?P<seconds>[0-9.]+) s$"
CHECKED = "check.py: exit code"


def events(log: str, key: str) -> list[dict]:
    """The events of a key in a log, in order."""
    with open(log, encoding="utf-8") as file:
        found = (json.loads(line.partition(":::MLLOG ")[2]) for line in file if f'"key": "{key}"' in line)
        return [event for event in found if event["key"] == key]


class ScaffoldRun(rfm.RunOnlyRegressionTest):
    """A run to the target. A site sets `-S python=...`, `-S data=...`, `-S num_tasks=...` and `-S settings=...`."""

    python = variable(str, value=str(ROOT / ".venv" / "bin" / "python"))
    implementation = variable(str, value="pytorch")  # a folder of implementations/
    data = variable(str, value=str(ROOT / "data"))  # has a folder for each problem
    settings = variable(str, value="")  # field=value ..., as for train.py
    references = variable(str, value=str(Path(__file__).with_name("references.yaml")))
    edition = variable(str, value="")  # of the rules; "" is the newest

    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    site_data = ()  # problems whose data the site provides
    num_tasks = 1
    sourcesdir = None

    @run_after("init")
    def name_the_problem(self):
        self.descr = f"train {self.problem} to its target"
        self.tags = (
            {"training", "smoke"} if self.problem in ("smoke", "cosmoflow-mini", "deepcam-mini") else {"training"}
        )
        self.time_limit = "1h" if "smoke" in self.tags else "24h"

    @run_before("run")
    def commands(self):
        folder, program = os.path.join(self.data, self.problem), ROOT / "implementations" / self.implementation
        if self.problem not in self.site_data:
            generate = f"{ROOT}/benchmark/generate.py --problem {self.problem} --out {folder}"
            self.prerun_cmds = [f"{self.python} {generate} > generate.txt"]
        self.executable = self.python
        self.executable_opts = [f"{program}/train.py", "--problem", self.problem, "--data", folder, "--log", LOG]
        self.executable_opts += ["--org", "reframe", "--system", self.current_system.name, *self.settings.split()]
        law = f"--rules {self.edition}" if self.edition else ""
        self.postrun_cmds = [f"{self.python} {ROOT}/compliance/check.py {law} {LOG}", f'echo "{CHECKED} $?"']

    @run_before("performance")
    def use_references(self):
        with open(self.references, encoding="utf-8") as file:
            found = yaml.safe_load(file).get(self.problem, {})
        units = {"time_to_target": "s", "samples_per_second": "1/s", "au": "%", "joules": "J"}
        self.reference = {
            system: {
                name: (*limits, units[name]) for name, limits in wanted.items() if name != "joules" or self.energy()
            }
            for system, wanted in found.items()
        }
        if not self.energy():
            self.perf_variables.pop("joules", None)

    @sanity_function
    def judged(self):
        """The checker exited with 0, the run printed its time, and the requested number of ranks trained."""
        return sn.all(
            [
                sn.assert_found(f"^{CHECKED} 0$", self.stdout, "the checker did not exit with 0; see the job's stdout"),
                sn.assert_found(TIME, self.stdout, "the run printed no time to target; see the job's stderr"),
                sn.assert_eq(self.ranks(), self.num_tasks, "{0} ranks trained, wanted {1}"),
            ]
        )

    def ranks(self) -> int:
        """The number of ranks, as logged."""
        return events(self.log, "number_of_ranks")[0]["value"]

    @property
    def log(self) -> str:
        return os.path.join(self.stagedir, LOG)

    def energy(self) -> list[float | None]:
        """The joules of each counter over the run; [] if the log has no counter, or one of them failed, and where
        nothing runs (`--dry-run`)."""
        if self.is_dry_run():
            return []
        readings = events(self.log, "energy_reading")
        last = readings[-1] if readings else {"metadata": {}}
        whole = last["metadata"].get("moment") == "run_stop" and None not in last["value"]["joules"]
        return last["value"]["joules"] if whole else []

    @performance_function("s")
    def time_to_target(self):
        return sn.extractsingle(TIME, self.stdout, "seconds", float)

    @performance_function("1/s")
    def samples_per_second(self):
        """Samples trained per second over all epochs, without evaluations."""
        rates = [event["value"]["throughput"] for event in events(self.log, "tracked_stats")]
        return len(rates) / sum(1 / rate for rate in rates)

    @performance_function("%")
    def au(self):
        """Accelerator utilization: the percentage of training time in which rank 0 did not wait for data."""
        stats = [event["value"] for event in events(self.log, "tracked_stats")]
        wait, compute = (sum(s[f"{what}_seconds"] for s in stats) for what in ("wait", "compute"))
        return 100 * compute / (wait + compute)

    @performance_function("J")
    def joules(self):
        return sum(self.energy())


@rfm.simple_test
class ScaFFold(ScaffoldRun):
    problem = parameter(("smoke", "scale6", "scale7", "scale8", "scale9", "scale10", "scale11"))


@rfm.simple_test
class CosmoFlow(ScaffoldRun):
    problem = parameter(("cosmoflow-mini", "cosmoflow", "cosmoflow-v0.7"))
    site_data = ("cosmoflow", "cosmoflow-v0.7")


@rfm.simple_test
class DeepCAM(ScaffoldRun):
    problem = parameter(("deepcam-mini", "deepcam"))
    site_data = ("deepcam",)


@rfm.simple_test
class ScaFFoldPublished(ScaffoldRun):
    problem = parameter(("published4", "published7", "published8", "published9", "published10", "published11"))
    site_data = ("published4", "published7", "published8", "published9", "published10", "published11")
