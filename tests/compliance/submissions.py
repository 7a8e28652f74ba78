"""Good submissions for tests to damage."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import safetensors.numpy

from benchmark.run.files import LEDGER, environment_path
from benchmark.run.ledger import commitment
from benchmark.source import combine
from benchmark.tree import THROUGHPUT, receipts_path, result_path, source_path, system_path
from compliance.register import KEYS
from rules.registry import Entry, Registry, Request
from rules.witness import Receipt, Start
from tests.compliance.environments import manifest
from tests.compliance.ledgers import Campaign
from tests.compliance.logs import (
    CODE,
    SOURCE,
    SYSTEM,
    digests,
    good,
    log_text,
    mean_run,
    reading,
    sha256,
    steps_alone,
    with_energy,
)
from tests.support.witness import FakeWitness
from tests.support.witness import write as write_receipts


class Tree:
    """A good submission of five runs; tests change logs and files, then judge it. `options` are those of judging it,
    `at` is the index of the log that is damaged where nothing else is said."""

    at, description = 2, SYSTEM

    def __init__(
        self,
        root: Path,
        runs: int = 5,
        scaling: str = "strong",
        benchmark: str = "scaffold",
        make=good,
        org: str = "acme",
        system: str = "box",
        source=SOURCE,
    ):
        self.system = system
        self.root, self.scaling, self.benchmark, self.options = root / "v1.0" / org, scaling, benchmark, {}
        self.source = source_path(self.root, combine(digests(source).items()))
        self.implementation = self.source / CODE
        for name, text in source.items():
            self.put(self.source / name, text)
        self.logs = [make(i) for i in range(runs)]
        self.write_system(self.description)
        for index in range(runs):
            self.write(index)

    def put(self, path: Path, text: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def path(self, index: int) -> Path:
        """The log of run `index`."""
        return result_path(self.root, self.system, self.benchmark, index, self.scaling)

    def write(self, index: int) -> Path:
        """Write a log again, after it was changed."""
        return self.logs[index].write(self.path(index))

    def written(self, event: dict, index: int | None = None) -> int:
        """Write the log again that is damaged, or another one, after an event was changed; the line of the event."""
        index = self.at if index is None else index
        self.write(index)
        return self.logs[index].line(event)

    def into(self, edition: str) -> None:
        """Move the submission into a round of another edition."""
        folder = self.root.parent.rename(self.root.parents[1] / edition)
        self.root = folder / self.root.name
        for index, log in enumerate(self.logs):
            log.one("rules_edition")["value"] = edition
            self.write(index)

    def write_system(self, fields: dict) -> Path:
        return self.put(system_path(self.root, self.system), json.dumps(fields, indent=2))

    def described(self, **fields) -> int:
        """Change fields of the system description; the line of the first of them."""
        text = self.write_system({**self.description, **fields}).read_text()
        return 1 + text[: text.index(f'"{next(iter(fields))}"')].count("\n")

    def changed(self, key, index=None, nth=0, metadata=None, **fields) -> int:
        """Change fields of the nth event of a key in a log; its line."""
        event = self.logs[self.at if index is None else index].one(key, nth)
        event.update(fields)
        event["metadata"].update(metadata or {})
        return self.written(event, index)

    def removed(self, *keys, epoch=None) -> None:
        """Remove the events of keys (of one epoch)."""
        self.logs[self.at].drop(*keys, epoch=epoch)
        self.write(self.at)

    def inserted(self, before, event) -> int:
        """Insert an event before another; its line."""
        self.logs[self.at].insert(before, event)
        return self.written(event)

    def moved(self, event, before) -> int:
        """Move an event before another, to its time; its line."""
        self.logs[self.at].move(event, before)
        return self.written(event)

    def settings(self, index=None, **fields) -> int:
        """Change hyperparameters of a log (`...` takes one away), and their digest with them; the line."""
        log = self.logs[self.at if index is None else index]
        log.settings(**fields)
        return self.written(log.one("hyperparameters"), index)

    def learning_rate(self, rate: float, index: int | None = None) -> int:
        """Give a run another learning rate; the line of its hyperparameters."""
        self.changed("opt_base_learning_rate", index, value=rate)
        return self.settings(index, learning_rate=rate)

    def on_two_nodes(self, index: int | None = None) -> int:
        """Let the two ranks of a run be on two nodes; the line of their number."""
        (named,) = self.logs[self.at if index is None else index].one("devices")["value"]
        self.changed("devices", index, value=[{**named, "host": host, "ranks": 1} for host in ("n1", "n2")])
        return self.changed("number_of_nodes", index, value=2)

    def files(self, index: int = 0) -> dict[str, str]:
        """The files that run `index` logs."""
        return self.logs[index].one("source")["metadata"]["files"]

    def loads(self, files, *runs: int, **metadata) -> int:
        """Lets runs (all, if none is named) log other files; the line."""
        for index in runs or range(len(self.logs)):
            event = self.logs[index].one("source")
            event["metadata"].update(files=files, **metadata)
            event["value"] = combine(files.items()) if type(files) is dict else "?"
            self.write(index)
        return self.logs[0].line_of("source")

    def ran(self, *runs: int, folder: Path | None = None) -> int:
        """Lets runs log the folder of source as it is now, and gives it its name; the line."""
        folder = folder or self.source
        files = {p.relative_to(folder).as_posix(): sha256(p) for p in sorted(folder.rglob("*")) if p.is_file()}
        named = source_path(self.root, combine(files.items()))
        folder.rename(named)
        if folder == self.source:
            self.source, self.implementation = named, named / CODE
        return self.loads(files, *runs)

    def add(self, name: str, text: str) -> int:
        """Another file of source, which all runs loaded, or more lines in one; the line of the first."""
        path = self.source / name
        old = path.read_text() if path.exists() else ""
        self.put(path, old + text)
        self.ran()
        return old.count("\n") + 1

    def power(self, readings: list[dict], result: str = "result_2") -> Path:
        """A node's readings, beside a result."""
        return self.put(self.path(self.at).parent / "power" / result / "node_0.txt", log_text(readings))

    def weights(self, index: int) -> Path:
        """The final weights of run `index`."""
        return self.path(index).parent / "weights" / f"result_{index}.safetensors"

    def weigh(self, index: int, state: dict[str, np.ndarray] | bytes) -> int:
        """Lets a run have other weights, or a file of these bytes, and log them; the line."""
        data = state if isinstance(state, bytes) else safetensors.numpy.save(state)
        path = self.weights(index)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        facts = {"bytes": len(data), "path": f"weights/{path.name}"}
        return self.changed("weights", index, value=hashlib.sha256(data).hexdigest(), metadata=facts)

    @property
    def ledger(self) -> Path:
        """The launch ledger."""
        return self.path(0).parent / LEDGER

    def launch(self, before: Callable[[Campaign, int], None] | None = None, steps: Callable | None = None) -> Campaign:
        """Writes the ledger and all logs anew; `before` adds what comes before run i: see `tried`. `steps`, given the
        ledger and the events, is what happens in place of run 2."""
        campaign = Campaign()
        for index, log in enumerate(self.logs):
            if before:
                before(campaign, index)
            if steps and index == 2:
                steps(campaign, log.events)
            else:
                campaign.run(log.events, f"result_{index}.txt")
            self.write(index)
        campaign.write(self.ledger.parent)
        return campaign

    def started_otherwise(self, **other) -> None:
        """Lets run 2 have another start in the ledger."""

        def steps(campaign: Campaign, events) -> None:
            number = campaign.start(events, "result_2.txt", **other)
            campaign.state(events, number)
            campaign.finish(number, events, log_text(events))

        self.launch(steps=steps)

    def tried(
        self, campaign: Campaign, index: int, status: str | None = None, name: str = "", ago=600, took=120
    ) -> int:
        """Another start of run `index`, so many seconds before; it ended a while later, or not at all."""
        events = self.logs[index].events
        time = next(e["time_ms"] for e in events if e["key"] == "init_start") - 1000 * ago
        seed = commitment(index + len(campaign.lines))
        number = campaign.start(events, name or f"result_{index}.txt", time_ms=time, seed_commitment=seed)
        if status:
            campaign.end(number, f"another log {number}", status, time + 1000 * took)
        return number

    def witness_all(self) -> None:
        """Has the round's witness see all runs, as their logs are now, and publish its chain."""
        self.witness, self.receipts = FakeWitness(), {}
        for index in range(len(self.logs)):
            self.attend(index)
        self.witness.publish(self.root.parent)

    def attend(self, index: int, run: str = "", **fields) -> None:
        """Tells the witness of a run, from the log as it is now; `fields` of what is told at the start differ."""
        log = self.logs[index]
        told = {name: log.one(key)["value"] for key, name in KEYS.items()} | {"log": f"result_{index}.txt"} | fields
        start = Start(**told, run=run or f"{index + 1:032x}")
        first = self.witness.receipt(start, log.one("init_start")["time_ms"] - 2000)
        self.changed("seed", index, value=first.seed, metadata={"source": "witness", "entry": 1})
        self.keep(index, [first, *self.witness.steps(start.run, log.events, log.text())])

    def keep(self, index: int, receipts: list[Receipt]) -> Path:
        """Lets a run have these receipts."""
        self.receipts[index] = receipts
        return write_receipts(receipts_path(self.path(index)), receipts)


