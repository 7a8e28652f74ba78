"""Change one operator or number of a module at a time, and see whether its tests notice.

    python tests/mutants.py                                      # 20 mutants of each module below
    python tests/mutants.py --each 5 --seed 2 benchmark/metric.py results/statistics
    python tests/mutants.py --all --jobs 2                       # every mutant: hours

Each mutant is a module whose syntax tree differs in one place. No file is changed: a process that has collected the
module's tests forks for each mutant, gives the functions their changed code, and runs the tests up to the first that
fails, those that noticed earlier mutants first. What is evaluated at import is changed in a process that imports the
changed tree. A mutant that no test notices has survived. It is printed as an entry of tests/survivors.yaml, which has
those that are known and the reason why no test notices them; they count as survivors, too. Exit code 1 if something
survived that survivors.yaml does not have.
"""

import argparse
import ast
import gc
import importlib
import json
import math
import multiprocessing
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import yaml

from tests.mutating import Mutant, mutant, places

ROOT = Path(__file__).resolve().parents[1]
KNOWN = "tests/survivors.yaml"
MODULES = (  # files, or folders of them
    "compliance/families",
    "compliance/reading",
    "results/statistics",
    "benchmark/metric.py",
    "benchmark/fingerprint.py",
    "benchmark/log.py",
    "implementations/pytorch/parallel/halo.py",
    "implementations/pytorch/parallel/layout.py",
    "implementations/pytorch/layers/norm.py",
)
FORMULAS = ("tests/perf/pages/test_mathematics.py", "tests/perf/pages/test_tensors.py")
MORE = {  # tests of what several modules of a folder do together
    "benchmark/run/assigned.py": ("tests/rules/test_registry.py",),
    "benchmark/run/environment.py": ("tests/benchmark/run/test_process.py",),
    "benchmark/run/ledger.py": ("tests/benchmark/test_ledger.py",),
    "compliance/families": ("tests/compliance/test_rounds.py",),
    "compliance/reading": ("tests/compliance/families/{name}", "tests/compliance/test_rounds.py"),
    "compliance/engine/__init__.py": (),  # those of its folder
    "compliance/engine": (
        "tests/compliance/engine/test_budget.py",
        "tests/compliance/engine/test_engine.py",
        "tests/compliance/families/test_log.py",
        "tests/compliance/families/test_resumption.py",
        "tests/compliance/families/test_throughput.py",
        "tests/compliance/families/test_tree.py",
        "tests/compliance/test_check.py",
        "tests/results/test_left_out.py",
    ),
    "compliance/output": ("tests/compliance/test_check.py",),
    "compliance/packing": ("tests/compliance/packing/test_anonymous.py", "tests/compliance/packing/test_pack.py"),
    "compliance/source": (
        "tests/compliance/source/test_trace.py",
        "tests/compliance/families/test_code.py",
        "tests/compliance/families/test_seeds.py",
    ),
    "compliance/reading/run.py": (
        "tests/compliance/families/test_runs.py",
        "tests/compliance/families/test_evaluation.py",
    ),
    "compliance/reading/timeline.py": ("tests/compliance/families/test_clock.py",),
    "compliance/reading/stated.py": ("tests/compliance/families/test_system.py",),
    "results/html/tuning.py": ("tests/results/tuning/test_pages.py",),
    "results/runs": ("tests/results/statistics/{name}", "tests/results/test_summarize.py"),
    "results/statistics": ("tests/results/tables/{name}",),
    "results/tables": ("tests/results/test_compare.py", "tests/results/test_summarize.py"),
    **dict.fromkeys(("implementations/pytorch/cosmoflow", "implementations/pytorch/deepcam"), FORMULAS),
    **dict.fromkeys(("implementations/pytorch/scaffold", "implementations/pytorch/scaffold_published"), FORMULAS),
}
LOADED = ("pytest", "hypothesis", "pandas", "numpy", "h5py", "mlperf_logging.mllog", "safetensors", "scipy.stats")
TORCH = ("torch", "torch.distributed.fsdp", "torch.utils.flop_counter")
LIMIT = 5.0  # times the CPU's seconds that the tests take of the module as it is, and SLACK
SLACK = 15.0  # the CPU's seconds
IDLE = 10.0  # times the limit by the clock: of a mutant that waits
KILLED, SURVIVED, ENDLESS, UNTRIED = "killed", "survived", "endless", "untried"  # what runs on is noticed, too


