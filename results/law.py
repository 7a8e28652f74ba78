"""What the rules say that a score depends on: the edition, the target, the number of runs. The door to `rules`."""

from dataclasses import dataclass
from functools import lru_cache

from compliance.discover import LogFile, Set
from compliance.selection import select_edition
from results.run import Run, number, text
from results.submission import RunSet
from rules.edition import ROOT, Edition, load


@dataclass(frozen=True)
class Law:
    """`runs`: how many the rules want of a set; `target` of the metric. None where the rules are silent."""

    runs: int | None = None
    target: float | None = None
    higher_is_better: bool | None = None


@lru_cache(maxsize=64)
def edition_named(name: str) -> Edition | None:
    """An edition of the rules, None if there is none of that name."""
    try:
        return load(name)
    except ValueError:
        return None


def edition_of(runs: RunSet, asked: str | None = None) -> str | None:
    """The name of the edition that a set is held against: the one asked for, or what folders and logs say."""
    logs = tuple(LogFile(log, str(log), None) for log in (runs.logs or runs.pruned)[:1])
    target = Set(runs.folder, str(runs.folder), runs.id.system, runs.id.scaling, runs.id.benchmark, logs)
    try:
        return select_edition(target, asked, ROOT).name
    except (ValueError, IndexError):  # the rules that come with this tool are damaged or gone
        return None


def law(edition: str | None, benchmark: str, run: Run | None = None) -> Law:
    """What a run of a set in a folder named `benchmark` is held against.

    A folder of another name (a set on its own, perhaps) leaves it to the log to say which benchmark it is. Where the
    rules know no target, the log's own stands: the judge has the last word on that.
    """
    rules = edition_named(edition) if edition else None
    claimed = number(run.value("target")) if run else None
    if rules is None:
        return Law(target=claimed)
    name = benchmark if benchmark in rules.benchmarks or run is None else text(run.value("submission_benchmark"))
    known = rules.benchmarks.get(name or "")
    if known is None:
        return Law(target=claimed)
    problem = rules.problems.get(text(run.value("problem")) or "") if run else None
    targets = [known.target, problem.target if problem else None, claimed]
    return Law(known.runs, next((t for t in targets if t is not None), None), not known.lower)
