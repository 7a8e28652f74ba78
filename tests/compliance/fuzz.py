"""Fuzzing the judging of logs and launch ledgers, the walking of trees, what is written of them, and files of data.

    python tests/compliance/fuzz.py --log 100000 --tree 100000 --ledger 100000 --output 10000 --manifest 10000 \\
        --sample 1000 --waived 10000 --seed 1

Every input follows from its number, so that a failure is repeated by `--only KIND NUMBER`. What must hold: no
exception, no time and no memory beyond a limit, nothing unprintable in a finding, no path outside of what was given, no
damage to a log that nothing objects to but those of `harmless`, nothing in an output that its readers would obey.
"""

import argparse
import gc
import json
import os
import random
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from benchmark.ledger import End, Note, Start
from benchmark.log import Event, read_log
from benchmark.run.files import LEDGER
from benchmark.run.ledger import commitment
from compliance.engine import judge
from compliance.engine.unit import BROKE
from compliance.verdict import Verdict
from rules.edition import load
from tests.compliance import editions, logs
from tests.compliance.fuzz_files import Files
from tests.compliance.fuzz_outputs import write_a_round
from tests.compliance.fuzz_silence import unexplained
from tests.compliance.ledgers import Campaign, sha256
from tests.compliance.logs import log_text
from tests.compliance.waiving import waive_all