class Weak(Tree):
    """A good throughput set: six instances of one node, two at a time, on a system of two; one was pruned."""

    def __init__(self, root: Path):
        super().__init__(root, runs=6, scaling="weak")
        self.described(number_of_nodes="2")
        start = self.logs[0].events[0]["time_ms"]
        for index, log in enumerate(self.logs):
            shift = start + 3_600_000 * (index // 2) - log.events[0]["time_ms"]
            log.shift(shift)
            log.one("devices")["value"][0]["host"] = f"n{1 + index % 2}"
            self.write(index)

    def path(self, index: int) -> Path:
        path = super().path(index)
        return path if index < 5 else path.parent / "pruned_results" / path.name


class Study(Tree):
    """A good submission that has a scaling study beside its five runs, logs 5 to 7: of 1, 2 and 4 ranks."""

    at = 6

    def __init__(self, root: Path):
        super().__init__(root)
        self.logs += [steps_alone(10 + i, ranks) for i, ranks in enumerate((1, 2, 4))]
        for index in (5, 6, 7):
            self.write(index)

    def path(self, index: int) -> Path:
        return super().path(index) if index < 5 else result_path(self.root, "box", "scaffold", index - 5, THROUGHPUT)


class Measured(Tree):
    """A good submission with the power of run 2: one node, a reading a second, from before to after the run."""

    def __init__(self, root: Path):
        super().__init__(root)
        start, stop = (self.logs[2].one(key)["time_ms"] for key in ("run_start", "run_stop"))
        self.readings = [reading(time) for time in range(start - 1000, stop + 1001, 1000)]
        self.measure()

    def measure(self, result: str = "result_2") -> Path:
        """Write the node's readings again, after they were changed, beside a result."""
        return self.power(self.readings, result)


class Metered(Tree):
    """A good submission whose runs read the counters of a node's two processors, of 200 W each."""

    def __init__(self, root: Path):
        super().__init__(root)
        self.described(host_processors_per_node="2")
        for index in range(len(self.logs)):
            self.logs[index] = with_energy(self.logs[index])
            self.write(index)

    @property
    def readings(self) -> list[dict]:
        """The readings of run 2."""
        return self.logs[2].all("energy_reading")

    def line(self, at: int) -> int:
        """The line of a reading of run 2."""
        return self.logs[2].line(self.readings[at])

    def read(self, at: int, change: Callable[[dict], object], **metadata) -> int:
        """Change a reading of run 2; its line."""
        event = self.readings[at]
        change(event["value"])
        event["metadata"].update(metadata)
        self.write(2)
        return self.line(at)

    def scaled(self, factor: float) -> int:
        """Multiply all joules of run 2; the line of the last reading."""
        for at in range(len(self.readings)):
            line = self.read(at, lambda value: value.update(joules=[factor * x for x in value["joules"]]))
        return line

    def sourced(self, at: int, index: int = 2, **fields) -> int:
        """Change a counter; the line."""
        value = self.logs[index].one("energy_sources")["value"]
        value[at].update(fields)
        return self.changed("energy_sources", index, value=value)

    def drop(self, at: int, index: int) -> None:
        """Leave a counter out."""
        log = self.logs[index]
        del log.one("energy_sources")["value"][at]
        for event in log.all("energy_reading"):
            for name in ("time_ms", "joules"):
                del event["value"][name][at]
        self.write(index)


class Registered(Tree):
    """A good submission whose runs use the seeds of entry 2 of the round's registry; entry 1 is another entrant's."""

    def __init__(self, root: Path):
        super().__init__(root)
        self.registry = Registry("v1.0")
        self.register(organisation="bolt")
        self.assign(self.register())

    def register(self, drawn: str = "2026-03-31T22:40:00Z", **fields) -> Entry:
        """Another entry, an hour before the first run, for what the runs are; `fields` differ."""
        told = {name: self.logs[0].one(key)["value"] for key, name in KEYS.items()}
        nonce = f"{len(self.registry.entries) + 1:064x}"
        entry = self.registry.draw(Request(**{**told, **fields}), drawn, nonce)
        self.write_registry(self.registry.text)
        return entry

    def write_registry(self, text: str) -> Path:
        return self.put(self.root.parent / "registry.yaml", text)

    def assign(self, entry: Entry, *runs: int) -> int:
        """Lets runs (all, if none is named) use the seeds of an entry; the line."""
        for index in runs or range(len(self.logs)):
            named = {"source": "registry", "entry": entry.entry}
            line = self.changed("seed", index, value=entry.seed(index), metadata=named)
        return line

    def fresh(self, *runs: int) -> int:
        """Lets runs (all, if none is named) use seeds that they drew themselves; the line."""
        for index in runs or range(len(self.logs)):
            value = good(index).one("seed")["value"]
            line = self.changed("seed", index, value=value, metadata={"source": "os.urandom", "entry": None})
        return line


class Witnessed(Tree):
    """A good submission whose runs have receipts of the round's witness, and seeds that follow from them. The chain is
    published."""

    def __init__(self, root: Path):
        super().__init__(root)
        self.witness_all()


def tensors(seed: int, shapes: dict[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
    """Tensors of these shapes, of numbers that follow from a seed."""
    rng = np.random.Generator(np.random.Philox(seed))
    return {name: rng.standard_normal(shape).astype("f4") for name, shape in shapes.items()}


class Weighted(Tree):
    """A good submission with the final weights of each run: two tensors of numbers, 1234 in all."""

    def __init__(self, root: Path, make=good):
        super().__init__(root, make=make)
        for index, log in enumerate(self.logs):
            log.add("weights")
            self.weigh(index, self.state(index))

    def state(self, seed: int) -> dict[str, np.ndarray]:
        """The weights of a run."""
        return tensors(seed, {"a.weight": (30, 40), "b.bias": (34,)})


class Surveyed:
    """What submissions have whose runs have environments: one node, two ranks."""

    def survey_all(self, **settings) -> None:
        """Gives each run a manifest, and the settings that this names beside `settings`."""
        self.manifests = [manifest() for _ in self.logs]
        for index, log in enumerate(self.logs):
            log.add("environment")
            event, stop = log.events.pop(), log.one("init_stop")
            log.events.insert(log.events.index(stop), {**event, "time_ms": stop["time_ms"]})
            self.settings(index, layout=[2, 1, 1, 1], **settings)
            self.survey(index)

    def environment(self, index: int) -> Path:
        """The manifest of log `index`."""
        return environment_path(self.path(index))

    def survey(self, index: int, data: bytes | None = None) -> int:
        """Writes the manifest of a run again, after it was changed, or these bytes, and lets the log name it; the
        line."""
        data = json.dumps(self.manifests[index]).encode() if data is None else data
        path = self.environment(index)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        facts = {"bytes": len(data), "path": path.name}
        return self.changed("environment", index, value=hashlib.sha256(data).hexdigest(), metadata=facts)

    def fact(self, name: str, value: object, index: int | None = None) -> None:
        """Lets a run's manifest have another value, of the run or of its first node."""
        index = self.at if index is None else index
        content = self.manifests[index]
        facts = content["run"] if name in content["run"] else content["nodes"][0]["facts"]
        facts[name] = {"value": value, "origin": "a test"}
        self.survey(index)


class Environed(Surveyed, Tree):
    """A good submission with the environment of each run."""

    def __init__(self, root: Path):
        super().__init__(root)
        self.survey_all(epochs=60)


class Probed(Surveyed, Tree):
    """The runs of another benchmark, a day later, with the environment of each."""

    def __init__(self, root: Path):
        super().__init__(root, benchmark="probe", make=lambda index: mean_run(index + 30))
        self.survey_all(epochs=60)


class Launched(Tree):
    """A good submission with a launch ledger: runs 0 to 4, each started once."""

    def __init__(self, root: Path):
        super().__init__(root)
        self.launch()

    @property
    def lines(self) -> list[bytes]:
        """Its lines, with their ends."""
        return self.ledger.read_bytes().splitlines(keepends=True)
