"""What the commands of results/ share: options, judging the paths, and writing output files."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmark.writing import write_text
from compliance import safe
from compliance.engine import judge
from compliance.reviewing.review import read_reviews, with_reviews
from compliance.reviewing.waiver import ABOUT, read_waivers
from compliance.verdict import Verdict
from rules.edition import load

ENDINGS = {".txt": "text", ".csv": "csv", ".json": "json", ".md": "markdown", ".html": "html"}
JUDGING: dict[str, dict[str, Any]] = {  # options that say how submissions are judged, and sets scored
    "--rules": {"metavar": "EDITION", "help": "check by this edition, whatever the folders say"},
    "--waivers": {"metavar": "FILE", "type": Path, "help": "a reviewer's waivers, as for compliance/check.py"},
    "--as-logged": {"action": "store_true", "help": "score sets even if the checker finds errors in them"},
    "--reviews": {"metavar": "FILE", "type": Path, "help": "reviewers' checklists, as for compliance/check.py"},
}
Target = tuple[Path | None, str]  # the file (None: stdout) and the format


def add_options(parser: argparse.ArgumentParser, formats: Sequence[str], *more: str) -> None:
    """Add the options of output and judging that `summarize.py` and `compare.py` share, and `more` of JUDGING."""
    endings = ", ".join(ending for ending, name in ENDINGS.items() if name in formats)
    parser.add_argument("--format", choices=formats, help="default: by the ending of --output, or text")
    parser.add_argument(
        "--output",
        type=Path,
        action="append",
        metavar="FILE",
        help=f"write to this file ({endings}), outside of any submission; may be given more than once",
    )
    add_judging(parser, "--as-logged", *more)


def add_judging(parser: argparse.ArgumentParser, *more: str) -> None:
    """Add the options that say how submissions are judged, and `more` of JUDGING."""
    for name in ("--rules", "--waivers", *more):
        parser.add_argument(name, **JUDGING[name])


def targets(args: argparse.Namespace, formats: Sequence[str]) -> list[Target]:
    """The files and formats that `--output` and `--format` ask for. Raises ValueError if a format is not clear."""
    outputs = args.output or []
    if not outputs:
        return [(None, args.format or "text")]
    if args.format and len(outputs) > 1:
        raise ValueError(
            f"found --format with {len(outputs)} --output, wanted one --output, or formats by their endings"
        )
    found: list[Target] = []
    for path in outputs:
        form = args.format or ENDINGS.get(path.suffix.lower(), "")
        if form not in formats:
            wanted = ", ".join(ending for ending, name in ENDINGS.items() if name in formats)
            raise ValueError(f"{path}: found the ending {path.suffix!r}, wanted one of {wanted}, or --format")
        if path.is_dir():
            raise ValueError(f"{path}: found a folder, wanted a file to write to")
        found.append((path, form))
    return found


def judged(args: argparse.Namespace, wanted: Sequence[Target]) -> Verdict:
    """The checker's verdict on the paths given, with waivers and reviews applied.

    Paths that could not be read, and waivers that cover nothing or have expired, are reported on stderr. Raises
    ValueError for a damaged waiver or review file, and if a file of `wanted` lies inside what was checked.
    """
    paths = sorted(map(str, args.paths))  # findings across sets do not depend on the order of the paths
    waivers = read_waivers(args.waivers, paths) if args.waivers else None
    reviews = read_reviews(args.reviews, args.paths) if getattr(args, "reviews", None) else None
    verdict = judge(paths, args.rules, progress=safe.progress(), waivers=waivers)
    if reviews:
        verdict = with_reviews(verdict, reviews, {name: load(name) for name in verdict.editions})
    keep_outside(wanted, verdict)
    for path, why in verdict.missed:
        safe.tell(f"{path}: {why}")
    for finding in verdict.findings:
        if finding.code in ABOUT:
            safe.tell(finding.text())
    return verdict


def keep_outside(wanted: Sequence[Target], verdict: Verdict) -> None:
    """Raise ValueError if a file to write lies inside a submission or set that was checked."""
    homes = {Path(s.path).resolve() for s in verdict.submissions}
    homes |= {s.folder.resolve() for s in verdict.all_sets}
    for path in [path for path, _ in wanted if path]:
        for home in homes:
            if path.resolve().is_relative_to(home):
                raise ValueError(f"{path}: lies inside {home}, which was checked, wanted a place outside")


def write(wanted: Sequence[Target], forms: Mapping[str, Callable[[Path], str]]) -> None:
    """Write each target. `forms` has a function for each format: it takes the folder of the output, to which links are
    relative, and returns the text."""
    for path, form in wanted:
        text = forms[form](path.resolve().parent if path else Path.cwd())
        if path is None:
            safe.put(text)
        else:
            write_text(path, text)
            safe.tell(f"wrote {path}")
