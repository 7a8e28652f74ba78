"""Select the edition of the rules: the one asked for, or the one that the round's folder names.

Neither what a submission says of itself nor a folder in it decides.
"""

import contextlib
import datetime
import functools
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark.log import Event, read_log
from compliance.reading.digest import is_sha256
from compliance.reading.tree import RESULTS, LogFile, Set, Submission, place_of
from compliance.rule import CHECKS
from rules.current import OURS, editions, version
from rules.edition import Edition, load

VERSION = re.compile(r"v(\d+\.\d+)(?!\d)")
Target = Submission | Set | LogFile
HEAD = 400  # events of a log that are searched for its benchmark, and lines for its year


@dataclass(frozen=True)
class Round:
    """What one edition judges: the submissions in one folder, or a set or a log by itself. Files are read once."""

    members: tuple[Target, ...]

    @functools.cached_property
    def benchmarks(self) -> set[str]:
        """Return the benchmarks of all members."""
        return set().union(*map(_benchmarks, self.members))

    @functools.cached_property
    def year(self) -> int | None:
        """Return the year of most members' logs, the latest of equally frequent ones; None where no log has a time."""
        years = Counter(year for member in self.members if (year := _year_of(_logs(member))))
        return max(years, key=lambda year: (years[year], year)) if years else None


def rounds_of(submissions: Sequence[Submission]) -> list[Round]:
    """Return the round of each submission, in their order. A round is all submissions in the same folder."""
    folders = [s.path.resolve().parent for s in submissions]
    members: dict[Path, list[Submission]] = defaultdict(list)
    for folder, submission in zip(folders, submissions, strict=True):
        members[folder].append(submission)
    rounds = {folder: Round(tuple(found)) for folder, found in members.items()}
    return [rounds[folder] for folder in folders]


def select_edition(target: Target, name: str | None, root: Path, together: Round | None = None) -> Edition:
    """Return the edition for a submission, a set or a log. `together` is the round that a submission belongs to.

    `name` overrides everything; otherwise a folder that is named for an edition decides. Rounds of MLPerf HPC come in
    folders of any name. For these, the candidates are the editions that know all benchmarks; a version in a folder's
    name decides among them, and then the year of the round's logs.
    """
    if name:
        return complete(name, root)
    together = together or Round((target,))
    exact = editions(root)
    fitting = functools.cache(  # opens logs, where no folder is named exactly
        lambda: _fitting([complete(n, root) for n in exact], target, together)
    )
    for folder in _folders(target, exact):
        if folder.name in exact:
            return complete(folder.name, root)
        version = VERSION.search(folder.name)
        named = [e for e in fitting() if e.name.endswith(f"v{version[1]}")] if version else []
        if named:
            return _of_year(named, together)
    return _of_year(fitting(), together)


def of_namesake(target: Target, edition: Edition, root: Path) -> str:
    """Return why a target in a folder that names one of our editions is of MLPerf HPC's round of that name: its logs
    are that old, and name no edition. Return "" for any other target."""
    name = f"mlperf-hpc-{edition.name}"
    logs = _logs(target)
    if name not in editions(root) or round_folder(target, edition.name) is None or not logs:
        return ""
    year = _year_of(logs)
    if year is None or year > load(name, root).limits.year:
        return ""
    if any(event.key == "rules_edition" for event in _head(logs[0].file)):
        return ""
    said = f"its logs, of {year}, look like those of MLPerf HPC {edition.name}, and a folder above it names our edition"
    return f"{said} {edition.name}: judge it with --rules {name}, or call the folder hpc_results_{edition.name}"


def round_folder(target: Target, edition: str) -> Path | None:
    """Return the folder that names the edition of a target's round, None if no folder does."""
    return next((folder for folder in _folders(target, [edition]) if folder.name == edition), None)


def _folders(target: Target, exact: Collection[str]) -> list[Path]:
    """Return the folders that may name the round's edition, in the order of precedence.

    First come those between a folder `results` and the given path that have an `exact` name, then those from the given
    path down to the submission's, all from the outside in, so that no folder of a submitter decides; then the others
    above the given path, from the inside out.
    """
    home = _home(target).resolve()
    given = target.given.resolve() if not isinstance(target, LogFile) else home
    above = home.parents
    inside = [p for p in above if p.is_relative_to(given)] if home != given else []
    outside = [p for p in above if p not in inside]
    at = next((i for i, p in enumerate(outside) if p.name == RESULTS), 0) if given.name != RESULTS else 0
    rounds = [p for p in outside[:at] if p.name in exact]
    return [*reversed(rounds), *reversed(inside), *(p for p in outside if p not in rounds)]