def instead(changed: Mutant) -> Callable[[SourceFileLoader, str], CodeType | None]:
    """What takes the place of `SourceFileLoader.get_code`, so that a mutant is imported in place of its module."""
    get_code = SourceFileLoader.get_code

    def of_mutant(loader: SourceFileLoader, name: str) -> CodeType | None:
        return code_of(changed.tree, changed.path) if name == name_of(changed.path) else get_code(loader, name)

    return of_mutant


def name_of(path: str) -> str:
    """The name by which a module is imported, of its path."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def tests_of(path: str) -> list[str]:
    """The files of tests that must notice a change of a module; none where it has no file of its own, and MORE has none
    of it."""
    folder, name = Path(path).parent.as_posix(), f"test_{Path(path).name}"
    own = Path("tests", folder, name).as_posix()
    parts = sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / own).parent.glob(f"{Path(own).stem}_*.py"))
    more = parts + [other.format(name=name) for key in (path, folder) for other in MORE.get(key, ())]
    tested = path in MORE or (ROOT / own).is_file()
    return [file for file in (own, *more) if (ROOT / file).is_file()] if tested else []


def forked(work: Callable[[], int], limit: float) -> tuple[int | None, float]:
    """Do something in a process of its own, without output: its exit code, None if it ran into the limit (the CPU's
    seconds, or IDLE times as many by the clock); and the CPU's seconds that it took."""
    child, began = os.fork(), time.monotonic()
    if not child:
        with suppress(BaseException):
            os.setsid()
            silence = os.open(os.devnull, os.O_RDWR)
            for stream in range(3):
                os.dup2(silence, stream)
            if limit < math.inf:
                resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), resource.RLIM_INFINITY))
            os._exit(work())
        os._exit(70)
    pause = 0.01
    while time.monotonic() < began + IDLE * limit:
        ended, status, used = os.wait4(child, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return None if code == -signal.SIGXCPU else code, used.ru_utime + used.ru_stime
        time.sleep(pause)
        pause = min(1.1 * pause, 0.25)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None, limit


def code_of(tree: ast.Module, path: str) -> CodeType:
    """The code of a module's tree."""
    return compile(ast.fix_missing_locations(tree), ROOT / path, "exec")


def functions(code: CodeType) -> dict[tuple[str, int], CodeType]:
    """The code of every function in a module's, by name and line. What two share is left out."""
    found: dict[tuple[str, int], list[CodeType]] = {}
    left = [code]
    while left:
        inner = [const for const in left.pop().co_consts if isinstance(const, CodeType)]
        left += inner
        for each in inner:
            found.setdefault((each.co_qualname, each.co_firstlineno), []).append(each)
    return {key: codes[0] for key, codes in found.items() if len(codes) == 1}


class Collected:
    """Plugin of pytest: forks for each mutant when the tests are collected, and writes to `noted` what became of each,
    and the CPU's seconds that the tests take without a change."""

    def __init__(self, path: str, mutants: Sequence[Mutant], noted: Path):
        self.path, self.mutants, self.noted = path, mutants, noted
        self.seconds: dict[str, float] = {}  # of the CPU, that each test took
        self.noticed: list[str] = []  # tests that noticed a mutant, the last one first

    def pytest_runtestloop(self, session) -> bool:
        file = str(ROOT / self.path)
        importlib.import_module(name_of(self.path))  # tests may import it only when they run
        loaded = [f for f in gc.get_objects() if type(f) is FunctionType and f.__code__.co_filename == file]
        gc.freeze()
        code, used = forked(lambda: self.attempt(session, None, ()), 600)
        outcomes = []
        if code == 0:
            self.seconds = json.loads(self.noted.read_text())
            outcomes = [self.tried(session, changed, loaded, LIMIT * used + SLACK) for changed in self.mutants]
        self.noted.write_text(json.dumps({"code": code, "used": used, "outcomes": outcomes}))
        return True

    def rank(self, name: str) -> tuple[int, float]:
        """Where a test comes: behind those that noticed something since it did, and quick ones first."""
        known = self.noticed.index(name) if name in self.noticed else len(self.noticed)
        return known, self.seconds.get(name, math.inf)

    def tried(self, session, changed: Mutant, loaded: Sequence[FunctionType], limit: float) -> str:
        """What became of a mutant; UNTRIED where it has to be imported."""
        if not changed.late:
            return UNTRIED
        self.noted.write_text("null")
        code, _ = forked(lambda: self.attempt(session, changed, loaded), limit)
        if isinstance(name := json.loads(self.noted.read_text()), str):
            self.noticed = [name, *(other for other in self.noticed if other != name)]
        return outcome(code)

    def attempt(self, session, changed: Mutant | None, loaded: Sequence[FunctionType]) -> int:
        """Run the tests up to the first that fails, and note its name, or of all the seconds: the exit code."""
        if changed:
            codes = functions(code_of(changed.tree, self.path))
            for function in loaded:
                key = function.__code__.co_qualname, function.__code__.co_firstlineno
                function.__code__ = codes.get(key, function.__code__)
        items = session.items[:] = sorted(session.items, key=lambda item: self.rank(item.nodeid))
        seconds = {}
        for item, following in zip(items, [*items[1:], None], strict=True):
            began = time.process_time()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                self.noted.write_text(json.dumps(item.nodeid))
                return 1
            seconds[item.nodeid] = time.process_time() - began
        if not changed:
            self.noted.write_text(json.dumps(seconds))
        return 0


def tested(tests: Sequence[str], folder: Path, *plugins: object) -> int:
    """Run tests with plugins, their files in a folder: pytest's exit code."""
    import pytest

    quiet = ["-x", "-q", "-n", "0", "--tb=no", "-p", "no:cacheprovider", "-W", "ignore"]
    return pytest.main([*quiet, f"--basetemp={folder}", *tests], plugins=plugins)


def imported(changed: Mutant, tests: Sequence[str], folder: Path, limit: float) -> str:
    """What became of a mutant that is imported in place of its module."""

    def work() -> int:
        SourceFileLoader.get_code = instead(changed)
        return tested(tests, folder)

    return outcome(forked(work, limit)[0])


def outcome(code: int | None) -> str:
    """What became of a mutant, by the exit code of its tests."""
    return ENDLESS if code is None else SURVIVED if code == 0 else KILLED


def files(names: Sequence[str]) -> list[str]:
    """The modules of files and folders, those with tests, by their paths in the repository. Raises ValueError."""
    found = []
    for name in names:
        path = (ROOT / name).resolve()
        if not path.exists():
            raise ValueError(f"{name}: found no such file or folder")
        inside = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        tested = [p.relative_to(ROOT).as_posix() for p in inside if tests_of(p.relative_to(ROOT).as_posix())]
        if not tested:
            raise ValueError(f"{name}: found no tests of its own, wanted some, or an entry in MORE")
        found += tested
    return found


@dataclass(frozen=True)
class Row:
    """What became of a module's mutants: how many were tried and survived, and how many of these have a reason."""

    path: str
    tried: int
    survived: int
    explained: int


def known(path: str) -> list[tuple[str, str, str]]:
    """The survivors of a module that have a reason: function, statement before and after."""
    listed = yaml.safe_load((ROOT / KNOWN).read_text(encoding="utf-8")) or {}
    return [(entry["in"], entry["before"], entry["after"]) for entry in listed.get(path, ())]


def drawn(path: str, tree: ast.Module, each: int | None, seed: int) -> list[tuple[int, int]]:
    """Places of a module that are changed, so many or all."""
    found = places(tree)
    return found if each is None or each >= len(found) else random.Random(f"{path}/{seed}").sample(found, each)


def run(path: str, each: int | None, seed: int) -> Row:
    """Try mutants of a module, so many or all: its row of the table. Raises ValueError if its tests fail as it is."""
    tests, tree = tests_of(path), ast.parse((ROOT / path).read_text(encoding="utf-8"))
    mutants = sorted((mutant(path, tree, *place) for place in drawn(path, tree, each, seed)), key=lambda m: m.line)
    with tempfile.TemporaryDirectory() as folder:
        noted, files = Path(folder, "noted"), Path(folder, "files")
        forked(lambda: tested(tests, files, Collected(path, mutants, noted)), math.inf)
        found = json.loads(noted.read_text()) if noted.exists() else {"code": 70}
        if found["code"]:
            raise ValueError(f"{path}: found tests that fail without a change, wanted {' '.join(tests)} to pass")
        limit = LIMIT * found["used"] + SLACK
        outcomes = [
            imported(changed, tests, files, limit) if what == UNTRIED else what
            for changed, what in zip(mutants, found["outcomes"], strict=True)
        ]
    survived = [changed for changed, what in zip(mutants, outcomes, strict=True) if what == SURVIVED]
    return told(path, len(mutants), survived, complete=each is None)


def told(path: str, tried: int, survived: Sequence[Mutant], complete: bool) -> Row:
    """Print what survived without a reason and, if all mutants were tried, the reasons of what did not survive."""
    listed, alive = known(path), [(changed.inside, changed.before, changed.after) for changed in survived]
    lines = [f"{path}: {tried - len(survived)} of {tried} killed"]
    lines += [str(changed) for changed, entry in zip(survived, alive, strict=True) if entry not in listed]
    if complete:
        lines += [f"# {KNOWN} has, and it did not survive: {entry}" for entry in listed if entry not in alive]
    print("\n".join(lines), flush=True)
    return Row(path, tried, len(survived), sum(entry in listed for entry in alive))


def table(rows: Sequence[Row]) -> str:
    """Modules, mutants, killed and survived, in Markdown, with sums of the folders and of all."""
    groups = {f"`{row.path}`": [row] for row in rows}
    for folder in sorted({Path(row.path).parent for row in rows}):
        groups[f"all of `{folder.as_posix()}`"] = [row for row in rows if Path(row.path).parent == folder]
    lines = [f"| {name} | {cells(group)} |" for name, group in {**groups, "all": rows}.items()]
    head = "| module | mutants | killed | rate | survived | with a reason |"
    return "\n".join([head, "| --- | ---: | ---: | ---: | ---: | ---: |", *lines])


def cells(rows: Sequence[Row]) -> str:
    """The sums of some rows, in Markdown."""
    tried, survived = sum(row.tried for row in rows), sum(row.survived for row in rows)
    share = f"{100 * (tried - survived) / tried:.1f} %" if tried else "-"
    return f"{tried} | {tried - survived} | {share} | {survived} | {sum(row.explained for row in rows)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Try mutants, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", default=MODULES, help="files and folders (default: those of the rules)")
    parser.add_argument("--each", type=int, default=20, help="mutants of each module, drawn by the seed (default: 20)")
    parser.add_argument("--all", action="store_true", help="every mutant")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="modules at a time (default: 1)")
    args = parser.parse_args(arguments)
    os.chdir(ROOT)
    try:
        paths = files(args.modules)
        for name in (*LOADED, *(TORCH if any(path.startswith("implementations") for path in paths) else ())):
            with suppress(ImportError):
                importlib.import_module(name)
        tries = partial(run, each=None if args.all else args.each, seed=args.seed)
        with ProcessPoolExecutor(args.jobs, mp_context=multiprocessing.get_context("fork")) as pool:
            rows = list(pool.map(tries, paths))
    except ValueError as error:
        print(f"mutants.py: {error}", file=sys.stderr)
        return 2
    print(table(rows))
    return int(any(row.explained < row.survived for row in rows))


if __name__ == "__main__":
    sys.exit(main())
