"""Hold what is stated of a run against its environment manifest: the system description; and the command line and the
config that the manifest has against the settings that the log states."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import yaml

from benchmark.tuning.table import KEY, taken
from compliance.finding import show
from compliance.reading.environment import Environment
from compliance.reading.run import Run
from compliance.reading.values import count_of, is_number
from rules.limits import Benchmark
from rules.names import folded

COUNTS = {
    "host_processors_per_node": "sockets",
    "host_processor_core_count": "cores",
    "host_processor_vcpu_count": "threads",
}
UNITS = {"MB": 1e6, "GB": 1e9, "TB": 1e12, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
CAPACITY = re.compile(r"\s*(\d{1,12}(?:\.\d{1,6})?)\s*([MGT]i?B)\b", re.IGNORECASE)


def contradictions(environment: Environment, description: Mapping[str, Any], apart: float) -> Iterator[tuple[str, str]]:
    """Yield (field of the description, what the manifest has instead) wherever they disagree.

    Capacities may differ by `apart`, a share of the described one. A field is skipped if either side lacks it or has
    no such number or name.
    """
    node = environment.node
    processors = node["processors"] or {}
    for field, name in COUNTS.items():
        said, found = count_of(description.get(field)), processors.get(name)
        if said is not None and is_number(found) and found != said:
            yield field, f"{show(found)} {name}"
    if count_of(description.get("accelerators_per_node")) == 0 and (listed := node["accelerators"]):
        yield "accelerators_per_node", f"{len(listed)} accelerators"
    version = (node["torch"] or {}).get("version")
    for what, found, field in (
        ("processor", processors.get("model"), "host_processor_model_name"),
        ("PyTorch", version.partition("+")[0] if type(version) is str else None, "framework"),
        ("operating system", node["operating_system"], "operating_system"),
    ):
        said = description.get(field)
        if found and type(found) is type(said) is str and not _of_one_name(found, said):
            yield field, f"{what} {show(found)}"
    first, gib = (node["accelerators"] or [None])[0], (node["memory"] or {}).get("gib")
    memory = capacity(first.get("memory.total")) if type(first) is dict else None
    for what, found, field in (
        ("memory", gib * 2**30 if is_number(gib) else None, "host_memory_capacity"),
        ("accelerator memory", memory, "accelerator_memory_capacity"),
    ):
        size = capacity(description.get(field))
        if found and size and abs(found - size) > apart * size:
            yield field, f"{found / 2**30:.4g} GiB of {what}"


def capacity(text: Any) -> float | None:
    """Return the bytes of a capacity such as "1536 GiB"; None for anything else."""
    match = CAPACITY.match(text) if type(text) is str else None
    return float(match[1]) * UNITS[match[2].upper()] if match else None


def _of_one_name(one: str, other: str) -> bool:
    """Return whether one name is part of the other, apart from case, spaces and punctuation."""
    a, b = folded(one), folded(other)
    return a in b or b in a


LARGEST = 16 << 10  # characters of a config
MOST, LONGEST = 300, 200  # words of a command line that are read, and characters of a word
SETTING = re.compile(r"([a-z][a-z0-9_]{0,99})=(.*)", re.DOTALL)
OPTIONS = {  # option of train.py -> key of the log
    "--org": "submission_org",
    "--system": "submission_platform",
    "--division": "submission_division",
    "--status": "submission_status",
    "--problem": "problem",
}
REHEARSAL = "rehearsal"  # the origin of a seed that --rehearsal-seed gives
RESOLVED = ("auto", None)  # values that a run replaces by one that it chooses


def differences(
    environment: Environment, run: Run, benchmark: Benchmark, above: frozenset[str] = frozenset()
) -> Iterator[tuple[str, str]]:
    """Yield (found, wanted) for each option and setting that the log states differently, and for a config that the log
    does not name as source.

    The command line overrides a table, and a table overrides the config. `above` are the settings that a campaign of
    tuning gives, which override all of these.
    """
    words, text = environment.run["command"], environment.run["config"]
    if words is None:
        yield "no command line", "one"
        words = []
    digests = set(run.source.values()) if run.source else None
    if text is not None and digests is not None:
        digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()
        if digest not in digests:
            yield f"a config with the sha256 {digest}", "one that the log names as source"
    words = _read(words)
    for option, value in options(words):
        if option in OPTIONS and run.value(OPTIONS[option]) not in (None, value):
            yield f"{option} {show(value)} here, {show(run.value(OPTIONS[option]))} in the log", "one value"
        elif wanted := _of_another_run(option, value, run):
            yield f"{option} {show(value)}", wanted
    logged = run.value("hyperparameters")
    for name, value in _asked(environment, run, benchmark, above).items() if type(logged) is dict else ():
        if name in logged and not same(value, logged[name]):
            yield f"{name} {show(value)} here, {show(logged[name])} in the log", "one value"


def unlogged(environment: Environment, run: Run, benchmark: Benchmark, above: frozenset[str]) -> list[str]:
    """Return the settings of command line and config that the log does not state at all, except those in `above` and
    those that a run resolves itself."""
    logged = run.value("hyperparameters")
    asked = _asked(environment, run, benchmark, above) if type(logged) is dict else {}
    return [name for name in asked if name not in logged]


def _asked(environment: Environment, run: Run, benchmark: Benchmark, above: frozenset[str]) -> dict[str, Any]:
    words, text = environment.run["command"] or [], environment.run["config"]
    found = given(_read(words), text, of_table(run))
    return {n: value for n, value in found.items() if n not in above and not resolves(value, n, benchmark)}


def _read(words: list[Any]) -> list[str]:
    """Return the words of a command line that are read."""
    return [word for word in words[:MOST] if type(word) is str and len(word) <= LONGEST]


def _of_another_run(option: str, value: str, run: Run) -> str:
    """Return what is wanted if an option of the command line is of another run than the log is: of one with another
    name or another seed, or of measured steps. Return "" otherwise."""
    if option == "--log" and value.endswith(".txt") and value.rpartition("/")[2] != run.file.name:
        return f"{run.file.name}, as the log is named"
    if option == "--steps" and not run.throughput_only and value != "0":
        return "none, as the log is of a whole run"
    entry, source = (run.origin.entry, run.origin.source) if run.origin else (None, None)
    if option == "--entry" and value != str(entry):
        return f"{entry}, as logged" if entry is not None else "none, as the log names no entry"
    return "none, as the log says no rehearsal" if option == "--rehearsal-seed" and source != REHEARSAL else ""


def options(words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the options of a command line with their values."""
    for word, after in pairwise([*words, ""]):
        if word.startswith("--"):
            name, equals, value = word.partition("=")
            yield name, value if equals else after


