"""Kill processes at random moments, start them again by the same command, and see whether anything is lost.

    python tests/kills.py --generate 60 --train 80 --stage 30 --ranks 20 --campaign 10 --tune 5 --seed 1

Numbers count kills. Each is SIGKILL after a random time, to a process and all that it started, to one that it started,
or, of ranks, to the launcher or some ranks; some processes are stopped first. The same command then goes on.

- `generate`: the dataset is the one that nobody disturbed, file by file, and there are no other files.
- `train`, `stage`, `ranks`: a run with checkpoints has the same scores as one that nobody disturbed, one start, one
  end, and times that never run back. Copies of staged data are gone. No rank outlives a lost one for long.
- `campaign`: submit.py completes its set, every start is in the ledger, and the checker finds no error.
- `tune`: the campaign of tuning has every trial at the point that was drawn at first.

Most processes are forked from one that has loaded PyTorch; some start as their users start them. No process may print
a traceback. `tests/` has short versions of these for every commit.
"""

import argparse
import functools
import itertools
import os
import random
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
if __name__ == "__main__":  # workers of a fork get its path
    sys.path[0] = str(ROOT)

from benchmark import generate  # noqa: E402
from benchmark.ledger import Drawn, Note, Start, read_ledger  # noqa: E402
from benchmark.log import Event, read_log  # noqa: E402
from benchmark.run.files import LEDGER  # noqa: E402
from benchmark.tree import campaign_path, set_path  # noqa: E402
from harness.launcher import Launcher  # noqa: E402
from tests.killing import MOST, Forked, Ranks, Started, killed, started_by, tell  # noqa: E402
from tests.support.forked import TRAIN, Warm, forked_start  # noqa: E402
from tests.support.tiny import environment, make_endless, make_tiny, publish  # noqa: E402

LONG = ("--rehearsal-seed", "7", "epochs=6", "average_epochs=0.5")
BY_DATA = ("--layout", "2,1,1,1", "timeout_seconds=5")
RUNS, TRIALS = 3, 4
CAMPAIGN = f"""
problem: tiny
batch_size: 2
space: {{learning_rate: {{low: 1.0e-3, high: 1.0e-2, scale: log}}, warmup_epochs: {{values: [0, 1]}}}}
settings: {{threads: 1}}
trials: {TRIALS}
budget: {{epochs: 2}}
parallel: 2
confirmations: 3
"""
KINDS = {"generate": 20, "train": 10, "stage": 5, "ranks": 4, "campaign": 3, "tune": 3}


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a folder, by name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def is_over(log: Path) -> bool:
    """Whether a run has used up its epochs, and said so."""
    found = [e for e in read_log(log) if isinstance(e, Event) and e.key == "run_stop"] if log.exists() else []
    return any("wanted" in str(e.metadata.get("reason", "")) for e in found)


def enter_all(folder: Path) -> None:
    """Every run that there is a log of is in the ledger; and every start is the last of its run, or is resumed by
    another, or a note says what became of it."""
    ledger = read_ledger(folder / LEDGER)
    assert not ledger.faults, ledger.faults
    starts = {e.number: e.said for e in ledger.entries if isinstance(e.said, Start)}
    last = {said.run: number for number, said in starts.items()}
    known = {e.said.of for e in ledger.entries if isinstance(e.said, Note)} | set(last.values())
    assert starts.keys() == known | {said.resumes for said in starts.values() if said.resumes}
    for log in folder.rglob("result_*.txt"):
        events = [e for e in read_log(log) if isinstance(e, Event)] if "confirmation" not in log.parts else []
        entered = [e.value for e in events if e.key == "ledger"]
        assert all(starts[number].run == log.name for number in entered)
        assert entered or not any(e.key == "run_start" for e in events), log


