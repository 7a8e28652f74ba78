"""Reading receipts beside logs, the points of a log that are told, and a round's chain."""

import hashlib

import pytest

from benchmark.log import LONGEST
from compliance.engine import judge
from compliance.reading import witness as module
from compliance.reading.tree import read_submission
from compliance.reading.witness import chain_of, points, read_beside, receipts_of, unsound
from rules.edition import load
from tests.support.witness import KEY, write


@pytest.fixture
def runs(witnessed, law):
    return [log.run for log in judge([str(witnessed.root)], rules=law).submissions[0].sets[0].logs]


def sound(run):
    """The points of a run's log: each has the bytes, and their digest, up to the end of its line."""
    found, data = points(run), run.file.read_bytes()
    for point in found:
        told = data[: point.bytes]
        assert hashlib.sha256(told).hexdigest() == point.digest
        assert told.count(b"\n") == point.line and told.endswith(b"\n")
    return found


@pytest.mark.parametrize("long", [0, LONGEST - 1, LONGEST, LONGEST + 1, 3 * LONGEST])
def test_a_line_of_any_length_may_lie_before_the_points(witnessed, runs, long):
    path = witnessed.path(2)
    path.write_bytes(b"x" * long + b"\n" + path.read_bytes())
    assert len(sound(runs[2])) == len(receipts_of(runs[2]).steps)


def test_the_points_of_a_log_end_at_a_limit(monkeypatch, runs):
    whole = points(runs[2])
    for most, count in ((whole[1].bytes, 2), (whole[1].bytes - 1, 1)):
        monkeypatch.setattr(module, "LARGEST_LOG", most)
        assert points(runs[2]) == whole[:count]


@pytest.mark.parametrize("blanks", [LONGEST - 1000, 3 * LONGEST])
def test_a_point_ends_with_its_line(witnessed, runs, blanks):
    path = witnessed.path(2)
    lines = path.read_bytes().splitlines(keepends=True)
    at = points(runs[2])[0].line - 1
    lines[at] = lines[at][:-1] + b" " * blanks + b"\n"
    path.write_bytes(b"".join(lines))
    assert len(sound(runs[2])) == len(receipts_of(runs[2]).steps)
    path.unlink()
    assert points(runs[2]) == []


def test_reading_stops_at_the_first_wrong_line(witnessed, tmp_path):
    first, second, *_ = witnessed.receipts[0]
    path = write(tmp_path / "receipts_0.jsonl", witnessed.receipts[0])
    path.write_text(path.read_text().replace(second.text, "{}"))
    assert list(read_beside(path, "here").receipts) == [first]


def test_a_chain_is_read_again_when_it_changed(witnessed, law):
    submission = read_submission(witnessed.root, str(witnessed.root), witnessed.root)
    edition = load("v1.0", law)
    chain = chain_of(submission, edition)
    assert chain.damage is None and len(chain.starts) == 5 and len(chain.held) == len(witnessed.witness.chain)
    assert set(chain.last.values()) == {"run_stop"}
    write(witnessed.root.parent / "witness.jsonl", witnessed.witness.chain[1:])
    assert chain_of(submission, edition).damage == (1, "number 2 after number 0")
    assert chain_of(submission, load("mlperf-hpc-v3.0")) is None  # an edition without a witness
    (witnessed.root.parent / "witness.jsonl").unlink()
    assert chain_of(submission, edition) is None


def test_what_a_receipt_lacks(witnessed):
    receipt = witnessed.receipts[0][0]
    assert unsound(receipt, "v1.0", KEY) == ""
    assert unsound(receipt, "v1.1", KEY) == "a receipt of the round v1.0"
    assert unsound(receipt, "v1.0", "") == "a signature that is not by the witness's key"
