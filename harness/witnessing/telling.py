"""Tell a witness what a run does: its start before it begins, then how far its log has got, from the log's own file.

The run knows nothing of this, so it cannot be held up: it is a process beside it that reads the log as it is written.
Receipts are appended to receipts_<i>.jsonl beside the log. What cannot be told is tried again until it can be.
"""

import contextlib
import hashlib
import http.client
import json
import os
import secrets
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import asdict
from itertools import accumulate
from pathlib import Path

from benchmark.log import Event, read_log
from benchmark.tree import receipts_path
from rules.registry import Request, Wrong, canonical
from rules.witness import EVALUATION, LONGEST, RUN_START, RUN_STOP, Receipt, Start, Step, parse_receipt, read_receipts

TOKEN = "WITNESS_TOKEN"  # the environment variable that holds an entrant's token
POLL = 0.2  # seconds between two looks at a log
TIMEOUT = 10.0  # seconds of a request
PATIENCE = 60.0  # seconds in which the start of a run, and its end, must be told
PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)  # seconds before trying again; then always the last
FOLDER = "file:"  # the beginning of a witness's address that is a folder


class Unheard(OSError):
    """A witness cannot be reached, or says to come back later."""


Ask = Callable[[str], str]  # what is told -> the line of the receipt


def ask(where: str, token: str) -> Ask:
    """Return how a witness is told: by HTTP, or through a folder that `witness.py watch` looks at. What it returns
    raises Unheard where it is worth trying again, and ValueError, with the witness's words, where it is not."""
    if where.startswith(FOLDER):
        return lambda text: by_folder(Path(where.removeprefix(FOLDER)), token, text)
    if not where.startswith(("http://", "https://")):
        raise ValueError(f"--witness: found {where}, wanted https://..., http://... or {FOLDER}FOLDER")
    return lambda text: by_http(where, token, text)


