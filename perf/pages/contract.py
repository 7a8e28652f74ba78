"""The generated parts of docs/implementing.md: the events of a log, the keys of each benchmark, settings, facts.

What an event means is in benchmark/run/keys.py, what the rules require of it in an edition, and which rules check it in
the checks (judged.py). `python perf/contract.py` writes the parts into the page.
"""

from collections.abc import Iterable

from benchmark.environment.manifest import NODE, RUN
from benchmark.run.keys import EVENTS, EventKey, Phase
from perf.pages.generated import table
from perf.pages.judged import judging
from rules.edition import Edition
from rules.key import Key

EVERY = ("LOG04", "LOG05", "LOG06", "LOG09")  # check each key that the edition lists; the page says so once
OFTEN = {  # events that come more than once or not in every run, and that no edition lists
    "resumed": "after an interruption",
    "staging_start": "where data is staged",
    "staging_stop": "where data is staged",
    "epoch_start": "every epoch",
    "tracked_stats": "every epoch",
    "epoch_stop": "every epoch",
    "dataset_fingerprint": "for each split",
    "eval_start": "every epoch",
    "eval_stop": "every epoch",
    "eval_accuracy": "every evaluation",
    "eval_error": "every evaluation",
    "init_stop": "always",
    "run_start": "always",
    "run_stop": "always",
    "energy_sources": "with energy",
    "energy_reading": "with energy",
    "compiled": "where a compiler may fail",
}
ONLY = {"throughput_only": "with `--steps`", "io_only": "with trials of the input", "trial": "in a campaign"}
ONLY |= {"settings_table": "with a table"}
KINDS = {"int": "integer", "string": "text", "bool": "true or false"}
EVENT = ("event", "type", "value", "metadata", "when", "checked by")  # heads of tables
OWN_KEY = ("event", "type", "closed division", "open division", "repeats the setting")
TITLES = {Phase.HEAD: "The head", Phase.RUN: "The run", Phase.DONE: "After the clock has stopped"}


def events(edition: Edition) -> str:
    """Return a table of the events of each phase, in their order."""
    codes = judging(frozenset(event.key for event in EVENTS), edition)
    parts = []
    for phase in Phase:
        rows = [row(event, edition, codes[event.key]) for event in EVENTS if event.phase is phase]
        parts.append(f"**{TITLES[phase]}.**\n\n{table(EVENT, rows)}\n")
    return "\n".join(parts)


def row(event: EventKey, edition: Edition, codes: Iterable[str]) -> tuple[str, ...]:
    """Return the cells of an event."""
    metadata = "; ".join(f"`{name.replace(', ', '`, `')}`: {said}" for name, said in event.metadata.items())
    rules = " ".join(code for code in codes if code not in EVERY)
    return f"`{event.key}`", kind(event.key, edition), event.value, metadata, when(event.key, edition), rules


def kind(key: str, edition: Edition) -> str:
    """Return the type of an event: that of an interval's edge, or that of its value."""
    if key.endswith(("_start", "_stop")):
        return key.rpartition("_")[2]
    wanted = found(key, edition)
    return KINDS.get(wanted.kind or "", wanted.kind or "") if wanted else ""


def when(key: str, edition: Edition) -> str:
    """Return when an event is needed: always, every epoch, under a condition, or where the edition leaves it free."""
    if key in OFTEN:
        return OFTEN[key]
    uses = {"ledger": edition.limits.ledger}
    uses |= {name: getattr(edition.limits, name).use for name in ("environment", "weights")}
    if key in uses:
        return uses[key]
    wanted = found(key, edition)
    if wanted and wanted.required:
        conditions = ", ".join(f"`{name}` is {str(value).lower()}" for name, value in wanted.only_if)
        return f"where {conditions}" if conditions else "always"
    return ONLY.get(key, "free")


def found(key: str, edition: Edition) -> Key | None:
    """Return what an edition requires of a key, whatever the benchmark."""
    return next((keys[key] for keys in edition.keys.values() if key in keys), None)


def benchmarks(edition: Edition) -> str:
    """Return a table of the keys that each benchmark has of its own, and of the settings that they repeat."""
    parts = []
    for name, benchmark in edition.benchmarks.items():
        repeated = {key: f"`{setting}`" for key, setting in benchmark.configured.items()}
        repeated |= {key: f"`{setting}`, in whole steps" for key, setting in benchmark.configured_in_steps.items()}
        rows = [own_row(key, edition.keys[name][key], repeated.get(key, "")) for key in benchmark.keys]
        parts.append(f"**{name}**\n\n{table(OWN_KEY, rows)}\n")
    return "\n".join(parts)


def own_row(key: str, wanted: Key, repeated: str) -> tuple[str, ...]:
    """Return the cells of a benchmark's own key."""
    conditions = "".join(f", where `{name}` is {value}" for name, value in wanted.only_if)
    limits = wanted.words or "any"
    cells = (f"`{key}`{conditions}", KINDS.get(wanted.kind or "", wanted.kind or ""), limits)
    return *cells, "any" if wanted.closed else limits, repeated


def settings(edition: Edition) -> str:
    """Return the settings that define the mathematics. `hyperparameters` may leave out those in brackets."""
    lines = []
    for name, benchmark in edition.benchmarks.items():
        names = ", ".join(f"(`{s}`)" if setting.optional else f"`{s}`" for s, setting in benchmark.settings.items())
        lines.append(f"- **{name}**: {names}")
    return "\n".join(lines) + "\n"


def facts(edition: Edition) -> str:
    """Return the names of the facts of an environment."""
    words: dict[type, str] = {dict: "object", list: "list", str: "text"}

    def named(known: dict[str, type]) -> str:
        return ", ".join(f"`{name}` ({words[kind]})" for name, kind in known.items())

    return f"- of the run: {named(RUN)}\n- of each kind of node: {named(NODE)}\n"


def parts(edition: Edition) -> dict[str, str]:
    """Return the generated parts of the page, by name."""
    return {
        "events": events(edition),
        "benchmarks": benchmarks(edition),
        "settings": settings(edition),
        "facts": facts(edition),
    }
