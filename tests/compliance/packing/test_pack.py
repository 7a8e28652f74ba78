"""Packing: what is in order, what is refused before anything is written."""

import os

import pytest

from compliance.packing import pack as module
from compliance.packing.archive import verify
from compliance.packing.pack import Refused, one, pack, pack_anonymous
from tests.compliance.packing.conftest import judging


def test_a_submission_in_order_is_packed_as_it_is(launched, law, tmp_path):
    out = tmp_path / "new" / "acme.tar.gz"
    packed = pack(launched.root, out, judging(law))
    assert verify(out) == packed.manifest and packed.manifest.submission == "acme"
    assert packed.manifest.edition == "v1.0" and packed.verdict.looked == 5
    (head,) = packed.heads.values()
    assert len(head) == 64 and [*packed.heads] == ["results/box/strong/scaffold/ledger.jsonl"]
    assert os.listdir(out.parent) == ["acme.tar.gz"]


def test_what_appears_meanwhile_stays_and_a_key_alone_does_not(tree, law, tmp_path, monkeypatch):
    out, key = tmp_path / "a.tar.gz", tmp_path / "a.key"

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "write", full)
    with pytest.raises(OSError):
        pack_anonymous(tree.root, out, key, [], judging(law), rules=law)
    assert sorted(os.listdir(tmp_path)) == ["v1.0"]
    monkeypatch.setattr(module, "write", lambda *_: out.write_text("another's"))
    with pytest.raises(ValueError, match="found something there"):
        pack(tree.root, out, judging(law))
    assert out.read_text() == "another's"


def test_errors_are_named_and_nothing_is_written(broken, law, tmp_path):
    said = r"found \d errors?, wanted none; nothing was packed\n.*result_1\.txt:8: SEED0"
    with pytest.raises(Refused, match=said):
        pack(broken.root, tmp_path / "a.tar.gz", judging(law))
    with pytest.raises(Refused, match=said):
        pack_anonymous(broken.root, tmp_path / "a.tar.gz", tmp_path / "a.key", [], judging(law), rules=law)
    for index in range(5):
        broken.path(index).unlink()
    with pytest.raises(Refused):  # a submission without runs
        pack(broken.root, tmp_path / "a.tar.gz", judging(law))
    assert sorted(os.listdir(tmp_path)) == ["v1.0"]


def test_nothing_is_written_over_nor_into_the_submission(tree, law, tmp_path):
    there = tmp_path / "there"
    there.write_text("precious")
    for out in (there, tmp_path, tree.root / "a.tar.gz", tree.root / "results" / "a.tar.gz"):
        with pytest.raises(ValueError, match=r"wanted (nothing: nothing is written over|one outside)"):
            pack(tree.root, out, judging(law))
    with pytest.raises(ValueError, match="there: found something there"):
        pack_anonymous(tree.root, tmp_path / "new", there, [], judging(law), rules=law)
    assert there.read_text() == "precious" and not (tmp_path / "new").exists()


def test_what_changes_while_it_is_judged_is_not_packed(tree, law, tmp_path):
    def judge(*arguments):
        verdict = judging(law)(*arguments)
        tree.path(0).write_text(tree.path(0).read_text().replace("0.9", "0.8"))
        return verdict

    with pytest.raises(ValueError, match=r"result_0\.txt: found other bytes than a moment ago"):
        pack(tree.root, tmp_path / "a.tar.gz", judge)
    assert not (tmp_path / "a.tar.gz").exists()


def test_only_a_submission_is_packed(tree, tmp_path):
    assert one(tree.root).org == "acme"
    for path, found in ((tree.root.parent, "1 submissions below it"), (tree.path(0), "no submission")):
        with pytest.raises(ValueError, match=rf"found {found}, wanted one: results/<edition>/<org>"):
            one(path)
    with pytest.raises(ValueError, match="No such file"):
        one(tmp_path / "nothing")


def test_a_name_that_the_rules_know_cannot_be_hidden(tree, law, tmp_path):
    """It would be another verdict."""
    with pytest.raises(ValueError, match=r"^without names: found RUN10 5 times instead of 0, .*, wanted the same"):
        pack_anonymous(tree.root, tmp_path / "a.tar.gz", tmp_path / "a.key", ["scaffold"], judging(law), rules=law)
    assert sorted(os.listdir(tmp_path)) == ["v1.0"]


@pytest.mark.parametrize(("submission", "family"), [("registered", "REG"), ("witnessed", "WIT")])
def test_registry_and_receipts_are_judged_when_names_are_disclosed(request, law, tmp_path, submission, family):
    home = request.getfixturevalue(submission).root
    packed = pack_anonymous(home, tmp_path / "a.tar.gz", tmp_path / "a.key", [], judging(law), rules=law)
    assert {f.code[:3] for f in packed.verdict.findings} == {family}