KINDS = {  # of inputs, and how many there are unless the command line says
    "log": 100,
    "tree": 100,
    "ledger": 100,
    "output": 20,
    "manifest": 100,
    "sample": 20,
    "waived": 20,
}
SHOWN = 100  # failures of a kind that are printed
SLOW = 5.0  # seconds of processor time for one input
ENDLESS = 300  # seconds on the wall after which an input is given up
MEMORY = 1 << 30  # bytes that the inputs may take beyond what was loaded before them
NASTY = [
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\r\n", b"\x1b[31m", b"NaN", b"1e400", b"-Infinity", b"{" * 300,
    b"[" * 300, b'"' * 7, b":::MLLOG ", b":::MLLOG", b"\\u0000", b"\\ud800", b"null", b"true", b"-0", b"9" * 400,
    b"\n" * 3, b"\xf0\x9f", b'"key": "run_stop"', b'"value": 1', b"\xe2\x80\xa8", b"}", b"]", b",", b"1.5",
    b'"time_ms": -1', b'{"key": 0}',
]  # fmt: skip
VALUES = [
    None, True, False, 0, -1, 1 << 70, 0.5, 1e308, "", "x", "1", [], [1], {}, {"a": [1]}, [[[[]]]], "\u0000", "\ud83d",
]  # fmt: skip
KEYS = ("time_ms", "event_type", "key", "value", "metadata")  # of an event, in the order in which it is read


def mutate(rng: random.Random, data: bytes) -> bytes:
    """Some bytes changed, cut, doubled or made nasty."""
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        to = min(len(data), at + rng.choice((1, 1, 2, 8, 40, 400)))
        kind = rng.randrange(6)
        if kind == 0:
            data = data[:at] + rng.choice(NASTY) + data[at:]
        elif kind == 1:
            data = data[:at] + data[to:]
        elif kind == 2:
            data = data[:to] + data[at:to] + data[to:]
        elif kind == 3:
            data = data[:at] + rng.randbytes(rng.randint(1, 6)) + data[to:]
        elif kind == 4:
            data = data[:at] + rng.choice(NASTY) + data[to:]
        else:
            data = data[: rng.randrange(len(data) + 1)]
    return data


def damage_events(rng: random.Random, events: list[dict]) -> list[dict]:
    """One damage or several: still JSON, no longer a log."""
    for _ in range(rng.randint(1, 6)):
        if events:
            damage_one(rng, events)
    return events


def damage_one(rng: random.Random, events: list[dict]) -> None:
    """An event moved, dropped or doubled, or a field of it replaced."""
    at = rng.randrange(len(events))
    event, kind = events[at], rng.randrange(6)
    if kind == 0:
        events.insert(rng.randrange(len(events)), events.pop(at))
    elif kind == 1:
        del events[at]
    elif kind == 2:
        events.insert(rng.randrange(len(events)), dict(event))
    elif kind == 3:
        events[at] = {**event, rng.choice(KEYS): rng.choice(VALUES)}
    elif kind == 4 and isinstance(event.get("metadata"), dict):
        name = rng.choice([*event["metadata"], "epoch_num", "status", "samples_count"])
        events[at] = {**event, "metadata": {**event["metadata"], name: rng.choice(VALUES)}}
    else:
        events[at] = {**event, "time_ms": rng.choice((0, -5, 1 << 62, 1.5e12, event.get("time_ms")))}


class Fuzzer:
    """The kinds of input, in a scratch folder."""

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.law = editions.law(folder / "law")
        self.tolerated = load("v1.0", self.law).limits.clock.back_ms
        gc.freeze()  # nothing of what was loaded goes away
        self.base = [logs.good(i).events for i in range(3)]
        self.written = {id(e): log_text([e]) for events in self.base for e in events}  # which hold the events

    def log(self, rng: random.Random) -> None:
        """A whole log with damaged events, and sometimes mutated bytes: a verdict, and a finding unless it is known why
        there need be none."""
        base = rng.choice(self.base)
        data, mutated = self.text(damage_events(rng, list(base))).encode(), rng.random() < 0.3
        if mutated:
            data = mutate(rng, data)
        edition = rng.choice((None, None, "v1.0", "mlperf-hpc-v0.7", "mlperf-hpc-v3.0"))
        self.accepted(data, edition, base, measured=mutated)

    def accepted(self, data: bytes, edition: str | None, base: list[dict], measured: bool = False) -> None:
        """Judge a log. Where there is no finding it says the same as `base`, as far as anybody reads it."""
        path = self.folder / "result_0.txt"
        path.write_bytes(data)
        if not self.verdict(path, edition).findings:
            good = [Event(0, *(e.get(name) for name in KEYS)) for e in base]
            events = [item for item in read_log(path) if type(item) is Event]
            what = unexplained(good, events, self.tolerated, measured)
            assert not what, f"nobody objects: {what}"

    def text(self, events: list[dict]) -> str:
        """The lines of a log. Those of the good logs' events are written once."""
        return "".join(self.written.get(id(e)) or log_text([e]) for e in events)

    @cached_property
    def files(self) -> Files:
        """Datasets, made when they are needed."""
        return Files(self.folder / "data", mutate)

    def manifest(self, rng: random.Random) -> None:
        """See fuzz_files.py."""
        self.files.manifest(rng)

    def sample(self, rng: random.Random) -> None:
        """See fuzz_files.py."""
        self.files.sample(rng)

    def output(self, rng: random.Random) -> None:
        """See fuzz_outputs.py."""
        write_a_round(self.folder / "output", rng, mutate, _disturb)

    def waived(self, rng: random.Random) -> None:
        """See waiving.py."""
        waive_all(self.folder / "waived", rng, self.law, damage_one, (*VALUES, 10**400))

    def tree(self, rng: random.Random) -> None:
        """A submission with damaged files, names, links and pipes: a verdict, and nothing outside of it."""
        root = self.folder / "tree"
        shutil.rmtree(root, ignore_errors=True)
        org = root / "acme"
        self._plant(rng, org)
        for _ in range(rng.randint(1, 5)):
            _disturb(rng, org)
        self.verdict(root, rng.choice((None, "v1.0", "mlperf-hpc-v0.7", "mlperf-hpc-v2.0")))

    def ledger(self, rng: random.Random) -> None:
        """A set with a launch ledger of whatever entries, chained as they should be, and sometimes mutated bytes."""
        runs = self.folder / "box" / "strong" / "scaffold"
        shutil.rmtree(runs, ignore_errors=True)
        runs.mkdir(parents=True)
        campaign = Campaign()
        starts: dict[int, str] = {}  # number -> log
        for number in range(1, rng.randint(2, 9)):
            index, digest = rng.randrange(3), rng.choice("012d") * 64
            seed = next(e["value"] for e in self.base[index] if e["key"] == "seed")
            about = rng.choice([*starts, *starts, *starts, rng.randint(1, number)])
            if rng.random() < 0.5 or not starts:
                goes_on = starts and rng.random() < 0.4
                name = starts.get(about, f"result_{index}.txt") if goes_on else f"result_{index}.txt"
                said = Start(name, digest, digest, digest, commitment(seed), about if goes_on else None)
                starts[number] = name
            elif rng.random() < 0.7:
                said = End(about, rng.choice(("success", "aborted")), digest)
            else:
                said = Note(about, rng.choice(("node failed", "x" * 1000, "\u00e9")))
            campaign.add(said, 0 if rng.random() < 0.05 else self.base[0][8]["time_ms"] + 900_000 * number)
        for index in range(rng.randint(1, 3)):
            own = [number for number, name in starts.items() if name == f"result_{index}.txt"]
            number = rng.choice([*own, *own, *own, rng.randrange(len(campaign.lines) + 2)])
            line = sha256(campaign.lines[min(number, len(campaign.lines)) - 1])
            facts = {"file": "train.py", "lineno": 1, "line": rng.choice((line, line, line, None, 1))}
            stated = {**self.base[index][10], "key": "ledger", "value": rng.choice((number, number, None, "1", True))}
            events = [*self.base[index][:10], {**stated, "metadata": facts}, *self.base[index][10:]]
            (runs / f"result_{index}.txt").write_text(self.text(events))
        (runs / LEDGER).write_bytes(mutate(rng, campaign.text) if rng.random() < 0.3 else campaign.text)
        self.verdict(runs, "v1.0")

    def _plant(self, rng: random.Random, org: Path) -> None:
        runs = org / "results" / "box" / "strong" / "scaffold"
        source = org / "source" / "123456789abc" / logs.CODE
        for folder in (runs, source, org / "systems"):
            folder.mkdir(parents=True)
        for index in range(rng.randint(0, 2)):
            events = self.base[index] if rng.random() < 0.5 else damage_events(rng, list(self.base[index]))
            (runs / f"result_{index}.txt").write_text(self.text(events))
        (org / "systems" / "box.json").write_text(json.dumps({**logs.SYSTEM, rng.choice(KEYS): rng.choice(VALUES)}))
        (source / "train.py").write_text(logs.TRAIN)

    def verdict(self, path: Path, edition: str | None) -> Verdict:
        """Judge, and look at what comes out."""
        verdict = judge([path], edition, rules=self.law)
        for finding in verdict.findings:
            assert finding.text().isprintable(), finding
            assert finding.path.startswith(str(path)), finding
            assert finding.line >= 1
            assert BROKE not in finding.sentence, finding
        assert verdict.exit_code in (0, 1, 2)
        return verdict


def _disturb(rng: random.Random, org: Path) -> None:
    """One thing in the tree becomes another."""
    places = sorted(org.rglob("*"))
    if not places:
        return
    place = rng.choice(places)
    name = rng.choice(
        ("x", "a\nb", "\x1b[2J", "result_9.txt", "result_0.txt.gz", "\udcff", "scaling.json", "é", " ", "a" * 200)
    )
    kind = rng.randrange(9)
    try:
        folder = place if place.is_dir() else place.parent
        if kind == 0:
            shutil.rmtree(place) if place.is_dir() and not place.is_symlink() else place.unlink()
        elif kind == 1:
            place.rename(place.with_name(name))
        elif kind == 2:
            (folder / name).symlink_to(rng.choice(("/etc", "/etc/passwd", "..", "loop")))
        elif kind == 3:
            os.mkfifo(folder / name)
        elif kind == 4:
            _write(folder / name, rng.choice(NASTY) * 20)
        elif kind in (5, 6) and place.is_file() and not place.is_symlink():
            _write(place, mutate(rng, place.read_bytes()))
        elif kind == 7 and place.is_file():
            place.unlink()
            place.mkdir()
        else:
            _write(org / "benchmarks" / f"{rng.choice('abc')}.py", mutate(rng, b"import torch\ntorch.manual_seed(x)\n"))
    except (OSError, ValueError):
        pass  # some names and moves aren't possible


def _write(path: Path, data: bytes) -> None:
    path.unlink(missing_ok=True)  # it may be a pipe by now, or lead out of the tree
    path.write_bytes(data)


def number(kind: str, seed: int, index: int) -> random.Random:
    """The source of input `index` of a campaign."""
    return random.Random(f"{kind}/{seed}/{index}")


class Endless(BaseException):
    """An input took more than ENDLESS seconds. Nothing that judges catches this."""


def give_up(*_: object) -> None:
    """Give up the input: the handler of the alarm. Raises Endless."""
    raise Endless(f"not done after {ENDLESS} s")


def bound_memory() -> None:
    """Make Python raise MemoryError where this process takes more than MEMORY beyond what it has."""
    has = int(next(line for line in Path("/proc/self/status").read_text().splitlines() if "VmData" in line).split()[1])
    resource.setrlimit(resource.RLIMIT_DATA, ((has << 10) + MEMORY, resource.RLIM_INFINITY))


def campaign(kind: str, function: Callable, seed: int, count: int, start: int = 0) -> list[tuple[int, str]]:
    """Runs `count` inputs; (index, what happened) of those that failed."""
    failed, begin = [], time.perf_counter()
    signal.signal(signal.SIGALRM, give_up)
    for index in range(start, start + count):
        one = time.process_time()
        try:
            signal.alarm(ENDLESS)
            function(number(kind, seed, index))
        except (Exception, Endless) as error:  # a fuzzer is after all of them
            failed.append((index, f"{type(error).__name__}: {error}"))
        finally:
            signal.alarm(0)
        if time.process_time() - one > SLOW:
            failed.append((index, f"{time.process_time() - one:.1f} s"))
    seconds = time.perf_counter() - begin
    print(f"{kind}: {count} inputs of seed {seed} in {seconds:.0f} s, {len(failed)} failed", flush=True)
    return failed


def main() -> int:
    """Run the campaigns; 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for kind, count in KINDS.items():
        parser.add_argument(f"--{kind}", type=int, default=count, help=f"inputs of this kind (default: {count})")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs=2, metavar=("KIND", "NUMBER"), help=f"repeat one input: {', '.join(KINDS)}")
    parser.add_argument("--scratch", type=Path, default=Path("/dev/shm") / f"fuzz-{os.getpid()}")
    args = parser.parse_args()
    args.scratch.mkdir(parents=True)
    try:
        fuzzer = Fuzzer(args.scratch)
        if args.only:
            getattr(fuzzer, args.only[0])(number(args.only[0], args.seed, int(args.only[1])))
            return 0
        counts = {kind: getattr(args, kind) for kind in KINDS}
        bound_memory()
        failed = {kind: campaign(kind, getattr(fuzzer, kind), args.seed, count) for kind, count in counts.items()}
    finally:
        shutil.rmtree(args.scratch, ignore_errors=True)
    for kind, items in failed.items():
        for index, what in items[:SHOWN]:
            print(f"{kind} {index}: {what}")
    return 1 if any(failed.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
