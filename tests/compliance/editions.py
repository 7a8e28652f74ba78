"""Editions for tests: the repository's, with problems and rules that tests need."""

import shutil
from contextlib import contextmanager
from pathlib import Path

import yaml

from rules.current import ROOT
from tests.compliance.logs import MEAN, SAMPLED, TINY
from tests.support.witness import KEY


@contextmanager
def amended(root: Path):
    """The limits of v1.0 in a folder of editions, to be changed."""
    path = root / "v1.0" / "limits.yaml"
    limits = yaml.load(path.read_text(), yaml.CSafeLoader)
    yield limits
    path.write_text(yaml.dump(limits, Dumper=yaml.CSafeDumper, sort_keys=False))


def law(folder: Path) -> Path:
    """A folder of editions like the repository's, whose v1.0 publishes the problems `tiny`, `mean` and `sampled` too,
    and others on top of it, each of which asks for one thing more."""
    root = folder / "rules"
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns("__pycache__"))
    with amended(root) as limits:
        limits["problems"] = {**(limits.get("problems") or {}), "tiny": TINY, "mean": MEAN, "sampled": SAMPLED}
        probe = {"metric": "eval_error", "lower": True, "score": "mean"}
        limits["benchmarks"]["probe"] = {**limits["benchmarks"]["scaffold"], **probe}
        limits["benchmarks"]["sampled"] = {**limits["benchmarks"]["scaffold"], "score": "mean", "sample_counts": True}
        limits["witness_key"] = KEY
    others = {
        "whole-systems": {"system_nodes_logged": True},
        "assigned": {"registry": "required"},
        "launched": {"ledger": "required"},
        "witnessed": {"witness": "required"},
        "weighed": {"weights": {"use": "required"}},
    }
    for name, more in others.items():
        other = root / name / "limits.yaml"
        other.parent.mkdir()
        other.write_text(yaml.safe_dump({"based_on": "v1.0", "title": name, **more}))
    return root
