"""Real objects for tests of one check: those of v1.0 and of an empty log, but for what a test names."""

from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from benchmark.log import Event
from compliance.reading.across import Across
from compliance.reading.files import Description, SubmissionFiles
from compliance.reading.log import Log
from compliance.reading.place import SetPlace
from compliance.reading.run import Fact, Run, run_of
from compliance.reading.series import Evaluation, Evaluations
from compliance.reading.terms import Terms
from compliance.reading.timeline import Scored, Timeline
from compliance.reading.tree import LogFile, Place, Set, Submission
from rules.edition import Edition, load
from rules.limits import Benchmark, Published
from tests.compliance.logs import read

OURS = load("v1.0")
START = 1_800_000_000_000  # milliseconds since 1970
NAMES = {kind: frozenset(field.name for field in fields(kind)) for kind in (Terms, Benchmark, Edition)}


def edition(of: Edition = OURS, /, **changes: Any) -> Edition:
    """An edition with other fields and limits. A dict changes fields of a part of the limits, such as `clock`."""
    own = {name: changes.pop(name) for name in NAMES[Edition] & changes.keys()}
    parts = {name: changed(getattr(of.limits, name), value) for name, value in changes.items()}
    return replace(of, limits=replace(of.limits, **parts), **own)


def changed(part: Any, value: Any) -> Any:
    return replace(part, **value) if is_dataclass(part) and isinstance(value, dict) else value


def terms(of: Edition = OURS, /, benchmark: str = "scaffold", **changes: Any) -> Terms:
    """Terms without a problem, in the closed division. Each name is of a field of the terms, of the benchmark, of the
    edition or of its limits, the first that has it."""
    own = {name: changes.pop(name) for name in NAMES[Terms] & changes.keys()}
    known = replace(of.benchmarks[benchmark], **{n: changes.pop(n) for n in NAMES[Benchmark] & changes.keys()})
    usual = {"keys": of.keys[benchmark], "problem": None, "division": "closed"}
    return Terms(edition(of, **changes), benchmark, known, **{**usual, **own})


def published(**changes: Any) -> Published:
    """A problem of `scaffold` with 8 samples and 4, of which nothing else is published."""
    return Published(**{"benchmark": "scaffold", "target": 0.95, "train_samples": 8, "eval_samples": 4, **changes})


def event(key: str, line: int = 1, time_ms: Any = START, value: Any = None, **metadata: Any) -> Event:
    return Event(line, time_ms, "POINT_IN_TIME", key, value, metadata)


def log_of(**values: Any) -> Log:
    """A log of these values, once each, from line 1 on."""
    return read(*(event(key, line, value=value) for line, (key, value) in enumerate(values.items(), 1)))


def timeline(seconds: float | None = None, line: int = 7, **changes: Any) -> Timeline:
    """A timeline without events; with run_start, and run_stop in this line, of a run of so many seconds."""
    usual: dict[str, Any] = {"start": None, "stop": None, "scores": (), "inside": (), "passing": None, "late": None}
    if seconds is not None:
        usual |= {"start": event("run_start"), "stop": event("run_stop", line, START + 1000 * seconds)}
    return Timeline(**{**usual, **changes})


def scores(*values: Any, epochs: Any = None, key: str = "score") -> tuple[Scored, ...]:
    """Scores in lines 1, 2, ... of epochs 1, 2, ... or of others."""
    events = [event(key, line, value=value) for line, value in enumerate(values, 1)]
    return tuple(Scored(e, n, False) for e, n in zip(events, epochs or range(1, len(values) + 1), strict=True))


def run(number: int | None = 0, at: int = 7, values: dict[str, Any] | None = None, **changes: Any) -> Run:
    """Run `number` of a set, with these values of keys, all in line `at`, and other fields. Evaluations may be scores,
    in lines and epochs 1, 2, ..., a second each."""
    path = f"result_{number}.txt"
    made = run_of(Log(path), terms(), timeline(), LogFile(Path(path), path, number))
    told = changes.pop("evaluations", ())
    if told and not isinstance(told[0], Evaluation):
        told = [Evaluation(i, START + 1000 * i, i, None, score) for i, score in enumerate(told, 1)]
    facts = {key: Fact(at, value) for key, value in (values or {}).items()}
    return replace(made, **{"facts": facts, "evaluations": Evaluations(told), **changes})


def a_set(scaling: str = "strong", system: str = "box", org: str = "acme", name: str = "strong", **changes: Any) -> Set:
    """A set's folder without logs."""
    home = Place("v1.0", org, system, scaling, "scaffold", Path(org), **changes)
    return Set(Path(name), name, Path(name), home, ())


def submission(org: str = "", *sets: Set) -> Submission:
    return Submission(Path(org), org, Path(org), (), sets)


def described(data: dict[str, Any] | None, system: str = "box") -> Description:
    """A system description, whose fields stand in lines 1, 2, ..."""
    text = "\n".join(f'"{name}":' for name in data or ())
    return Description(("systems", f"{system}.json"), data, text)


def files(*runs: Run, of: Edition = OURS, org: str = "acme", sets: tuple[Set, ...] = (), **changes: Any):
    """A submission's files: its runs and sets alone."""
    return SubmissionFiles(submission(org, *sets), runs, of, **changes)


def place(data: dict[str, Any] | None = None, *, of: Set | None = None, org: str = "acme", **changes: Any) -> SetPlace:
    """The place of a set of a submission with this system description."""
    return SetPlace(of or a_set(), **{"submission": submission(org), "description": described(data), **changes})


def across(*runs: Run, of: Edition = OURS, **known: Any) -> Across:
    """Runs of one submission that are judged together. `known` is what is not looked up in their files."""
    made = Across(list(runs), {run.path: of for run in runs}, {run.path: Path("acme") for run in runs})
    vars(made).update(known)
    return made
