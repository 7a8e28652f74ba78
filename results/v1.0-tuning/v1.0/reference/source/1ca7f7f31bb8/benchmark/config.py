"""Configuration: YAML into frozen dataclasses, strictly. A typo is an error, not a default."""

import dataclasses
import difflib
import reprlib
import types
import typing
from pathlib import Path
from typing import Any, TypeVar

import yaml

T = TypeVar("T")
SHORT = reprlib.Repr()
SHORT.maxstring = SHORT.maxother = SHORT.maxlong = 100
SHORT.maxlevel = 3  # of lists in lists, each up to six values of which are shown


def read_yaml(path: Path) -> Any:
    """The content of a YAML file we trust to be ours (safe-loaded all the same).

    Raises ValueError naming the file when it is missing or no YAML.
    """
    return parse_yaml(read_bytes(path), path)


def read_bytes(path: Path) -> bytes:
    """The bytes of a YAML file. Raises ValueError naming the file when it is missing."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ValueError(f"{path}: cannot be read as YAML: {error}") from None


def parse_yaml(data: bytes, path: Path) -> Any:
    """The content of a YAML file that holds `data`. Raises ValueError naming the file when it is no YAML."""
    try:
        return yaml.safe_load(data.decode())
    except RecursionError:
        raise ValueError(f"{path}: cannot be read as YAML: found values nested too deep") from None
    except (ValueError, yaml.YAMLError) as error:  # a ValueError: no UTF-8, a date or a number that Python has not
        raise ValueError(f"{path}: cannot be read as YAML: {error}") from None


def build(cls: type[T], values: Any, where: str) -> T:
    """A `cls` (a frozen dataclass) from a mapping; nested dataclasses and tuples are built too.

    `where` opens every message, e.g. "problems.yaml: smoke". Raises ValueError for an unknown field
    (with the nearest known name), a missing one, or a value of another type.
    """
    if not isinstance(values, dict):
        raise ValueError(f"{where}: found {shown(values)}, wanted a mapping of {cls.__name__} fields")
    fields = {f.name: f for f in dataclasses.fields(cls) if f.init}
    for name in values:
        if name not in fields:
            raise ValueError(f"{where}: unknown field {shown(name)}{suggest(str(name)[:100], fields)}")
    hints = typing.get_type_hints(cls)
    built = {name: convert(hints[name], value, f"{where}.{name}") for name, value in values.items()}
    for name, field in fields.items():
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if required and name not in built:
            raise ValueError(f"{where}: field {name!r} is missing")
    try:
        return cls(**built)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def suggest(name: str, known: typing.Iterable[str]) -> str:
    """ "; did you mean 'x'?" or the list of what is known, to end an error message with."""
    known = list(known)
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(map(str, known))}"


def convert(hint: Any, value: Any, where: str) -> Any:
    """`value` as the annotated type: int, float, bool, str, tuple[...], X | None or a dataclass."""
    if dataclasses.is_dataclass(hint):
        return build(hint, value, where)
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        if value is None and type(None) in args:
            return None
        rest = [a for a in args if a is not type(None)]
        return convert(rest[0], value, where)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise ValueError(f"{where}: found {shown(value)}, wanted a list")
        if len(args) == 2 and args[1] is Ellipsis:
            args = (args[0],) * len(value)
        if len(args) != len(value):
            raise ValueError(f"{where}: found {len(value)} values, wanted {len(args)}")
        return tuple(convert(a, v, f"{where}[{i}]") for i, (a, v) in enumerate(zip(args, value, strict=True)))
    if hint is float and type(value) is int:
        try:
            return float(value)
        except OverflowError:
            raise ValueError(f"{where}: found {shown(value)}, wanted a number that a float can hold") from None
    if hint in (int, float, str, bool) and type(value) is not hint:
        raise ValueError(f"{where}: found {shown(value)} ({type(value).__name__}), wanted {hint.__name__}")
    return value


def override(config: T, assignments: typing.Sequence[str], where: str = "command line") -> T:
    """`config` with `field=value` assignments applied; values are read as YAML scalars."""
    changes: dict[str, Any] = {}
    for text in assignments:
        name, sign, value = text.partition("=")
        if not sign:
            raise ValueError(f"{where}: found {text!r}, wanted field=value")
        try:
            changes[name] = number(yaml.safe_load(value))
        except (yaml.YAMLError, ValueError, RecursionError):
            raise ValueError(f"{where}: {name}: {shown(value)} is not a YAML value") from None
    return build(type(config), {**shallow(config), **changes}, where)


def shown(value: Any) -> str:
    """A value for a message: its repr, whose length and depth are bounded. Anchors in YAML can make it endless."""
    return SHORT.repr(value)


def number(value: Any) -> Any:
    """YAML 1.1 reads 1e-3 as a string; people mean the number."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value


def shallow(config: Any) -> dict[str, Any]:
    """The init fields of a dataclass as a dict of plain values, fit for `build`."""
    return {f.name: plain(getattr(config, f.name)) for f in dataclasses.fields(config) if f.init}


def plain(value: Any) -> Any:
    """Dataclasses as dicts and tuples as lists, all the way down: what YAML and JSON can hold."""
    if dataclasses.is_dataclass(value):
        return shallow(value)
    if isinstance(value, tuple | list):
        return [plain(v) for v in value]
    return value
