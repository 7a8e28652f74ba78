"""The reviewer's record of replays."""

import json

import pytest

from compliance.reviewing.replays import LARGEST, Replay, read_replays

LINE = {"log": "a" * 64, "epochs": 2, "code": "reference", "outcome": "agrees", "verdict": "the same", "path": "x"}


def written(tmp_path, *lines):
    path = tmp_path / "replays.jsonl"
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return path


def test_replays_are_found_by_their_log_in_order(tmp_path):
    again = {**LINE, "outcome": "differs"}
    found = read_replays(written(tmp_path, LINE, "", {**LINE, "log": "b" * 64}, again))
    assert found["a" * 64] == [
        Replay("a" * 64, "replay", 2, "reference", "agrees", "the same"),
        Replay("a" * 64, "replay", 2, "reference", "differs", "the same"),
    ]
    assert len(found["b" * 64]) == 1


@pytest.mark.parametrize("kind", ["reevaluation", "held-out"])
def test_final_weights_have_no_epochs(tmp_path, kind):
    line = {name: value for name, value in LINE.items() if name != "epochs"} | {"kind": kind}
    found = read_replays(written(tmp_path, {**LINE, "kind": "replay", "verdict": "x" * 400}, line))
    assert [(one.kind, one.epochs) for one in found["a" * 64]] == [("replay", 2), (kind, None)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[" * 100_000, "found no JSON"),
        ("[]", "found list, wanted an object"),
        ({**LINE, "log": "a" * 63}, "log: found 'aaa"),
        ({**LINE, "kind": "dream"}, "kind: found 'dream', wanted replay or reevaluation or held-out"),
        ({**LINE, "epochs": 0}, "epochs: found 0, wanted 1 or more"),
        ({**LINE, "code": "mine"}, "code: found 'mine', wanted reference or submitted"),
        ({**LINE, "outcome": "fine"}, "outcome: found 'fine', wanted agrees or differs or open"),
        ({**LINE, "verdict": "x" * 401}, "verdict: found"),
    ],
)
def test_what_is_no_replay_is_refused_by_its_line(tmp_path, line, message):
    path = written(tmp_path, LINE, line)
    with pytest.raises(ValueError, match=r"replays\.jsonl:2: ") as error:
        read_replays(path)
    assert message in str(error.value)


def test_no_file_and_too_large_a_file(tmp_path):
    with pytest.raises(ValueError, match=r"gone\.jsonl: No such file"):
        read_replays(tmp_path / "gone.jsonl")
    huge = tmp_path / "huge.jsonl"
    huge.write_bytes(b"\n" * LARGEST)
    assert read_replays(huge) == {}
    huge.write_bytes(b"\n" * (LARGEST + 1))
    with pytest.raises(ValueError, match="found more than 16777216 bytes"):
        read_replays(huge)
