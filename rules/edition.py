"""Load an edition of the rules: rules/<edition>/limits.yaml as the dataclasses of limits.py, the releases whose files
runs may load, and the rules' texts."""

import dataclasses
import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from benchmark.config import build, read_bytes, read_yaml, suggest
from rules.current import ROOT, editions, is_draft
from rules.key import Key
from rules.limits import SEVERITIES, Benchmark, Limits, Published, one_of
from rules.patch import patched
from rules.reference import ReferencePoint, reference_points
from rules.settings import settings_of
from rules.text import Rule, read_texts

TEXTS = "texts"
RELEASES = "releases.yaml"


@dataclass(frozen=True)
class Edition:
    """One edition: its rules by code, its limits, and the releases whose files runs may load."""

    name: str
    folder: Path
    rules: dict[str, Rule]
    limits: Limits
    benchmarks: dict[str, Benchmark]
    problems: dict[str, Published]
    keys: dict[str, dict[str, Key]]  # benchmark -> key name -> Key, common keys first
    releases: dict[str, dict[str, str]]  # name of a release -> path -> sha256: rules/release.py

    @functools.cached_property
    def codes(self) -> frozenset[str]:
        """The codes of its rules."""
        return frozenset(self.rules)

    def points(self, benchmark: str, problem: str | None) -> dict[int, ReferencePoint]:
        """The reference convergence points of a problem by batch size; those of its benchmark where it has no name."""
        named = self.problems.get(problem or "")
        if named is not None and named.benchmark == benchmark:
            return named.reference_epochs
        known = self.benchmarks.get(benchmark)
        return known.reference_epochs if known and not problem else {}

    def __reduce__(self) -> tuple[Any, ...]:  # pickled by name: a worker process loads its own
        return (load, (self.name, self.folder.parent))


def load(name: str, root: Path = ROOT) -> Edition:
    """Load the edition of that name, with the texts in `root` or, without any, this project's.

    Raises ValueError for an unknown name, and with file, found and wanted for a malformed limits.yaml.
    """
    return loaded(name, root)  # once, whether or not the caller names `root`


@functools.lru_cache(maxsize=64)
def loaded(name: str, root: Path) -> Edition:
    """What `load` returns, kept for the next call."""
    if name not in editions(root):
        raise ValueError(f"no edition {name!r} of the rules{suggest(name, editions(root))}")
    where = f"{name}/limits.yaml"
    limits = build(Limits, _read_limits(name, root), where)
    if limits.draft != is_draft(name, root):
        raise ValueError(f"{where}: draft: found another spelling, wanted the line `draft: true`, or none")
    texts = read_texts(next(folder / TEXTS for folder in (root, ROOT) if (folder / TEXTS).is_dir()))
    common = _keys(limits.keys, where)
    benchmarks = {n: build(Benchmark, values, f"{where}: benchmarks.{n}") for n, values in limits.benchmarks.items()}
    keys = {n: {**common, **_keys(b.keys, where)} for n, b in benchmarks.items()}
    rules = _in_force(limits, texts, where)
    if limits.energy is None and limits.rules.get("ENE"):
        raise ValueError(f"{where}: energy: found none, wanted the limits of the rules ENE")
    problems = {n: _published(values, f"{where}: problems.{n}") for n, values in limits.problems.items()}
    for n, problem in problems.items():
        if problem.benchmark not in benchmarks:
            found = f"{where}: problems.{n}: benchmark: found {problem.benchmark!r}"
            raise ValueError(f"{found}, wanted the edition's{suggest(problem.benchmark, benchmarks)}")
    return Edition(
        name=name,
        folder=root / name,
        rules=rules,
        limits=limits,
        benchmarks={n: _benchmark(b, limits, keys[n], f"{where}: benchmarks.{n}") for n, b in benchmarks.items()},
        problems=problems,
        keys=keys,
        releases=_read_releases(name, limits.based_on, root),
    )


