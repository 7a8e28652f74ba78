"""What the command line and the config of a run give, held against the settings that its log states."""

import hashlib
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import yaml

from benchmark.tuning.table import KEY, taken
from compliance.finding import show
from compliance.reading.environment import Environment
from compliance.reading.run import Run
from compliance.reading.values import is_number
from rules.edition import Benchmark
from rules.settings import Setting

LARGEST = 16 << 10  # characters of a config
MOST, LONGEST = 300, 200  # words of a command line, and characters of one, that are looked at
SETTING = re.compile(r"([a-z][a-z0-9_]{0,99})=(.*)", re.DOTALL)
OPTIONS = {  # of train.py -> the key of the log that says the same
    "--org": "submission_org",
    "--system": "submission_platform",
    "--division": "submission_division",
    "--status": "submission_status",
    "--problem": "problem",
}
RESOLVED = ("auto", None)  # what a run replaces by what it found


def differences(
    environment: Environment, run: Run, benchmark: Benchmark | None, above: frozenset[str] = frozenset()
) -> Iterator[tuple[str, str]]:
    """(found, wanted) of each setting that they give and the log states otherwise, and of a config that is not the one
    that the log names. `above`: the settings that a campaign of tuning gives, whatever they say. Those of a table
    count above the config, too, and the command line's above both."""
    words, text = environment.run["command"], environment.run["config"]
    if words is None:
        yield "no command line", "one"
        words = []
    digests = set(run.source.values()) if run.source else None
    if text is not None and digests is not None:
        digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()
        if digest not in digests:
            yield f"a config with the sha256 {digest}", "one that the log names as source"
    words = [word for word in words[:MOST] if type(word) is str and len(word) <= LONGEST]
    for option, value in options(words):
        if option in OPTIONS and run.value(OPTIONS[option]) not in (None, value):
            yield f"{option} {show(value)}", f"{show(run.value(OPTIONS[option]))}, as logged"
    logged = run.value("hyperparameters")
    if type(logged) is not dict:
        return
    table = of_table(run)
    for name, value in given(words, text, table).items():
        resolved = resolves(value, benchmark.settings.get(name) if benchmark else None)
        if name in logged and name not in above and not resolved and not same(value, logged[name]):
            yield f"{name} {show(value)}", f"{show(logged[name])}, as logged"


def options(words: list[str]) -> Iterator[tuple[str, str]]:
    """The options of a command line that have a value."""
    for word, after in pairwise([*words, ""]):
        if word.startswith("--"):
            name, equals, value = word.partition("=")
            yield name, value if equals else after


def of_table(run: Run) -> frozenset[str]:
    """The settings that a run has from a table, above its config; TUN10 holds the run against these."""
    try:
        found = taken(run.value(KEY))
    except ValueError:
        return frozenset()
    return frozenset(found.row.given.keys() - set(found.over))


def resolves(value: Any, setting: Setting | None) -> bool:
    """Whether a given value is one that the run replaces by what it found."""
    return value in RESOLVED or (is_number(value) and value == 0 and bool(setting and setting.machine))


def given(words: list[str], text: str | None, table: frozenset[str] = frozenset()) -> dict[str, Any]:
    """The settings that a config and a command line give by name, plain ones alone: the command line's count. The
    config's count but for those of a `table`."""
    config = _yaml(text) if text is not None else None
    config = config if type(config) is dict else {}
    found = {name: value for name, value in config.items() if type(name) is str and name not in table}
    found |= {match[1]: _yaml(match[2]) for word in words if (match := SETTING.fullmatch(word))}
    found |= {option[2:]: _yaml(f"[{value}]") for option, value in options(words) if option == "--layout"}
    return {name: value for name, value in found.items() if _is_plain(value)}


def same(value: Any, logged: Any) -> bool:
    """Whether a given value is the logged one, numbers by their value, however they are written."""
    if type(value) is list and type(logged) is list:
        return len(value) == len(logged) and all(map(same, value, logged))
    if is_number(logged) and type(logged) is not bool:
        try:
            return float(value) == float(logged) if type(value) in (int, float, str) else False
        except (ValueError, OverflowError):
            return False
    return value == logged and type(value) is type(logged)


def _is_plain(value: Any) -> bool:
    values = value if type(value) is list else [value]
    return all(one is None or type(one) in (str, float, bool) or is_number(one) for one in values)


class _Plain(yaml.SafeLoader):
    """YAML without references, which let a small text stand for a huge one."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("a reference")
        return super().compose_node(parent, index)


def _yaml(text: str) -> Any:
    """What a text says as YAML; None of one that is none, has references or is too large."""
    try:
        return yaml.load(text, _Plain) if len(text) <= LARGEST else None
    except (ValueError, ArithmeticError, LookupError, AttributeError, RecursionError, yaml.YAMLError):
        return None  # the last but two: of a tag over a text that is none of its kind, such as `!!bool x`
