"""Fixtures: the editions with a tiny problem, a good submission, judging it, and the catalogue of damage."""

import importlib.util
import json
import os
import re
import sys
from pathlib import Path

import pytest

from compliance import check
from compliance.engine import judge
from rules.current import ROOT
from rules.edition import load
from rules.text import read_texts

TEXTS = read_texts(ROOT / "texts")
DIGEST = re.compile(r"(?<![0-9a-f])[0-9a-f]{12,64}(?![0-9a-f])")


def load_helper(name):
    """A module beside this file, which isn't a package: known to others as compliance_test_<name>."""
    spec = importlib.util.spec_from_file_location(f"compliance_test_{name}", Path(__file__).with_name(f"{name}.py"))
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


_logs = load_helper("logs")
load_helper("ledgers")
load_helper("environments")
_submissions = load_helper("submissions")
load_helper("attacks")


def pytest_configure(config):
    config.addinivalue_line("markers", "damage: an entry of the catalogue of damage, see submissions.py")


def pytest_generate_tests(metafunc):
    """A test with the argument `entry` is a test of every entry of the catalogue in its module."""
    if "entry" in metafunc.fixturenames:
        entries = _submissions.catalogue(metafunc.module)
        metafunc.parametrize("entry", entries, ids=[entry.__name__ for entry in entries])


@pytest.fixture(scope="session")
def logs():
    """The module that makes good logs."""
    return _logs


@pytest.fixture(scope="session")
def submissions():
    """The module that makes good submissions."""
    return _submissions


@pytest.fixture(scope="session")
def law(tmp_path_factory):
    """The folder of the editions."""
    return _logs.law(tmp_path_factory.mktemp("law"))


@pytest.fixture
def tree(tmp_path):
    """A good submission."""
    return _submissions.Tree(tmp_path)


@pytest.fixture
def weak(tmp_path):
    """A good throughput set."""
    return _submissions.Weak(tmp_path)


@pytest.fixture
def study(tmp_path):
    """A good submission with a scaling study."""
    return _submissions.Study(tmp_path)


@pytest.fixture
def measured(tmp_path):
    """A good submission with the power of a run."""
    return _submissions.Measured(tmp_path)


@pytest.fixture
def metered(tmp_path):
    """A good submission whose runs read counters of energy."""
    return _submissions.Metered(tmp_path)


@pytest.fixture
def registered(tmp_path):
    """A good submission whose seeds are from the round's registry."""
    return _submissions.Registered(tmp_path)


@pytest.fixture
def witnessed(tmp_path):
    """A good submission whose runs were told to the round's witness."""
    return _submissions.Witnessed(tmp_path)


@pytest.fixture
def weighted(tmp_path):
    """A good submission with the final weights of its runs."""
    return _submissions.Weighted(tmp_path)


@pytest.fixture
def environed(tmp_path):
    """A good submission with the environments of its runs."""
    return _submissions.Environed(tmp_path)


@pytest.fixture
def launched(tmp_path):
    """A good submission with a launch ledger."""
    return _submissions.Launched(tmp_path)


@pytest.fixture
def tuned(tmp_path):
    """A good submission with a campaign of tuning."""
    return _submissions.Tuned(tmp_path)


@pytest.fixture
def confirmed(tmp_path):
    """A good submission with a campaign of tuning and the environments of its runs."""
    return _submissions.Confirmed(tmp_path)


@pytest.fixture
def broken(tree):
    """A submission with one error, in line 8 of result_1.txt."""
    tree.changed("seed", 1, value=5)
    return tree


@pytest.fixture
def found(law):
    """Judges paths: [(file name or folder, line, code)] of the findings, errors and warnings and all."""

    def look(*paths, **options):
        verdict = judge([str(p) for p in paths], rules=law, **options)
        return [(Path(f.path).name, f.line, f.code) for f in verdict.findings]

    return look


@pytest.fixture
def exactly(tmp_path, law, monkeypatch):
    """Asserts that judging finds what an entry of the catalogue says, in the words that are written down, and nothing
    else. With WRITE_FINDINGS in the environment, the words are written down instead: see docs/testing.md."""

    def hold(entry):
        tree, expected = _submissions.damaged(entry, tmp_path, logs=_logs, monkeypatch=monkeypatch)
        monkeypatch.chdir(tmp_path)  # so that no finding names the scratch folder
        findings = judge([str(tree.root.relative_to(tmp_path))], rules=law, **tree.options).findings
        assert sorted((Path(f.path).name, f.line, f.code) for f in findings) == sorted(expected)
        assert [f.path for f in findings if not Path(f.path).parent.is_dir()] == []
        told, known = sorted(in_words(f).replace(str(tmp_path), "") for f in findings), written(entry)
        if os.environ.get("WRITE_FINDINGS"):
            write_down(entry, told)
        else:
            assert told == known

    return hold


def in_words(finding):
    """What a finding tells beside its place: code, severity, a sentence of its own, what was found and wanted. Digests,
    which differ from run to run, are left out."""
    own = "" if finding.sentence == TEXTS[finding.code].finding else f"{finding.sentence}: "
    return f"{finding.code} {finding.severity}: {own}{DIGEST.sub('<digest>', finding.details())}"


def words_of(entry):
    """The file that has the words of the findings of each entry of a module."""
    return Path(entry.__code__.co_filename).parent / "findings" / f"{Path(entry.__code__.co_filename).stem}.json"


def written(entry):
    path = words_of(entry)
    return json.loads(path.read_text()).get(entry.__name__) if path.is_file() else None


def write_down(entry, told):
    path = words_of(entry)
    path.parent.mkdir(exist_ok=True)
    known = json.loads(path.read_text()) if path.is_file() else {}
    path.write_text(json.dumps({**known, entry.__name__: told}, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


@pytest.fixture
def run(law, monkeypatch, capsys):
    """Runs the command by the editions with the tiny problem: (exit code, output, errors)."""
    monkeypatch.setattr(check, "judge", lambda *args, **more: judge(*args, **more, rules=law))
    monkeypatch.setattr(check, "load", lambda name: load(name, law))

    def command(*arguments):
        code = check.main([str(a) for a in arguments])
        out = capsys.readouterr()
        return code, out.out, out.err

    return command
