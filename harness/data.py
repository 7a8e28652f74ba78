"""Make the dataset of a problem, and compare it with the published one."""

import subprocess
import sys
from pathlib import Path

from benchmark.launch import end_with_parent
from benchmark.manifest import load_manifest, missing
from benchmark.problem import load_problem
from benchmark.source import ROOT
from rules.current import EDITION
from rules.edition import load


def has_data(problem: str, folder: Path, problems: Path | None = None) -> bool:
    """Return whether all samples of a problem's dataset are in a folder."""
    definition = load_problem(problem, problems)
    try:
        return bool(load_manifest(folder, definition)) and not missing(folder, definition)
    except ValueError:
        return False  # the generator reports the fault, or makes the dataset


def make_data(problem: str, folder: Path, problems: Path | None = None) -> None:
    """Generate the samples of a dataset that are missing. `problems` is a file of problem definitions in place of the
    published ones. Raises ValueError if they cannot be generated, or if the dataset is not the published one."""
    if has_data(problem, folder, problems):
        compare_data(problem, folder, problems)
        return
    command = [sys.executable, str(ROOT / "benchmark" / "generate.py"), "--problem", problem, "--out", str(folder)]
    command += ["--problems", str(problems)] if problems else []
    if subprocess.run(command, stdout=subprocess.DEVNULL, preexec_fn=end_with_parent).returncode:
        raise ValueError(f"{folder}: the dataset of {problem} could not be generated")


def compare_data(problem: str, folder: Path, problems: Path | None = None) -> None:
    """Raise ValueError if there is no such dataset, or if a published problem's is not the published one."""
    manifest = load_manifest(folder, load_problem(problem, problems))
    published = load(EDITION).problems.get(problem)
    if published is None or manifest.problem_digest != published.problem_digest:
        return
    for split, wanted in published.fingerprints.items():
        if manifest.fingerprints[split] != wanted:
            found = f"found {split} fingerprint {manifest.fingerprints[split]}, wanted {wanted}"
            raise ValueError(f"{folder / 'manifest.json'}: {found} as the rules publish it")
