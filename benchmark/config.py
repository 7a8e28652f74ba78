"""Read YAML into frozen dataclasses. A mistyped field is an error and never falls back to a default."""

import dataclasses
import difflib
import operator
import reprlib
import types
import typing
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import yaml

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")
MOST_NUMBER = 2**53  # of any setting: up to here JSON and floats hold whole numbers
LIMITS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {  # of a setting: words of an error, and what must hold
    "least": ("{} or more", operator.ge),
    "above": ("more than {}", operator.gt),
    "below": ("less than {}", operator.lt),
    "most": ("at most {}", operator.le),
}
SHORT = reprlib.Repr()
SHORT.maxstring = SHORT.maxother = SHORT.maxlong = 100
SHORT.maxlevel = 3  # of lists in lists, each up to six values of which are shown


def read_yaml(path: Path) -> Any:
    """Return the content of a YAML file of this project, which is safe-loaded all the same.

    Raises ValueError, naming the file, when it is missing or not valid YAML.
    """
    return parse_yaml(read_bytes(path), path)


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a YAML file. Raises ValueError, naming the file, when it cannot be read."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None


def parse_yaml(data: bytes, path: Path) -> Any:
    """Return the content of a YAML file that holds `data`. Raises ValueError, naming the file, for invalid YAML."""
    try:
        return yaml.safe_load(data.decode())
    except RecursionError:
        raise ValueError(f"{path}: cannot be read as YAML: found values nested too deep") from None
    except (LookupError, AttributeError):  # PyYAML's own errors
        raise ValueError(f"{path}: cannot be read as YAML: found a tag, such as !!int, on no value of it") from None
    except (ValueError, yaml.YAMLError) as error:  # a ValueError: no UTF-8, a date or a number that Python has not
        raise ValueError(f"{path}: cannot be read as YAML: {error}") from None


def build(cls: type[T], values: Any, where: str) -> T:
    """Return a `cls` (a frozen dataclass) made from a mapping. Nested dataclasses and tuples are built too.

    Every message begins with `where`, for instance "problems.yaml: smoke". Raises ValueError for an unknown field,
    with the nearest known name, for a missing field, and for a value of another type.
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


def setting(
    default: Any, *, least: float | None = None, above: float | None = None, below: float | None = None,
    most: float | None = None, choices: tuple[str, ...] = (), machine: bool = False,
) -> Any:  # fmt: skip
    """Return the field of a setting of runs, with its default and what it may be: `least` and `most` are allowed,
    `above` and `below` are not. A setting of the `machine` changes how a machine computes and not what is trained."""
    limits = {"least": least, "above": above, "below": below, "most": most, "choices": choices, "machine": machine}
    return dataclasses.field(default=default, metadata=limits)


@dataclasses.dataclass(frozen=True)
class Settings:
    """Settings of runs, which a frozen dataclass on top of this one names by `setting`."""

    def __post_init__(self) -> None:
        check_settings(self)


def check_settings(config: "DataclassInstance") -> None:
    """Raise ValueError, naming the field, for a setting outside the limits of its field, and for a number, in a field
    or in a list, that is infinite, NaN or beyond 2^53."""
    for field in dataclasses.fields(config):
        value, limits = getattr(config, field.name), field.metadata
        for number in value if isinstance(value, tuple) else [value]:
            if isinstance(number, int | float) and not -MOST_NUMBER <= number <= MOST_NUMBER:
                raise ValueError(f"{field.name}: found {shown(number)}, wanted a number between -2^53 and 2^53")
        if limits.get("choices") and value not in limits["choices"]:
            raise ValueError(f"{field.name}: found {value!r}, wanted one of {', '.join(limits['choices'])}")
        for name, (words, holds) in LIMITS.items():
            if (limit := limits.get(name)) is not None and not holds(value, limit):
                raise ValueError(f"{field.name}: found {value}, wanted {words.format(limit)}")


def load_settings(cls: type[T], path: Path, data: bytes, assignments: typing.Sequence[str]) -> T:
    """Return the settings of class `cls` in a YAML file, whose content is `data`, with `field=value` assignments on
    top. Raises ValueError for an unknown field or a value that is not allowed."""
    config = build(cls, parse_yaml(data, path) or {}, str(path))
    return override(config, assignments) if assignments else config


def machine_settings(cls: "type[DataclassInstance]") -> list[str]:
    """Return the names of the settings that concern the machine, in order."""
    return [field.name for field in dataclasses.fields(cls) if field.metadata.get("machine")]


def suggest(name: str, known: typing.Iterable[str]) -> str:
    """Return the end of an error message: "; did you mean 'x'?", or the list of known names."""
    known = list(known)
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(map(str, known))}"


def convert(hint: Any, value: Any, where: str) -> Any:
    """Return `value` as the annotated type `hint`: int, float, bool, str, tuple[...], X | None or a dataclass.

    Raises ValueError, which begins with `where`, for a value of another type.
    """
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
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
    if hint is float:
        value = number(value)
    if hint is float and type(value) is int:
        try:
            return float(value)
        except OverflowError:
            raise ValueError(f"{where}: found {shown(value)}, wanted a number that a float can hold") from None
    if hint in (int, float, str, bool) and type(value) is not hint:
        raise ValueError(f"{where}: found {shown(value)} ({type(value).__name__}), wanted {hint.__name__}")
    return value


def override(config: T, assignments: typing.Sequence[str], where: str = "command line") -> T:
    """Return `config` with the `field=value` assignments applied. Values are read as YAML.

    Raises ValueError, which begins with `where`, for an assignment that is not one, and as `build` does.
    """
    changes: dict[str, Any] = {}
    for text in assignments:
        name, sign, value = text.partition("=")
        if not sign:
            raise ValueError(f"{where}: found {text!r}, wanted field=value")
        try:
            changes[name] = yaml.safe_load(value)
        except (yaml.YAMLError, ValueError, RecursionError, LookupError, AttributeError):
            raise ValueError(f"{where}: {name}: {shown(value)} is not a YAML value") from None
    return build(type(config), {**shallow(config), **changes}, where)


def shown(value: Any) -> str:
    """Return the repr of a value for a message, bounded in length and depth: YAML's anchors can be endless."""
    return SHORT.repr(value)


def number(value: Any) -> Any:
    """Return the number that a text spells, and any other value as it is: YAML 1.1 reads 1e-3 as a text."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value


def shallow(config: Any) -> dict[str, Any]:
    """Return the init fields of a dataclass as a dict of plain values, from which `build` makes it again."""
    return {f.name: plain(getattr(config, f.name)) for f in dataclasses.fields(config) if f.init}


def plain(value: Any) -> Any:
    """Return a value as YAML and JSON can hold it: dataclasses as dicts and tuples as lists, at every depth."""
    if dataclasses.is_dataclass(value):
        return shallow(value)
    if isinstance(value, tuple | list):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {name: plain(v) for name, v in value.items()}
    return value
