"""A witness that answers in a folder: hostile questions get the reason, and none stops it."""

import json
import os

import pytest

from harness.witnessing.folder import watch
from harness.witnessing.store import sha256
from rules.witness import LONGEST, parse_receipt
from tests.support.told import TEXT


def answered(store, folder, content):
    (folder / "q.question").write_bytes(content)
    watch(store, folder, once=True)
    assert not (folder / "q.question").exists()
    return (folder / "q.answer").read_text()


def question(store, told=TEXT):
    return json.dumps({"token": sha256(store.new_token("acme")), "told": told}).encode()


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"\xff", b'{"token": 5, "told": 5}', b"[" * 5000, b"x" * (3 * LONGEST)]
)
def test_rubbish_is_refused(store, tmp_path, content):
    assert answered(store, tmp_path, content).startswith("refused: ")
    assert answered(store, tmp_path, question(store, content.decode("latin-1"))).startswith("refused: ")
    assert answered(store, tmp_path, question(store, [5])).startswith("refused: ")
    assert list(store.chain()) == []


def test_a_link_at_the_answers_place_is_replaced(store, tmp_path):
    (tmp_path / "q.answer").symlink_to(tmp_path / "organisers.txt")
    (tmp_path / "organisers.txt").write_text("mine")
    assert parse_receipt(answered(store, tmp_path, question(store)).rstrip("\n"))
    assert (tmp_path / "organisers.txt").read_text() == "mine" and not (tmp_path / "q.answer").is_symlink()


def test_a_pipe_is_no_question(store, tmp_path):
    os.mkfifo(tmp_path / "pipe.question")
    watch(store, tmp_path, once=True)
    assert (tmp_path / "pipe.answer").read_text().startswith("refused: ")


def test_a_question_that_cannot_be_removed_stops_nothing(store, tmp_path, capsys):
    (tmp_path / "a.question").mkdir()
    assert parse_receipt(answered(store, tmp_path, question(store)).rstrip("\n"))
    assert capsys.readouterr().err.startswith(f"{tmp_path / 'a.question'}: ")


def test_a_name_that_is_not_utf8_stops_nothing(store, tmp_path):
    name = os.fsencode(tmp_path) + b"/\xff.question"
    with open(name, "wb") as file:
        file.write(json.dumps({"token": "none", "told": TEXT}).encode())
    watch(store, tmp_path, once=True)
    with open(name.replace(b"question", b"answer"), encoding="ascii") as file:
        assert file.read() == "refused: found no token that is known, wanted \\udcff.question with one\n"