def _fitting(known: list[Edition], target: Target, together: Round) -> list[Edition]:
    """Return the editions that know all benchmarks of the round, or else of the target, or else the default."""
    for benchmarks in (together.benchmarks, _benchmarks(target)):
        fitting = [e for e in known if benchmarks <= set(e.benchmarks)]
        if fitting:
            return fitting
    return _newest(known) or known


def _of_year(fitting: list[Edition], together: Round) -> Edition:
    """Return the edition of the round's year, or else the default, or else the last."""
    year = together.year if len(fitting) > 1 else None
    of_year = [e for e in fitting if year and e.limits.year == year]
    return (of_year or _newest(fitting) or fitting[-1:])[0]


def _newest(known: list[Edition]) -> list[Edition]:
    """Return the newest edition of this project's rounds that is no draft in a list, [] if there is none."""
    ours = [e for e in known if OURS.fullmatch(e.name) and not e.limits.draft]
    return sorted(ours, key=lambda e: version(e.name))[-1:]


def _home(target: Target) -> Path:
    """Return the folder of the submission; the folders above it are the round's."""
    if isinstance(target, Submission):
        return target.path
    return place_of(target.path if isinstance(target, Set) else target.file.resolve().parent).home


def _benchmarks(target: Target) -> set[str]:
    """Return the benchmarks that the folders name, or else those that the logs name."""
    folders = {runs.benchmark for runs in _sets(target)} - {""}
    return folders or {name for log in _logs(target) if (name := _named(log.file))}


def _logs(target: Target) -> list[LogFile]:
    """Return the logs that represent a target: the first of up to three sets."""
    return [target] if isinstance(target, LogFile) else [runs.logs[0] for runs in _sets(target)[:3] if runs.logs]


def _sets(target: Target) -> tuple[Set, ...]:
    """Return the sets of a target, none of a log."""
    if isinstance(target, Submission):
        return target.sets
    return (target,) if isinstance(target, Set) else ()


def _year_of(logs: Iterable[LogFile]) -> int | None:
    """Return the year of the first event in the first log that has one."""
    for log in logs:
        with contextlib.suppress(OverflowError, ValueError, TypeError):
            if first := next(_head(log.file), None):
                return datetime.datetime.fromtimestamp(first.time_ms / 1000, datetime.UTC).year
    return None


def _head(path: Path) -> Iterator[Event]:
    """Yield the first events of a log, none of one that can't be read."""
    with contextlib.suppress(OSError):
        yield from (item for item in itertools.islice(read_log(path), HEAD) if type(item) is Event)


def _named(path: Path) -> str | None:
    """Return the benchmark that a log names, None if there is none among its first events."""
    named = (event.value for event in _head(path) if event.key == "submission_benchmark")
    return next((name for name in named if type(name) is str), None)


@functools.lru_cache(maxsize=64)
def complete(name: str, root: Path) -> Edition:
    """Load an edition. Raises ValueError if one of its problems lacks a number that a rule in force needs."""
    edition = load(name, root)
    of_dice = {name for name, benchmark in edition.benchmarks.items() if benchmark.score == "dice"}
    of_classes = of_dice | {problem.benchmark for problem in edition.problems.values() if problem.class_counts}
    for n, problem in edition.problems.items():
        mean = edition.benchmarks[problem.benchmark].score == "mean"
        missing = gaps(edition.limits.problems[n], edition.codes, mean, problem.benchmark in of_classes)
        if found := ", ".join(f"{number} ({code})" for number, code in missing):
            wanted = "the numbers that these rules hold runs against"
            raise ValueError(f"{edition.name}/limits.yaml: problems.{n}: found no {found}, wanted {wanted}")
    return edition


def gaps(values: dict[str, Any], codes: AbstractSet[str], mean: bool, classes: bool) -> Iterator[tuple[str, str]]:
    """Yield (number, rule) of each number that a problem lacks or has malformed, and a rule among `codes` needs.

    `values` is the problem in limits.yaml. `mean`: its score is a mean of sums. `classes`: its data has classes. A
    problem with `site_data: true` has data from elsewhere, without published fingerprints and counts.
    """
    published = not values.get("site_data")
    applies = {"outputs": mean, "fingerprints": published, "class_counts": published and classes}
    for code in sorted(codes & CHECKS.keys()):
        for name in CHECKS[code].needs:
            if applies.get(name.partition(".")[0], True) and not _is_one(name, _at(values, name)):
                yield name, code


def _at(values: Any, name: str) -> Any:
    for part in name.split("."):
        values = values.get(part) if isinstance(values, dict) else None
    return values


def _is_one(name: str, value: Any) -> bool:
    if name.startswith(("problem_digest", "fingerprints")):
        return is_sha256(value)
    counts = value if name.startswith("class_counts") else [value]
    return isinstance(counts, list | tuple) and bool(counts) and all(type(n) is int and n > 0 for n in counts)
