import pytest

from benchmark import note
from benchmark.ledger import End, Note, Start, append, read_ledger

START = Start("result_0.txt", *["a" * 64] * 4)


@pytest.fixture
def path(tmp_path):
    """A ledger of two starts; the first one ended."""
    path = tmp_path / "ledger.jsonl"
    append(path, START)
    append(path, End(1, "aborted", "b" * 64))
    append(path, START)
    return path


@pytest.fixture
def command(path, capsys):
    """Runs the command on the ledger: (exit code, output, errors)."""

    def call(*arguments):
        return note.main([str(path), *arguments]), *capsys.readouterr()

    return call


def test_a_note_is_appended_and_shown(path, command):
    code, out, err = command("--start", "3", "node", "failed")
    assert (code, err) == (0, "")
    assert read_ledger(path).entries[-1].said == Note(3, "node failed")
    said = "start 1, result_0.txt: aborted\nstart 3, result_0.txt: no end, note: node failed\n"
    assert out == f"{said}head {read_ledger(path).head}\n"
    append(path, Start(*list(START.__dict__.values())[:-1], resumes=3))
    assert "start 5, result_0.txt: goes on from 3, no end" in command()[1]


@pytest.mark.parametrize(("number", "named"), [("2", "no start 2, wanted one of [1, 3]"), ("4", "no start 4")])
def test_a_note_is_on_a_start(path, command, number, named):
    before = path.read_bytes()
    code, out, err = command("--start", number, "why")
    assert (code, out) == (2, "") and named in err and path.read_bytes() == before


@pytest.mark.parametrize("words", [["3"], ["three", "why"], ["-1", "why"]])
def test_a_note_has_a_number_and_words(command, words):
    with pytest.raises(SystemExit) as ended:
        command("--start", *words)
    assert ended.value.code == 2


def test_a_head_that_was_noted_is_still_there(path, command):
    early = read_ledger(path).entries[1].line
    assert command("--verify", early)[0] == 0
    assert command("--verify", read_ledger(path).head)[0] == 0
    for digest in ("0" * 64, ""):  # the second is that of a shell's variable without a value
        code, _, err = command("--verify", digest)
        assert code == 1 and "the ledger was written anew, or cut" in err
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:1]))
    assert command("--verify", early)[0] == 1


def test_damage_is_told_and_a_line_that_was_cut_off_is_no_fault(path, command):
    path.write_bytes(path.read_bytes() + b'{"event"')
    code, _, err = command()
    assert code == 0 and "ledger.jsonl:4: found" in err
    path.write_bytes(path.read_bytes().replace(b"aborted", b"success"))
    code, _, err = command()
    assert code == 1 and "ledger.jsonl:3: found previous" in err


def test_there_must_be_a_ledger(path, command):
    path.unlink()
    code, out, err = command()
    assert (code, out) == (2, "") and "found no file that can be read" in err and not path.exists()
    assert command("--start", "1", "why")[0] == 2 and not path.exists()
