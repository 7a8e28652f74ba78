"""SRC: the source is handed in, can be read, and is file by file what the runs loaded."""

import re
from collections.abc import Iterator

from benchmark.source import combine
from compliance.finding import Fault, show
from compliance.reading.digest import line_endings
from compliance.reading.files import SubmissionFiles
from compliance.reading.log import Log
from compliance.reading.published import published_path
from compliance.reading.source import MOST_FILES, SHARED, fault_of, sound
from compliance.reading.terms import Terms
from compliance.reading.timeline import Timeline, metadata
from compliance.rule import EVERY, rule
from rules.published import is_published, own_files

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
FREE, KEPT = "implementations", ("benchmark", "rules")  # folders that a closed run may change, and may not
KEPT_BELOW = tuple(f"{name}/" for name in KEPT)
SETTINGS = (".yaml", ".json")  # files that no program consists of
NEEDED = ("benchmark/fingerprint.py", "benchmark/log.py")  # files that every run loads
SCORED_WITH = {"dice": "benchmark/metric.py"}  # kind of score -> file that runs load for it


@rule("SRC01", "submission")
def results_have_source(files: SubmissionFiles) -> Iterator[Fault]:
    for benchmark in dict.fromkeys(s.benchmark for s in files.submission.sets):
        if benchmark in files.edition.benchmarks and not any(f.may_hold(benchmark) for f in files.folders):
            yield files.submission.fault((SHARED,), f"no source for {benchmark}", "the source that ran")


@rule("SRC02", "submission")
def source_can_be_read(files: SubmissionFiles) -> Iterator[Fault]:
    for text in files.source:
        python = files.python.get(text.sha256) if text.name.endswith(".py") else None
        if text.alien:  # CODE01 names it
            continue
        if text.problem and text.problem != "binary":
            yield files.submission.fault(text.parts, text.problem, "text")
        elif python and python.problem:
            yield files.submission.fault(text.parts, python.problem, "Python", python.line)


@rule("SRC03", "submission", after=("SRC01",))
def source_is_the_one_that_ran(files: SubmissionFiles) -> Iterator[Fault]:
    told: set[tuple[str, tuple[str, ...]]] = set()
    for run, loaded, folder in files.loaded:
        if folder is None:  # SRC01 says so
            continue
        for path, digest in sorted(loaded.items()):
            within = folder.path_of(path)
            found, parts = folder.files[within] if within else None, (*folder.parts, within or path)
            # Of a file that could not be read, SRC02 tells why; one may be of several sets, or several runs.
            if found in (digest, "") or (digest, parts) in told:
                continue
            told.add((digest, parts))
            said = f"sha256 {found}{line_endings(files.submission.path.joinpath(*parts))}" if found else "no such file"
            ours = is_published(published_path(parts), digest, files.edition.releases)
            wanted = f"{digest}{', that of the reference' if ours else ''}, as logged in {run.path}"
            yield files.submission.fault(parts, said, wanted)


@rule("SRC04", "submission")
def source_holds_no_secret(files: SubmissionFiles) -> Iterator[Fault]:
    return _matches(files, SECRETS, "none")


@rule("SRC05", "submission")
def source_holds_no_users_path(files: SubmissionFiles) -> Iterator[Fault]:
    return _matches(files, {"": USER_PATH}, "a path relative to the source, or a parameter")


def _matches(files: SubmissionFiles, patterns: dict[str, re.Pattern[str]], wanted: str) -> Iterator[Fault]:
    """Yield the lines that match a pattern. Equal files are searched once."""
    known: dict[str, dict[int, str]] = {}
    for text in files.source:
        if text.sha256 not in known:
            known[text.sha256] = dict(_lines(text.text, patterns))
        for line, found in known[text.sha256].items():
            yield files.submission.fault(text.parts, found, wanted, line)


def _lines(text: str, patterns: dict[str, re.Pattern[str]]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) <= LONGEST_LINE:
            match = next(((name, m) for name, pattern in patterns.items() if (m := pattern.search(line))), None)
            if match:
                yield number, match[0] or match[1][0]