def _read(path: Path) -> Any:
    """Return the content of an edition's file. libyaml reads it ten times as fast as Python, but crashes on values that
    are nested deeply, so nothing that is handed in is read this way. Raises ValueError as `read_yaml` does."""
    try:
        return yaml.load(read_bytes(path), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (ValueError, yaml.YAMLError):
        return read_yaml(path)  # it says what is wrong


def _read_limits(name: str, root: Path) -> Any:
    """Read limits.yaml, on top of that of the edition in `based_on`."""
    values = _read(root / name / "limits.yaml")
    base = values.get("based_on") if isinstance(values, dict) else None
    if base is None:
        return values
    where, known = f"{name}/limits.yaml", [n for n in editions(root) if n != name]
    if base not in known:
        raise ValueError(f"{where}: based_on: no edition {base!r}{suggest(str(base), known)}")
    below = _read(root / base / "limits.yaml")
    if not isinstance(below, dict) or "based_on" in below:
        raise ValueError(f"{where}: based_on: found {base!r}, wanted an edition that is based on no other")
    return patched(below, values, where)


def _read_releases(name: str, base: str | None, root: Path) -> dict[str, dict[str, str]]:
    """Read releases.yaml of an edition, and of the one that it is based on, as far as they have some."""
    found: dict[str, dict[str, str]] = {}
    for folder in (root / base, root / name) if base else (root / name,):
        if (folder / RELEASES).is_file():
            values = _read(folder / RELEASES)
            if not isinstance(values, dict) or not all(isinstance(files, dict) for files in values.values()):
                raise ValueError(f"{folder.name}/{RELEASES}: found another form, wanted name: {{path: sha256}}")
            found |= values
    return found


def _in_force(limits: Limits, texts: dict[str, Rule], where: str) -> dict[str, Rule]:
    """Return the rules of an edition by code, in its order."""
    rules: dict[str, Rule] = {}
    for family, codes in limits.rules.items():
        if not isinstance(codes, list):
            raise ValueError(f"{where}: rules.{family}: found {codes!r}, wanted a list of codes")
        for code in codes:
            _known(code, texts, f"{where}: rules.{family}")
            if code in rules:
                raise ValueError(f"{where}: rules.{family}: {code} is listed twice")
            if texts[code].path.stem != family:
                raise ValueError(f"{where}: rules.{family}: found {code}, wanted codes of this family")
            rules[code] = texts[code]
    for code, severity in limits.severity.items():
        _known(code, rules, f"{where}: severity")
        one_of(f"{where}: severity.{code}", severity, SEVERITIES)
    return rules


def _known(code: Any, rules: dict[str, Rule], where: str) -> None:
    if code not in rules:
        raise ValueError(f"{where}: unknown rule {code!r}{suggest(str(code), rules)}")


def _keys(values: dict[str, Any], where: str) -> dict[str, Key]:
    return {name: build(Key, fields or {}, f"{where}: keys.{name}") for name, fields in values.items()}


def _benchmark(benchmark: Benchmark, limits: Limits, keys: dict[str, Key], where: str) -> Benchmark:
    settings = settings_of({**limits.settings, **benchmark.settings}, keys, benchmark.configured, where)
    points = reference_points(benchmark.reference_epochs, f"{where}.reference_epochs")
    return dataclasses.replace(benchmark, settings=settings, reference_epochs=points)


def _published(values: Any, where: str) -> Published:
    published = build(Published, values, where)
    counts = {split: tuple(c) for split, c in published.class_counts.items()}
    points = reference_points(published.reference_epochs, f"{where}.reference_epochs")
    band = replay_band(published.replay, f"{where}.replay")
    return dataclasses.replace(published, class_counts=counts, reference_epochs=points, replay=band)


def replay_band(values: Any, where: str) -> dict[int, tuple[float, float]]:
    """Parse `replay` of a problem: epoch -> how far an honest replay on another machine may be from the log, in the
    relative loss and in the score. Raises ValueError, which begins with `where`, for a malformed value."""
    band = {}
    for epoch, limits in values.items():
        sound = isinstance(limits, list) and len(limits) == 2 and all(type(x) in (int, float) for x in limits)
        if type(epoch) is not int or epoch < 1 or not sound or not all(0 < x < 1 for x in limits):
            raise ValueError(
                f"{where}: found {epoch!r}: {limits!r}, wanted an epoch: [loss, score], each within 0 to 1"
            )
        band[epoch] = (float(limits[0]), float(limits[1]))
    return band
