import json
from dataclasses import replace

import pytest

from benchmark.run.assigned import read_assigned
from rules import witness
from rules.registry import FIRST, Wrong, canonical
from rules.witness import Receipt, Start, Step, follows, is_signed, parse_receipt, parse_told, read_receipts
from tests.support.witness import KEY, OTHER, FakeWitness, signed, write

START = Start("acme", "box", "scaffold", "smoke", "a" * 64, "b" * 64, run="1" * 32, log="result_3.txt")
STEP = Step("1" * 32, 1, "run_start", 100, "c" * 64)
FIRST_RECEIPT = Receipt(START, 1, FIRST, 1000, "v9.9", nonce="5" * 64)


@pytest.fixture
def chain():
    fake = FakeWitness()
    fake.receipt(START, 1000)
    fake.receipt(STEP, 2000)
    return fake.chain


def test_a_receipt_is_signed_by_one_key_and_as_it_is(chain):
    for receipt in chain:
        assert is_signed(receipt, KEY)
        assert not is_signed(replace(receipt, time_ms=receipt.time_ms + 1), KEY)
        assert not is_signed(signed(receipt, OTHER), KEY)
    for key in ("", "xyz", "5" * 64, KEY[:-2]):
        assert not is_signed(chain[0], key)


def test_a_run_reads_its_seed_from_its_receipts_as_from_a_registry(chain, tmp_path):
    path = write(tmp_path / "receipts_3.jsonl", chain)
    found = read_assigned(path, 1, 3)
    assert found.seed == chain[0].seed
    assert found.origin == {"source": "witness", "entry": 1}
    assert found.difference("acme", "box", "scaffold", "smoke", "a" * 64, "b" * 64) == ""
    assert read_assigned(path, 1, 2).seed != chain[0].seed
    with pytest.raises(ValueError, match="found a later step, wanted the start of a run"):
        _ = chain[1].seed


@pytest.mark.parametrize(
    ("of", "fields", "message"),
    [
        (START, {"run": "1" * 31}, "run '1"),
        (START, {"log": "result_x.txt"}, "log 'result_x.txt', wanted result_<i>.txt"),
        (STEP, {"step": 0}, f"step 0, wanted a number from 1 to {witness.MOST_STEPS}"),
        (STEP, {"step": witness.MOST_STEPS + 1}, f"step {witness.MOST_STEPS + 1}"),
        (STEP, {"step": True}, "step True"),
        (STEP, {"kind": "start"}, "kind 'start', wanted run_start, evaluation, run_stop"),
        (STEP, {"bytes": 1.5}, "bytes 1.5"),
        (STEP, {"digest": "C" * 64}, "digest 'C"),
        (FIRST_RECEIPT, {"nonce": ""}, "nonce ''"),
        (Receipt(STEP, 2, FIRST, 2000, "v9.9"), {"nonce": "5" * 64}, "nonce '5"),
        (FIRST_RECEIPT, {"number": 0}, f"number 0, wanted a number from 1 to {witness.MOST}"),
        (FIRST_RECEIPT, {"previous": "x"}, "previous 'x'"),
        (FIRST_RECEIPT, {"time_ms": 1 << 54}, "time_ms"),
        (FIRST_RECEIPT, {"signature": "0"}, "signature '0'"),
    ],
)
def test_what_cannot_be_told_and_what_no_receipt_holds(of, fields, message):
    with pytest.raises(Wrong, match=f"found {message}"):
        replace(of, **fields)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"kind": 1}', "[" * 5000, "x" * (witness.LONGEST + 1)])
def test_other_texts_are_wrong(text):
    for parse in (parse_told, parse_receipt):
        with pytest.raises(Wrong):
            parse(text)


def test_a_receipt_has_one_form(chain):
    assert [parse_receipt(receipt.text) for receipt in chain] == chain
    text = chain[0].text
    others = [text.replace(": ", ":"), text + " ", json.dumps(dict(reversed(json.loads(text).items())))]
    others += [canonical({**json.loads(text), **more}) for more in ({"more": 1}, {"entry": 2}, {"drawn_by": "me"})]
    for other in others:
        with pytest.raises(Wrong):
            parse_receipt(other)


def test_a_chain_has_an_order(chain):
    first, second = chain
    assert follows(first, None) == follows(second, first) == ""
    assert follows(second, None) == "number 2 after number 0"
    assert follows(signed(replace(first, previous="1" * 64)), None).startswith("previous 1111")
    assert follows(signed(replace(second, previous=FIRST)), first).endswith("which is not the sha256 of receipt 1")
    assert follows(signed(replace(second, time_ms=900)), first) == "a time 0.1 s before that of receipt 1"
    assert follows(signed(replace(second, time_ms=1000)), first) == ""


def test_reading_goes_on_after_a_wrong_line(chain, tmp_path):
    path = tmp_path / "witness.jsonl"
    path.write_text(f"{chain[0].text}\nrubbish\n{chain[1].text}\n{chain[1].text[:50]}")
    first, wrong, second, cut = read_receipts(path)
    assert [first, second] == chain
    assert wrong.found == "'rubbish'" and cut.found == "a line that is cut off, or too long"
    with pytest.raises(OSError, match="no regular file"):
        list(read_receipts(tmp_path))


def test_reading_has_limits(chain, tmp_path):
    path = write(tmp_path / "witness.jsonl", chain)
    assert [str(found) for found in list(read_receipts(path, most=1))[1:]] == [
        f"found more than 1 lines, wanted at most 1 lines and {1 << 30} bytes"
    ]
    assert len(list(read_receipts(path, most=2))) == 2
    size = path.stat().st_size
    assert isinstance(list(read_receipts(path, largest=size - 1))[1], Wrong)
    assert list(read_receipts(path, largest=size)) == chain