@rule("SRC06", "submission", after=("SRC03",))
def folders_of_source_ran(files: SubmissionFiles) -> Iterator[Fault]:
    used: dict[tuple[str, ...], set[str | None]] = {}
    for _, loaded, folder in files.loaded:
        if folder:
            used.setdefault(folder.parts, set()).update(map(folder.path_of, loaded))
    for folder in files.folders if used else ():  # without a log that names its files, this can't be decided
        if folder.shared and folder.parts not in used:
            yield files.submission.fault(folder.parts, "source that no run loaded", "none")
        elif folder.shared:
            more = sorted(path for path in folder.files if path not in used[folder.parts])
            for path in more:
                yield files.submission.fault((*folder.parts, path), "a file that no run loaded", "none")
            if not more and folder.name and folder.parts[1] != folder.name:
                wanted = f"{folder.name}, the first digits of its digest"
                yield files.submission.fault(folder.parts, f"the name {folder.parts[1]}", wanted)
    for text in files.source if used else ():
        if text.parts[0] == SHARED and len(text.parts) == 2:
            yield files.submission.fault(text.parts, "a file in no folder of source", "none")


@rule("SRC07", "log", after=("SRC08",), on=EVERY)
def closed_runs_load_our_files(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    event = log.first("source")
    if event is None or terms.division != "closed":
        return
    files, config = sound(metadata(event, "files")), metadata(event, "config")
    kept = {path: digest for path, digest in files.items() if path.partition("/")[0] in KEPT}
    releases = {"the checker's own": own_files(), **terms.edition.releases}
    # All files must be of one release, so that no files are combined that never belonged together.
    name, ours = min(releases.items(), key=lambda one: sum(one[1].get(p) != d for p, d in kept.items()))
    for path, digest in sorted(kept.items()):
        if ours.get(path) != digest:
            yield Fault(event.line, f"{path} {digest}", f"{ours.get(path, 'no such file')}, {name}")
    for needed in (*NEEDED, SCORED_WITH.get(terms.benchmark.score or "")):
        if needed and needed not in files:
            yield Fault(event.line, f"no {needed}", "it among the files, since every run loads it")
    for path in sorted(files.keys() - kept.keys()):
        configures = path == config and path.endswith((".yaml", ".yml"))
        if not configures and path.partition("/")[0] != FREE:
            yield Fault(event.line, path, f"files of {', '.join((FREE, *KEPT))}, and the configuration")


@rule("SRC08", "log", on=EVERY)
def source_has_its_digest(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    event = log.first("source")
    if event is None:
        return
    files = metadata(event, "files")
    if type(files) is not dict or not 0 < len(files) <= MOST_FILES:
        found = f"{len(files)} files" if type(files) is dict else f"files {show(files)}"
        yield Fault(event.line, found, f"the sha256 of each file that was loaded, 1 to {MOST_FILES}")
        return
    wrong = [(path, why) for path, digest in files.items() if (why := fault_of(path, digest))]
    for path, why in wrong:
        yield Fault(event.line, f"{show(path)}: {why}", "a path in the repository and the sha256 of the file")
    if not wrong and event.value != (digest := combine(files.items())):
        yield Fault(event.line, f"source {show(event.value)}", f"{digest}, the digest of its files")


@rule("SRC09", "log", after=("SRC08",), on=EVERY)
def source_has_one_start(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    event = log.first("source")
    scripts = [path for path in sound(metadata(event, "files")) if path.endswith("/train.py")] if event else []
    if event and len(scripts) > 1:
        yield Fault(event.line, ", ".join(sorted(scripts)), "one train.py")
    elif event and not scripts and terms.division == "closed":
        files = sound(metadata(event, "files")).items()
        code = [(path, digest) for path, digest in files if not path.endswith(SETTINGS)]
        if code and all(is_published(path, digest, terms.edition.releases) for path, digest in code):
            yield Fault(event.line, f"{len(code)} of the reference's files, and no train.py", "the program that ran")


@rule("SRC10", "submission", severity="review", after=("SRC03",))
def imported_files_are_logged(files: SubmissionFiles) -> Iterator[Fault]:
    for run, loaded, folder in files.loaded:
        held = {*loaded, *(path[:at] for path in loaded for at, c in enumerate(path) if c == "/")}
        for path, digest in loaded.items():
            python = None if path.startswith(KEPT_BELOW) else files.python.get(digest)
            for line, dots, module in python.imports if python else ():
                wanted = "/".join((*path.split("/")[:-dots], *module.split("."))) if dots else module.replace(".", "/")
                ours = dots or wanted.startswith((*KEPT_BELOW, f"{FREE}/"))
                if folder and ours and held.isdisjoint((wanted, f"{wanted}.py")):
                    parts, logged = (*folder.parts, folder.path_of(path) or path), f"those that {run.path} logs"
                    yield files.submission.fault(parts, f"an import of {wanted}", f"its file among {logged}", line)
