"""Flood a round's witness with hostile requests, and kill it again and again, while an entrant tells runs.

    python perf/witness_load.py --requests 100000 --kills 200

The witness is a process of its own, `harness/witness.py serve`, on this machine. Threads send rubbish to it: unknown
tokens, malformed and too long bodies, broken HTTP, starts in another's name, and more requests with one good token than
it may make. An entrant tells starts and the ends of their logs all the time, and tells again what got no answer. At the
end the chain must hold every receipt that was given, once, in order, and no other. The table says how long the
entrant waited for an answer while the witness was up. Exit code: 0 if nothing was lost, else 1.
"""

import argparse
import itertools
import json
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmark.source import ROOT
from harness.witnessing.store import Store
from rules.current import EDITION
from rules.registry import canonical
from rules.witness import EVALUATION, LONGEST, RUN_START, Start, Step, follows, parse_receipt

START = Start("acme", "box", "scaffold", "smoke", "a" * 64, "b" * 64, run="1" * 32, log="result_0.txt")
THREADS = 8
STEPS = 20  # of a run
PATIENCE = 60.0  # seconds after which an entrant counts as locked out


@dataclass
class Load:
    """A witness under load: where it listens, the token of the entrant, and that of one who asks too often."""

    port: int
    token: str
    noisy: str
    answers: Counter[str] = field(default_factory=Counter)
    receipts: list[str] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def post(self, body: bytes, token: str) -> tuple[int, str]:
        """Return status and text of the answer. Raises OSError without one."""
        headers = {"Authorization": f"Bearer {token}"}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/receipts", body, headers)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def hostile(self, number: int) -> None:
        """Send one hostile request, and count its answer."""
        kinds = [
            (b"x" * (LONGEST + 1), self.noisy),
            (b"{}", "nobody's"),
            (b"[" * LONGEST, self.noisy),
            (start(f"{number:032x}"), "nobody's"),
            (start(f"{number:032x}"), self.noisy),  # in another's name
        ]
        try:
            if number % 6 == 5:
                with socket.create_connection(("127.0.0.1", self.port), timeout=10) as broken:
                    broken.sendall(random.randbytes(200))
                self.answers["broken HTTP"] += 1
            else:
                self.answers[str(self.post(*kinds[number % 6])[0])] += 1
        except OSError:
            self.answers["no answer: the witness was down or busy"] += 1

    def entrant(self) -> None:
        """Tell runs until the flood is over: a start and STEPS steps each. Each is told until it has its receipt."""
        for number in itertools.count():
            if self.over.is_set():
                return
            run, step = f"{number // (STEPS + 1) + (1 << 64):032x}", number % (STEPS + 1)
            begin, body = time.monotonic(), start(run) if step == 0 else step_of(run, step)
            while time.monotonic() < begin + PATIENCE:
                asked = time.monotonic()
                try:
                    status, text = self.post(body, self.token)
                except OSError:
                    time.sleep(0.02)
                    continue
                if status == 200:
                    self.waits.append(time.monotonic() - asked)
                    self.receipts.append(text.strip())
                    break
                time.sleep(0.05)  # too many requests
            else:
                self.answers["entrant locked out"] += 1
                return
            time.sleep(0.05)


def step_of(run: str, step: int) -> bytes:
    """Return what the entrant tells of a step of a run."""
    kind = RUN_START if step == 1 else EVALUATION
    return canonical(asdict(Step(run, step, kind, 1000 * step, "c" * 64))).encode()


def start(run: str) -> bytes:
    """Return what the entrant tells of the start of a run."""
    return canonical({**asdict(START), "run": run}).encode()


def serve(database: Path, port: int) -> subprocess.Popen[bytes]:
    """Start the witness. Return it when it listens."""
    command = [sys.executable, "harness/witness.py", "serve", str(database), "--port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return process
        except OSError:
            time.sleep(0.02)


def flood(load: Load, requests: int) -> None:
    """Send the hostile requests from several threads."""
    numbers = iter(range(requests))
    lock = threading.Lock()

    def send() -> None:
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            load.hostile(number)

    threads = [threading.Thread(target=send) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def kill_often(load: Load, database: Path, process: subprocess.Popen[bytes], kills: int) -> subprocess.Popen[bytes]:
    """Kill the witness so many times, each after a moment in which it answered, and start it anew."""
    for _ in range(kills):
        time.sleep(random.uniform(0.0, 0.3))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process = serve(database, load.port)
    return process


def lost(load: Load, store: Store) -> str:
    """Return what is wrong with the chain; "" if it holds every receipt that was given once, in order."""
    chain = list(store.chain())
    before = None
    for line in chain:
        receipt = parse_receipt(line)
        if wrong := follows(receipt, before):
            return wrong
        before = receipt
    if missing := set(load.receipts) - set(chain):
        return f"{len(missing)} receipts that were given are not in the chain"
    if strangers := [line for line in chain if json.loads(line).get("organisation", "acme") != "acme"]:
        return f"{len(strangers)} receipts of others"
    return ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Load a witness and print what became of it. Return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=100_000, help="hostile requests (default: 100000)")
    parser.add_argument("--kills", type=int, default=200, help="of the witness (default: 200)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="witness-") as folder:
        database = Path(folder) / "witness.db"
        store = Store(database, EDITION)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        load = Load(port, store.new_token("acme"), store.new_token("noisy"))
        process = serve(database, port)
        entrant = threading.Thread(target=load.entrant)
        entrant.start()
        begin = time.monotonic()
        flood(load, options.requests)
        flooded = time.monotonic() - begin
        told, waits = len(load.receipts), sorted(load.waits)
        process = kill_often(load, database, process, options.kills)
        load.over.set()
        entrant.join()
        process.kill()
        process.wait()
        wrong = lost(load, store)
    print(f"{options.requests} hostile requests in {flooded:.0f} s: {dict(sorted(load.answers.items()))}")
    if waits:
        print(
            f"entrant meanwhile: {told} receipts, median wait {statistics.median(waits):.3f} s, most {waits[-1]:.3f} s"
        )
    print(f"{options.kills} kills: {len(load.receipts)} receipts given in all, {wrong or 'none lost'}")
    return int(bool(wrong) or bool(load.answers["entrant locked out"]))


if __name__ == "__main__":
    sys.exit(main())