def by_http(where: str, token: str, text: str) -> str:
    """Tell a witness by HTTP."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{where.rstrip('/')}/receipts", text.encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            line: bytes = answer.read(LONGEST + 1)
        if not line.endswith(b"\n"):
            raise Unheard(f"{where}: found an answer that was cut off, wanted a line")
        return line.decode("ascii", "backslashreplace").rstrip("\n")
    except urllib.error.HTTPError as error:
        why = error.read(500).decode(errors="replace").strip() or error.reason
        if error.code == 429 or error.code >= 500:
            raise Unheard(f"{where}: {error.code} {why}") from None
        raise ValueError(f"{where}: {error.code} {why}") from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise error if isinstance(error, Unheard) else Unheard(f"{where}: {getattr(error, 'reason', error)}") from None


def by_folder(folder: Path, token: str, text: str) -> str:
    """Tell a witness through a folder: write the question, and wait for its answer. The token's sha256 goes with it,
    which is all that the witness stores of a token as well."""
    name = hashlib.sha256(text.encode()).hexdigest()
    question, answer = folder / f"{name}.question", folder / f"{name}.answer"
    content = json.dumps({"token": hashlib.sha256(token.encode()).hexdigest(), "told": text})
    try:
        if not answer.exists():
            temporary = folder / f".{name}.{os.getpid()}"
            temporary.write_text(content)
            os.replace(temporary, question)
        end = time.monotonic() + TIMEOUT
        while not answer.exists():
            if time.monotonic() > end:
                raise Unheard(f"{folder}: found no answer in {TIMEOUT:g} s, wanted `witness.py watch` to look at it")
            time.sleep(POLL / 2)
        line = answer.read_text()
        if not line.startswith("{"):
            with contextlib.suppress(OSError):  # so that the same can be told again, such as with another token
                answer.unlink()
    except OSError as error:
        raise error if isinstance(error, Unheard) else Unheard(f"{folder}: {error.strerror}") from None
    if line.startswith("{"):
        return line.rstrip("\n")
    raise ValueError(f"{folder}: {line.strip()}")


def keep(log: Path, line: str) -> Receipt:
    """Append a receipt to those of a run and return it. It is on disk then. Raises ValueError for an answer that is no
    receipt."""
    try:
        receipt = parse_receipt(line)
    except Wrong as wrong:
        raise ValueError(f"the witness's answer: {wrong}") from None
    with open(receipts_path(log), "a", encoding="ascii") as file:
        file.write(f"{line}\n")
        file.flush()
        os.fsync(file.fileno())
    return receipt


def patiently(tell: Ask, text: str, wanted: Callable[[float], bool]) -> str:
    """Tell a witness, and try again where it is not heard, as long as that is `wanted` after so many seconds. Return
    its answer. Raises Unheard when it is not wanted any more, and ValueError where the witness refuses."""
    begin, tries = time.monotonic(), 0
    while True:
        try:
            return tell(text)
        except Unheard:
            if not wanted(time.monotonic() - begin):
                raise
            time.sleep(PAUSES[min(tries, len(PAUSES) - 1)])
            tries += 1


def tell_start(tell: Ask, request: Request, log: Path) -> None:
    """Tell the start of a run that will write this log, and keep the receipt, from which the run takes its seed. Raises
    ValueError where receipts are there already, or the witness refuses; raises Unheard after PATIENCE seconds."""
    log.parent.mkdir(parents=True, exist_ok=True)
    if receipts_path(log).exists():
        raise ValueError(f"{receipts_path(log)}: found receipts without a log, wanted none before the run")
    start = Start(**asdict(request), run=secrets.token_hex(16), log=log.name)
    keep(log, patiently(tell, canonical(asdict(start)), lambda seconds: seconds < PATIENCE))


def receipts_of(log: Path) -> list[Receipt]:
    """Return the receipts of a log's run, and remove a last one that a killed writer did not finish. Raises ValueError
    for a file that does not begin with a start."""
    path = receipts_path(log)
    os.truncate(path, path.read_bytes().rfind(b"\n") + 1)
    read = list(read_receipts(path))
    found = [receipt for receipt in read if isinstance(receipt, Receipt)]
    if len(found) < len(read) or not found or not isinstance(found[0].told, Start):
        raise ValueError(f"{path}: found no receipts of a run, wanted that of its start first")
    return found


def points(log: Path, metric: str) -> list[tuple[str, int]]:
    """Return (kind, length of the log up to there) of what is told of a log, as far as it is written. `metric` is the
    key of evaluations."""
    kinds = {RUN_START: RUN_START, metric: EVALUATION, RUN_STOP: RUN_STOP}
    try:
        ends = list(accumulate(len(line) + 1 for line in log.read_bytes().split(b"\n")[:-1]))
        events = [event for event in read_log(log) if isinstance(event, Event) and event.key in kinds]
    except OSError:
        return []
    return [(kinds[event.key], ends[event.line - 1]) for event in events if event.line <= len(ends)]


def attend(tell: Ask, log: Path, metric: str, over: Callable[[], bool]) -> None:
    """Tell what a run does until it is `over`. Raises Unheard for what could not be told within PATIENCE seconds after
    that, and ValueError where the witness refuses.

    What was told before, as the receipts show, is not told again. So a run can be attended again after a crash.
    """
    receipts = receipts_of(log)
    run, told, size = receipts[0].told.run, len(receipts) - 1, 0
    ended = 0.0  # when the run was first seen to be over

    def wanted(seconds: float) -> bool:
        nonlocal ended
        ended = ended or (time.monotonic() if over() else 0.0)
        return not ended or time.monotonic() - ended < PATIENCE

    while True:
        last = over()  # before the look, so that nothing that is written before the end is missed
        found = points(log, metric) if size != (size := size_of(log)) else []
        for step, (kind, length) in enumerate(found[told:], told + 1):
            with open(log, "rb") as file:
                digest = hashlib.sha256(file.read(length)).hexdigest()
            keep(log, patiently(tell, canonical(asdict(Step(run, step, kind, length, digest))), wanted))
            told = step
        if last:
            return
        time.sleep(POLL)


def size_of(path: Path) -> int:
    """Return the size of a file, 0 where there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
