"""The witness's HTTP service, asked over HTTP: receipts, chain and key, and what each wrong question gets."""

import json
import socket
import urllib.error
import urllib.request

import pytest

from harness.witnessing import service
from harness.witnessing.service import BURST, RATE, Rates
from rules.witness import LONGEST, parse_receipt
from tests.support.told import START, TEXT


def get(served, path):
    with urllib.request.urlopen(served.address + path, timeout=20) as answer:
        return answer.read().decode()


def post(served, body, token=None):
    """Status and text of the answer."""
    headers = {"Authorization": f"Bearer {served.token if token is None else token}"}
    body = body.encode() if isinstance(body, str) else body
    request = urllib.request.Request(f"{served.address}/receipts", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_a_receipt_stands_in_the_chain(served):
    status, line = post(served, TEXT)
    assert status == 200 and parse_receipt(line.rstrip("\n")).told == START
    assert get(served, "/chain") == line and get(served, "/chain?after=1") == ""
    assert json.loads(get(served, "/key")) == {"edition": "v1.0", "key": served.store.public_key}


@pytest.mark.parametrize(
    ("body", "token", "status", "words"),
    [
        (TEXT, "nobody's", 401, "found no token that is known"),
        (b"\xff\xfe", None, 400, "wanted a mapping in JSON"),
        ("[" * LONGEST, None, 400, "wanted a mapping in JSON"),
        ("x" * (LONGEST + 1), None, 413, f"found more than {LONGEST} bytes"),
        (TEXT.replace("acme", "bolt"), None, 409, "found organisation bolt, wanted acme"),
    ],
)
def test_what_is_asked_wrongly_gets_one_line(served, body, token, status, words):
    found, text = post(served, body, token)
    assert found == status and words in text and text.count("\n") == 1
    assert get(served, "/chain") == ""


def test_the_chain_comes_in_pages_that_begin_after_a_number(served, monkeypatch):
    for after in ("-1", "%C2%B2", "99999999999"):
        with pytest.raises(urllib.error.HTTPError, match="400"):
            get(served, f"/chain?after={after}")
    monkeypatch.setattr(service, "PAGE", 2)
    lines = [post(served, TEXT.replace("1" * 32, f"{n:032x}"))[1] for n in range(5)]
    pages = [get(served, f"/chain?after={after}") for after in (0, 2, 4, 5)]
    assert pages == ["".join(lines[:2]), "".join(lines[2:4]), lines[4], ""]


def test_half_a_request_holds_nobody_up(served):
    host, port = served.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as idle:
        idle.sendall(b"POST /receipts HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nhalf")
        assert post(served, TEXT)[0] == 200


def test_an_organisation_may_ask_so_often():
    now = [0.0]
    rates = Rates(lambda: now[0])
    assert all(rates.allow("acme") for _ in range(int(BURST)))
    assert not rates.allow("acme") and rates.allow("bolt")
    now[0] += 1 / RATE
    assert rates.allow("acme") and not rates.allow("acme")
    now[0] += 1e6
    assert sum(rates.allow("acme") for _ in range(int(2 * BURST))) == BURST


def test_too_many_requests_are_refused(served, monkeypatch):
    monkeypatch.setattr(service.Rates, "allow", lambda self, organisation: False)
    assert post(served, TEXT) == (429, f"found more than {RATE:g} requests a second, wanted fewer\n")
