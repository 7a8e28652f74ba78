"""Fixtures: the editions with a tiny problem, a good submission, judging it, and the catalogue of damage."""

import functools
import json
import os
import re
from pathlib import Path

import pytest

from compliance import check
from compliance.engine import judge
from rules.current import ROOT
from rules.edition import load
from rules.text import read_texts
from tests.compliance import catalogue as _catalogue
from tests.compliance import editions as _editions
from tests.compliance import logs as _logs
from tests.compliance import submissions as _submissions

TEXTS = read_texts(ROOT / "texts")
DIGEST = re.compile(r"(?<![0-9a-f])[0-9a-f]{12,64}(?![0-9a-f])")


def pytest_configure(config):
    config.addinivalue_line("markers", "damage: an entry of the catalogue of damage, see catalogue.py")


def pytest_pycollect_makeitem(collector, name, obj):
    """An entry of the catalogue is a test: see `exactly`."""
    if not _catalogue.is_entry(obj):
        return None

    def test_damage(exactly):
        exactly(obj, name, Path(collector.path))

    return pytest.Function.from_parent(collector, name=f"test_damage[{name}]", callobj=test_damage)


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
    return _editions.law(tmp_path_factory.mktemp("law"))


def _fixture(make):
    @pytest.fixture
    def made(tmp_path):
        return make(tmp_path)

    return made


globals().update({name: _fixture(make) for name, make in _catalogue.STARTS.items()})  # good submissions


@pytest.fixture
def broken(tree):
    """A submission with one error, in line 8 of result_1.txt."""
    tree.changed("seed", 1, value=5)
    return tree


@pytest.fixture
def findings(law):
    """Judges paths: the findings, errors and warnings and all."""
    return lambda *paths, **options: judge(paths, rules=law, **options).findings


@pytest.fixture
def found(findings):
    """Judges paths: [(file name or folder, line, code)] of the findings."""
    return lambda *paths, **options: [(Path(f.path).name, f.line, f.code) for f in findings(*paths, **options)]


@pytest.fixture
def codes_of(found):
    """Judges a submission whose log was changed: the codes of the findings."""

    def look(tree):
        tree.write(tree.at)
        return [code for *_, code in found(tree.root)]

    return look


@pytest.fixture
def exactly(tmp_path, law, monkeypatch):
    """Asserts that judging finds what an entry of the catalogue says, in the words that are written down, and nothing
    else. With WRITE_FINDINGS in the environment, the words are written down instead: see docs/testing.md."""

    def hold(entry, name, file):
        tree, expected = _catalogue.damaged(entry, tmp_path, monkeypatch=monkeypatch)
        monkeypatch.chdir(tmp_path)  # so that no finding names the scratch folder
        findings = judge([str(tree.root.relative_to(tmp_path))], rules=law, **tree.options).findings
        assert sorted((Path(f.path).name, f.line, f.code) for f in findings) == sorted(expected)
        assert [f.path for f in findings if not Path(f.path).parent.is_dir()] == []
        told = sorted(in_words(f).replace(str(tmp_path), "") for f in findings)
        words = file.parent / "findings" / f"{file.stem}.json"
        known = json.loads(words.read_text()) if words.is_file() else {}
        if os.environ.get("WRITE_FINDINGS"):
            known[name] = told
            words.write_text(json.dumps(known, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
        assert told == known.get(name)

    return hold


def in_words(finding):
    """What a finding tells beside its place: code, severity, a sentence of its own, what was found and wanted. Digests,
    which differ from run to run, are left out."""
    own = "" if finding.sentence == TEXTS[finding.code].finding else f"{finding.sentence}: "
    return f"{finding.code} {finding.severity}: {own}{DIGEST.sub('<digest>', finding.details())}"


@pytest.fixture
def call(capsys):
    """Calls a command's `main` with arguments: (exit code, output, errors)."""

    def command(main, *arguments):
        code = main([str(a) for a in arguments])
        return code, *capsys.readouterr()

    return command


@pytest.fixture
def run(call, law, monkeypatch):
    """Runs check.py by the editions with the tiny problem."""
    monkeypatch.setattr(check, "judge", lambda *args, **more: judge(*args, **more, rules=law))
    monkeypatch.setattr(check, "load", lambda name: load(name, law))
    return functools.partial(call, check.main)