def of_table(run: Run) -> frozenset[str]:
    """Return the settings that a run took from a table instead of its config; TUN10 checks these."""
    try:
        found = taken(run.value(KEY))
    except ValueError:
        return frozenset()
    return frozenset(found.row.given.keys() - set(found.over))


def resolves(value: Any, name: str, benchmark: Benchmark) -> bool:
    """Return whether the run replaces this value of a setting by one that it chooses. That may be a 0, unless the
    setting is one that defines what is trained."""
    zero = is_number(value) and value == 0
    return value in RESOLVED or (zero and name not in benchmark.settings)


def given(words: list[str], text: str | None, table: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return the plain settings of config and command line, by name. The command line overrides the config, of which
    the settings in `table` are left out."""
    config = _yaml(text) if text is not None else None
    config = config if type(config) is dict else {}
    found = {name: value for name, value in config.items() if type(name) is str and name not in table}
    found |= {match[1]: _yaml(match[2]) for word in words if (match := SETTING.fullmatch(word))}
    found |= {option[2:]: _yaml(f"[{value}]") for option, value in options(words) if option == "--layout"}
    return {name: value for name, value in found.items() if _is_plain(value)}


def same(value: Any, logged: Any) -> bool:
    """Return whether a given value is the logged one. Numbers are compared by value, however they are written."""
    if type(value) is list and type(logged) is list:
        return len(value) == len(logged) and all(map(same, value, logged))
    if is_number(logged):
        try:
            return float(value) == float(logged) if type(value) in (int, float, str) else False
        except (ValueError, OverflowError):
            return False
    return value == logged and type(value) is type(logged)


def _is_plain(value: Any) -> bool:
    values = value if type(value) is list else [value]
    return all(one is None or type(one) in (str, float, bool) or is_number(one) for one in values)


class _Plain(yaml.SafeLoader):
    """YAML without aliases, by which a small text can unfold to a huge one."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("a reference")
        return super().compose_node(parent, index)


def _yaml(text: str) -> Any:
    """Return the value of a text in YAML; None if it is malformed, too large or has aliases."""
    try:
        return yaml.load(text, _Plain) if len(text) <= LARGEST else None
    except (ValueError, ArithmeticError, LookupError, AttributeError, RecursionError, yaml.YAMLError):
        return None  # AttributeError: from a tag that does not fit its text, such as `!!bool x`
