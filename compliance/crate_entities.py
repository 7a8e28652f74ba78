"""The entities of a submission's RO-Crate: its files and folders, its runs, and what ran. See compliance/crate.py.

Submitted text is cut, made printable and, in an identifier, percent-encoded. A time beyond the year 9999 is left out.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from compliance.reading.files import SubmissionFiles
from compliance.reading.run import Run
from compliance.reading.source import Folder, fitting, sound
from compliance.reading.tree import Entry
from compliance.safe import address, printable
from compliance.verdict import SetVerdict

Entity = dict[str, Any]

METADATA = "ro-crate-metadata.json"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LAST = 253_402_300_800_000  # milliseconds since 1970, the end of the year 9999
MOST_TEXT = 200  # characters that are kept of a submitted text
FORMATS = {".txt": "text/plain", ".json": "application/json", ".jsonl": "application/jsonl"}
PACKAGES = {  # those whose versions logs give, and their home pages
    "python": "https://www.python.org/",
    "torch": "https://pytorch.org/",
    "numpy": "https://numpy.org/",
    "h5py": "https://www.h5py.org/",
    "mlperf_logging": "https://github.com/mlcommons/logging",
}
NO_SOURCE = "source that the run does not name, or the submission does not hold"
DONE, FAILED = "http://schema.org/CompletedActionStatus", "http://schema.org/FailedActionStatus"


class Parts:
    """The files and folders of a submission that a crate names.

    `files` are system descriptions, files of sets (logs, ledgers, weights) and files at the top, such as a README.
    `top` are the files outside of sets.
    """

    def __init__(self, listing: SubmissionFiles, sets: tuple[SetVerdict, ...]):
        self.name, self.sources = listing.submission.name.rstrip("/"), listing.folders
        self.sets = {self.path(runs.path): runs for runs in sets}
        self.files: list[Entity] = []
        self.held: dict[tuple[str, ...], list[Entity]] = {}  # by the path of their set, () outside of sets
        for entry in listing.submission.entries:
            place = next((at for at in (entry.parts[:-1], entry.parts[:-2]) if at in self.sets), ())
            named = place or len(entry.parts) == 1 or entry.parts[0] == "systems"
            if entry.kind == "file" and named and entry.parts != (METADATA,):
                self.files.append(file := file_of(entry))
                self.held.setdefault(place, []).append(file)
        self._fitting = cache(lambda files: fitting(dict(files), self.sources))

    @property
    def top(self) -> list[Entity]:
        return self.held.get((), [])

    def path(self, found: str) -> tuple[str, ...]:
        """Return the parts of a path relative to the submission, from the path in findings."""
        return tuple(found.removeprefix(f"{self.name}/").split("/"))

    def folders(self) -> Iterator[Entity]:
        """Yield the entities for folders of source and for sets."""
        for folder in self.sources:
            what = {"name": f"source {text(folder.parts[-1])}", "programmingLanguage": "Python", "version": folder.name}
            yield {"@id": folder_id(folder.parts), "@type": ["Dataset", "SoftwareSourceCode"], **what}
        for path, runs in self.sets.items():
            name = text(f"{runs.benchmark} on {runs.system}, {runs.scaling} scaling")
            yield {
                "@id": folder_id(path),
                "@type": "Dataset",
                "name": name,
                **single("hasPart", self.held.get(path, [])),
            }

    def source_of(self, run: Run) -> Folder | None:
        """Return the folder that holds most of the files that a run loaded, None if there is none."""
        files = sound(run.source)
        return self._fitting(tuple(files.items())) if files else None


def file_of(entry: Entry) -> Entity:
    """Return the entity for a file."""
    form = FORMATS.get(PurePosixPath(entry.parts[-1]).suffix, "application/octet-stream")
    size = {"contentSize": str(entry.size), "encodingFormat": form}
    return {"@id": file_id(entry.parts), "@type": "File", "name": text("/".join(entry.parts)), **size}


def action(run: Run, parts: Parts, files: set[str]) -> Iterator[Entity]:
    """Yield the entities for a run or a throughput measurement: the action, its source, problem, figures and packages.
    `files` are the identifiers of the crate's files."""
    path = parts.path(run.path)
    log, problem = file_id(path), text(run.problem or run.benchmark)
    weights = file_id((*path[:-1], "weights", f"{path[-1].removesuffix('.txt')}.safetensors"))
    kind, figures = "measurement of steps" if run.throughput_only else "training run", list(figures_of(run, log))
    results = [{"@id": log}, *([{"@id": weights}] if weights in files else ()), *figures]
    start, stop = run.start_ms or (run.init and run.init.time_ms), run.stop_ms
    missed = {"actionStatus": FAILED, "error": "no evaluation met the target"}
    times = {"startTime": moment(start), "endTime": moment(stop)}
    source = parts.source_of(run)
    yield {
        "@id": f"#run-{log}",
        "@type": "CreateAction",
        "name": text(f"{kind} {'' if run.number is None else run.number} of {problem}"),
        "description": text(f"A {kind} of {run.benchmark} in the {run.division} division, logged in {'/'.join(path)}"),
        **{name: time for name, time in times.items() if time},
        "agent": {"@id": "#submitter"},
        "instrument": {"@id": folder_id(source.parts) if source else "#software"},
        "object": {"@id": f"#problem-{address(problem)}"},
        **single("result", results),
        **({"actionStatus": DONE} if run.converged or run.throughput_only else missed),
    }
    if not source:
        yield {"@id": "#software", "@type": "SoftwareApplication", "name": NO_SOURCE}
    yield {"@id": f"#problem-{address(problem)}", "@type": "CreativeWork", "name": f"problem {problem}"}
    yield from figures
    yield from packages(run)


def figures_of(run: Run, log: str) -> Iterator[Entity]:
    """Yield the time to target in seconds, and the score that met the target, as the checker computed them."""
    if run.passing and run.seconds is not None:
        yield figure(f"#seconds-{log}", "time to target", run.seconds) | {"unitText": "s"}
        yield figure(f"#score-{log}", text(run.metric), run.passing.value)


def figure(id: str, name: str, value: float) -> Entity:
    return {"@id": id, "@type": "PropertyValue", "name": name, "value": value}


def packages(run: Run) -> Iterator[Entity]:
    """Yield the packages whose versions a run logs."""
    versions = run.value("versions")
    for name, url in PACKAGES.items():
        if type(versions) is dict and type(version := versions.get(name)) is str:
            said = {"name": name, "softwareVersion": text(version), "url": url}
            yield {"@id": f"#{name}-{address(text(version))}", "@type": "SoftwareApplication", **said}


def moment(milliseconds: int | None) -> str | None:
    """Return milliseconds since 1970 as ISO 8601; None for no time and for one outside the years 1970 to 9999."""
    if milliseconds is None or not 0 <= milliseconds < LAST:
        return None
    return (EPOCH + timedelta(milliseconds=milliseconds)).isoformat(timespec="milliseconds")


def text(found: str) -> str:
    """Return submitted text, printable and cut to MOST_TEXT characters."""
    return printable(found[:MOST_TEXT]) or "unnamed"


def file_id(parts: tuple[str, ...]) -> str:
    return address("/".join(parts))


def folder_id(parts: tuple[str, ...]) -> str:
    return f"{file_id(parts)}/"


def single(name: str, entities: Iterable[Entity]) -> Entity:
    """Return a property that refers to entities: to a list or a single one; {} for no entity."""
    found = [{"@id": entity["@id"]} for entity in entities]
    return {name: found if len(found) > 1 else found[0]} if found else {}
