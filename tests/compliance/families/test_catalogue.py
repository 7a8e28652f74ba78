"""What the catalogue of damage covers: functions of the files beside this one that are marked with `damage`."""

import importlib
import json
from pathlib import Path

import pytest

import compliance.families  # noqa: F401  registers the checks
from compliance.rule import CHECKS
from tests.compliance.catalogue import STARTS, catalogue, damaged
from tests.compliance.waiving import failures

COMES_WITH = {
    "RUN03": "EVL07",  # each run that did not converge says so itself, forgiven or not
    "REG01": "REG02",  # what no registry tells is not judged, and so is not in order
}
FINDINGS = sorted((Path(__file__).parent / "findings").glob("*.json"))


@pytest.fixture(scope="module")
def modules():
    files = sorted(Path(__file__).parent.glob("test_*.py"))
    return [importlib.import_module(f"tests.compliance.families.{path.stem}") for path in files]


@pytest.mark.parametrize("name", STARTS)
def test_without_damage_all_is_in_order(name, tmp_path, found):
    """Also in a set or a log by itself."""
    tree = STARTS[name](tmp_path)
    log = tree.path(tree.at)
    assert [found(path) for path in (tree.root, log.parent, log)] == [[], [], []]


def test_every_check_has_a_damage_that_it_alone_finds():
    """The test of each holds the words that are written down against what is found."""
    alone = set()
    for path in FINDINGS:
        for told in json.loads(path.read_text()).values():
            codes = {words.partition(" ")[0] for words in told}
            alone |= {code for code in codes if codes <= {code, COMES_WITH.get(code)}}
    assert set(CHECKS) - alone == set()


def test_words_are_written_down_of_the_many_entries_there_are(modules):
    entries = {m.__name__.rpartition(".")[2]: set(catalogue(m)) for m in modules}
    written = {path.stem: set(json.loads(path.read_text())) for path in FINDINGS}
    assert written == {name: names for name, names in entries.items() if names}
    assert sum(map(len, entries.values())) >= 140


@pytest.mark.slow
def test_what_a_waived_damage_hides_is_judged_without_a_crash(modules, law, tmp_path):
    crashed = set()
    for module in modules:
        for name, entry in catalogue(module).items():
            folder = tmp_path / module.__name__ / name
            with pytest.MonkeyPatch.context() as monkeypatch:
                tree, _ = damaged(entry, folder, monkeypatch=monkeypatch)
                crashed |= {(name, *failure) for failure in failures(tree, law)}
    assert crashed == set(), "\n".join(map(str, sorted(crashed)))