def until(kills: int, one: Callable[[random.Random], int], rng: random.Random, name: str) -> int:
    """Repeat `one`, which returns how many kills its process saw before it ended whole, until there were so many; how
    many there were."""
    done = rounds = 0
    begin, cpu = time.perf_counter(), sum(os.times()[:4])
    while done < kills:
        done += one(rng)
        rounds += 1
    wall, cpu = time.perf_counter() - begin, sum(os.times()[:4]) - cpu
    print(f"{name}: {done} kills, {rounds} ended whole, {wall:.0f} s, {cpu:.0f} s of the processor", flush=True)
    return done


class Kills:
    """Small problems in a scratch folder, and what nobody disturbed made of them."""

    def __init__(self, scratch: Path):
        self.scratch, self.words = scratch, scratch / "words.txt"
        (scratch / "tiny").mkdir()
        self.tiny = make_tiny(scratch / "tiny")
        self.endless = make_endless(self.tiny)
        defined = yaml.safe_load(self.tiny.problems.read_text())
        more = {"instances": 61, "train_samples": 40, "validation_samples": 21}
        defined["many"] = {**defined["tiny"], **more, "target": 0.12}
        self.tiny.problems.write_text(yaml.safe_dump(defined))
        self.scores: dict[str, list] = {}
        self.seconds: dict[str, float] = {}
        self.longest = 0.0  # seconds that ranks went on without one of them

    @functools.cached_property
    def warm(self) -> Any:
        """What runs are forked from; it ends with this process."""
        warm = Warm(compiler=False, environment=environment())
        Forked(self.words, warm, ["--help"]).wait(MOST)  # it forks when all is loaded
        return warm

    def learn(self, name: str, seconds: float) -> None:
        """How long a process takes that ends by itself: it depends on what else the machine does."""
        self.seconds[name] = (self.seconds.get(name, seconds) + seconds) / 2

    def undisturbed(self, name: str, process: Started, wanted: int) -> None:
        """See a process end by itself, and keep how long that took."""
        begin = time.perf_counter()
        code = killed(process, random.Random(0), 0)
        assert code == wanted, (code, self.words.read_text())
        self.learn(name, time.perf_counter() - begin)

    # Datasets

    def generate(self, rng: random.Random) -> int:
        """A dataset by a process that is killed until it gets through."""
        whole, folder, count = self.scratch / "many", self.scratch / "again", 0
        if not whole.exists():
            self.undisturbed("generate", self.generator(whole, 1), 0)
        shutil.rmtree(folder, ignore_errors=True)
        longest = 1.2 * self.seconds["generate"]
        while (code := killed(self.generator(folder, rng.choice((1, 1, 2)), rng), rng, longest)) is None:
            count += 1
        assert code == 0, self.words.read_text()
        found, wanted = contents(folder), contents(whole)
        assert found == wanted, [name for name in found | wanted if found.get(name) != wanted.get(name)]
        return count

    def generator(self, folder: Path, workers: int, rng: random.Random | None = None) -> Started:
        """A process that generates a dataset; mostly a fork."""
        files = ["--problem", "many", "--problems", str(self.tiny.problems), "--out", str(folder)]
        options = [*files, "--workers", str(workers)]
        if rng and rng.random() < 0.1:
            return Started(self.words, [sys.executable, str(ROOT / "benchmark" / "generate.py"), *options])

        def run() -> int:
            sys.argv[1:] = options
            generate.main()

        return Started(self.words, run)

    # Runs with checkpoints

    def train(self, rng: random.Random, *more: str) -> int:
        """A run of one rank."""
        return self.run("train", rng, lambda _, options: Forked(self.words, self.warm, options), killed, *more)

    def stage(self, rng: random.Random) -> int:
        """The same, with the data copied to a node's own disk first."""
        disk = self.scratch / "disk"
        count = self.train(rng, "--stage", str(disk))
        left = list(disk.glob("*"))
        assert not left or self.late, "a copy was left behind"
        shutil.rmtree(disk, ignore_errors=True)
        return count

    def ranks(self, rng: random.Random) -> int:
        """A run of two ranks, some of whose starts are torchrun's."""
        return self.run("ranks", rng, self.start_ranks, self.lose_ranks, *BY_DATA)

    def start_ranks(self, rng: random.Random, options: list[str]) -> "Ranks":
        """Two ranks, by torchrun or forked."""
        if rng.random() < 0.5:
            torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "--"]
            return Ranks([Started(self.words, [sys.executable, *torchrun, str(TRAIN), *options])], True)
        with socket.socket() as probe:
            probe.bind(("", 0))
            port = probe.getsockname()[1]
        same = {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
        places = [{**same, "RANK": str(rank), "LOCAL_RANK": str(rank)} for rank in (0, 1)]
        return Ranks([Forked(self.scratch / f"words_{p['RANK']}.txt", self.warm, options, p) for p in places], False)

    def lose_ranks(self, ranks: "Ranks", rng: random.Random, longest: float) -> int | None:
        """As `killed`, but of the launcher or some of the ranks; all others must end by themselves."""
        code = ranks.wait(rng.uniform(0, longest) if longest else MOST)
        if code is None:
            assert longest, f"ranks go on after {MOST} s"
            self.longest = max(self.longest, ranks.lose(rng))
        for process in ranks.processes:
            process.check()
        return code

    def run(self, name: str, rng: random.Random, start: Callable, end: Callable, *more: str) -> int:
        """A run that is disturbed until it gets through, how often it was; its scores are those of one that nobody
        disturbed."""
        if name not in self.scores:
            self.scores[name] = self.get_through(name, random.Random(0), start, end, more)[0]
        scores, count = self.get_through(name, rng, start, end, more)
        assert scores == self.scores[name], (scores, self.scores[name])
        return count

    def get_through(
        self, name: str, rng: random.Random, start: Callable, end: Callable, more: tuple[str, ...]
    ) -> tuple[list, int]:
        """The scores of a run, and how often it was disturbed: the first of its name never."""
        folder, count, self.late = self.scratch / "run", 0, False
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        log = folder / "result_0.txt"
        again = ["--checkpoint", str(folder / "checkpoints"), "--resume"]
        options = [*self.endless.options(log), *again, *LONG, *more]
        begin = time.perf_counter()
        while (code := end(start(rng, options), rng, 1.2 * self.seconds.get(name, 0))) is None:
            count += 1
            begin = time.perf_counter()
            self.late = is_over(log)
            if self.late:
                break  # killed when all was said
            if log.exists() and not list((folder / "checkpoints").glob("epoch_*")):
                log.unlink()  # nothing to go on with: submit.py would put it aside
        else:
            assert code == 1, (code, self.words.read_text())  # its target is out of reach
            self.learn(name, time.perf_counter() - begin)
        found = list(read_log(log))
        assert all(isinstance(e, Event) for e in found)
        assert all(a.time_ms <= b.time_ms for a, b in itertools.pairwise(found))
        assert [[e.key for e in found].count(key) for key in ("seed", "run_start")] == [1, 1] and is_over(log)
        return [(e.metadata["epoch_num"], e.value) for e in found if e.key == "eval_accuracy"], count

    # Campaigns

    def campaign(self, rng: random.Random) -> int:
        """submit.py's set of runs."""
        from compliance.engine import judge
        from harness import submit
        from rules.current import current

        out = self.scratch / "set"
        kept = ["--checkpoint", str(self.scratch / "kept")] if rng.random() < 0.5 else []
        options = ["--problem", "many", *self.files(out, "many"), "--runs", str(RUNS), *kept, "epochs=12"]
        count = self.complete("campaign", rng, out, submit, options)
        folder = set_path(out / "Us", "laptop", "scaffold")
        if not (rules := self.scratch / "rules").exists():
            publish(folder / "result_0.txt", rules, RUNS)
        verdict = judge([out / "Us"], edition=current(), rules=rules)
        assert not (wrong := [f.text() for f in verdict.findings if f.severity == "error"]), wrong
        enter_all(folder)
        return count

    def tune(self, rng: random.Random) -> int:
        """tune.py's campaign of tuning."""
        from benchmark.tuning.folder import open_folder
        from harness import tune

        file, out, points = self.scratch / "first.yaml", self.scratch / "tuned", []
        file.write_text(CAMPAIGN)
        folder = campaign_path(out / "Us", "laptop", "scaffold", "first")

        def look() -> None:
            drawn = read_ledger(folder / LEDGER).entries if (folder / LEDGER).exists() else ()
            if any(isinstance(entry.said, Drawn) for entry in drawn):
                points.append([open_folder(folder).point(index) for index in range(TRIALS)])

        count = self.complete("tune", rng, out, tune, [str(file), *self.files(out, "tiny")], look)
        assert points and all(at == points[0] for at in points), points
        for index, point in enumerate(points[0]):
            log = folder / f"result_{index}.txt"
            settings = next(e.value for e in read_log(log) if isinstance(e, Event) and e.key == "hyperparameters")
            assert {name: settings[name] for name in point} == point, (index, settings, point)
        enter_all(folder)
        return count

    def files(self, out: Path, problem: str) -> list[str]:
        """Options of a campaign."""
        data = self.scratch / "many" if problem == "many" else self.tiny.data
        files = {"problems": self.tiny.problems, "config": self.tiny.config, "data": data, "out": out}
        named = {**files, "org": "Us", "system": "laptop"}
        return [part for name, value in named.items() for part in (f"--{name}", str(value))]

    def complete(
        self, name: str, rng: random.Random, out: Path, module: Any, options: list[str], look: Callable = lambda: None
    ) -> int:
        """A campaign whose command is given again until all of it is there, killed meanwhile: the command, one of its
        runs, or both. How often it was. `look` is called behind each kill."""
        Launcher.start = forked_start(self.warm)  # type: ignore[method-assign]  # in forks of this process

        def start() -> Started:
            if rng.random() < 0.1:
                return Started(self.words, [sys.executable, module.__file__, *options])
            return Started(self.words, lambda: module.main(options))

        def anew() -> None:
            for folder in (out, self.scratch / "kept"):
                shutil.rmtree(folder, ignore_errors=True)

        anew()
        if name not in self.seconds:
            self.undisturbed(name, start(), 0)
            anew()
        count, code = 0, None
        while code != 0:
            process = start()
            begin = time.perf_counter()
            code = process.wait(rng.uniform(0, self.seconds[name]))
            if code is not None:
                self.learn(name, time.perf_counter() - begin)
            if code is None:
                count += 1
                runs = [pid for at in (self.warm.process.pid, process.pid) for pid in started_by(at)[1:]]
                one = rng.random() < 0.3 and runs
                also = runs if rng.random() < 0.3 else []
                tell([rng.choice(runs)] if one else [process.pid, *also], signal.SIGKILL)
                code = process.wait(MOST)
                code = code if one else None
                look()
            said = self.words.read_text()
            assert code in (None, 0, 1) or (code == 2 and "--describe ended" in said), (code, said)
            process.check()
        look()
        return count


def main() -> int:
    """Kill, and say how often."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for kind, count in KINDS.items():
        parser.add_argument(f"--{kind}", type=int, default=count, help=f"kills (default: {count})")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        kills = Kills(Path(scratch))
        total = sum(
            until(getattr(args, kind), getattr(kills, kind), random.Random(f"{kind}/{args.seed}"), kind)
            for kind in KINDS
        )
        kills.warm.close()
    print(f"{total} kills, nothing lost; {sum(os.times()[:4]):.0f} s of the processor", end="; ")
    print(f"{kills.longest:.1f} s until the last rank of a run that lost one was gone")
    return 0


if __name__ == "__main__":
    sys.exit(main())
