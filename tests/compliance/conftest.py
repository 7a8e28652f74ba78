"""Fixtures: the editions with a tiny problem, a good submission, and judging it."""

import importlib.util
import sys
from pathlib import Path

import pytest

from compliance.engine import judge

_spec = importlib.util.spec_from_file_location("compliance_test_logs", Path(__file__).with_name("logs.py"))
_logs = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = _logs  # dataclasses look their module up
_spec.loader.exec_module(_logs)


@pytest.fixture(scope="session")
def logs():
    """The module that makes good logs."""
    return _logs


@pytest.fixture(scope="session")
def law(tmp_path_factory):
    """The folder of the editions."""
    return _logs.law(tmp_path_factory.mktemp("law"))


@pytest.fixture
def tree(tmp_path):
    """A good submission."""
    made = _logs.Tree(tmp_path)
    made.logs_module = _logs
    return made


@pytest.fixture
def found(law):
    """Judges paths: [(file name or folder, line, code)] of the findings, errors and warnings and all."""

    def look(*paths, **options):
        verdict = judge([str(p) for p in paths], rules=law, **options)
        return [(Path(f.path).name, f.line, f.code) for f in verdict.findings]

    return look
