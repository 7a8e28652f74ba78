"""SRC: the source of what ran is there, can be read, and is the one that the runs name."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from benchmark.log import open_regular
from benchmark.tree import SKIPPED, combine
from compliance.finding import Fault
from compliance.material import Material, Text
from compliance.pyseeds import parse
from compliance.rule import rule

SECRETS = {
    "a private key": re.compile(r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----"),
    "an AWS key": re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    "a GitHub token": re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,})\b"),
    "a Hugging Face token": re.compile(r"\bhf_[A-Za-z0-9]{30,}\b"),
    "a Slack token": re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10,}"),
    "a password": re.compile(
        r"""(?i)\b(?:password|passwd|secret|api_?key|auth_?token|access_?token)["']?\s{0,4}[:=]\s{0,4}["'][^"'\s<>{}$]{8,}["']"""
    ),
}
USER_PATH = re.compile(r"(?<![\w.])(?:/home/|/Users/|/root/|[A-Za-z]:\\\\?Users\\\\?)(?!<|\$|\{)[\w.~-]+")
LONGEST_LINE = 20_000


@rule("SRC01", "submission")
def results_have_source(material: Material) -> Iterator[Fault]:
    """Every benchmark with results has its source, benchmarks/<benchmark>/implementations/<name>"""
    for benchmark in dict.fromkeys(s.benchmark for s in material.submission.sets):
        if benchmark in material.edition.benchmarks and not material.implementations(benchmark):
            place = material.submission.place("benchmarks", benchmark, "implementations")
            yield Fault(1, "no source", "the source that ran", path=place)


@rule("SRC02", "submission")
def source_can_be_read(material: Material) -> Iterator[Fault]:
    """Source can be read: Python parses, nothing is too large"""
    for text in material.source:
        place = material.submission.place(*text.parts)
        if text.problem and text.problem != "binary":
            yield Fault(1, text.problem, "text", path=place)
        elif text.name.endswith(".py") and not text.problem:
            _, line, why = parse(text.text)
            if why:
                yield Fault(line, why, "Python", path=place)


@rule("SRC03", "submission", after=("SRC01", "SRC02", "SRC04", "SRC05", "SEED06", "TREE05"))
def source_is_the_one_that_ran(material: Material) -> Iterator[Fault]:
    """The source is the one whose digest the runs logged"""
    told: dict[str, set[str]] = {}
    for run in material.runs:
        digest = run.value("source_digest")
        if type(digest) is str:
            told.setdefault(run.set_path, set()).add(digest)
    names = {s.benchmark for s in material.submission.sets} & set(material.edition.benchmarks)
    digests = {name: {f: _digest(material, f) for f in material.implementations(name)} for name in sorted(names)}
    for runs in material.submission.sets:
        logged, found = told.get(runs.name, set()), digests.get(runs.benchmark, {})
        if len(logged) == 1 and found and not logged & set(found.values()):  # RUN04 tells where they differ
            folder = next(iter(found))
            wanted = f"{logged.pop()}, as in the logs of {runs.name}"
            yield Fault(1, f"source_digest {found[folder]}", wanted, path=material.submission.place(*folder))


@rule("SRC04", "submission")
def source_holds_no_secret(material: Material) -> Iterator[Fault]:
    """Nothing submitted holds a secret: a key, a token, a password"""
    for text, line, content in _lines(material):
        for name, pattern in SECRETS.items():
            if pattern.search(content):
                yield Fault(line, name, "none", path=material.submission.place(*text.parts))
                break


@rule("SRC05", "submission")
def source_holds_no_users_path(material: Material) -> Iterator[Fault]:
    """Source holds no absolute path of a user"""
    for text, line, content in _lines(material):
        match = USER_PATH.search(content)
        if match:
            yield Fault(
                line,
                match[0],
                "a path relative to the source, or a parameter",
                path=material.submission.place(*text.parts),
            )


def _lines(material: Material) -> Iterator[tuple[Text, int, str]]:
    for text in material.source:
        for number, line in enumerate(text.text.split("\n"), 1):
            if len(line) <= LONGEST_LINE:
                yield text, number, line


def _digest(material: Material, folder: tuple[str, ...]) -> str:
    """The digest of an implementation's folder, as benchmark.tree computes it."""
    files = [e for e in material.submission.under(*folder) if e.kind == "file" and not set(e.parts) & set(SKIPPED)]
    root = material.submission.path
    return combine(("/".join(e.parts[len(folder) :]), _sha256(root.joinpath(*e.parts))) for e in files)


def _sha256(path: Path) -> str:
    total = hashlib.sha256()
    try:
        with open_regular(path) as file:
            while block := file.read(1 << 20):
                total.update(block)
    except OSError:
        return "unreadable"
    return total.hexdigest()
