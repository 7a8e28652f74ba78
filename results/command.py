"""What the commands of results/ share: options, the checker's verdict, and writing to one file or several."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from compliance import terminal
from compliance.engine import judge
from compliance.verdict import Verdict
from compliance.waiver import ABOUT, read_waivers

ENDINGS = {".txt": "text", ".csv": "csv", ".json": "json", ".md": "markdown", ".html": "html"}
Target = tuple[Path | None, str]  # where to write, None for stdout, and in which format


def add_options(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """The options that both commands have."""
    endings = ", ".join(ending for ending, name in ENDINGS.items() if name in formats)
    parser.add_argument("--format", choices=formats, help="default: what the ending of --output says, or text")
    parser.add_argument(
        "--output",
        type=Path,
        action="append",
        metavar="FILE",
        help=f"write to this file ({endings}), outside of any submission; may be given more than once",
    )
    add_judging(parser)


def add_judging(parser: argparse.ArgumentParser) -> None:
    """The options that say how submissions are judged."""
    parser.add_argument("--rules", metavar="EDITION", help="check by this edition whatever the folders say")
    parser.add_argument("--waivers", metavar="FILE", type=Path, help="a reviewer's waivers, as for compliance/check.py")
    parser.add_argument(
        "--as-logged", action="store_true", help="score what the logs say even where the checker objects"
    )


def targets(args: argparse.Namespace, formats: Sequence[str]) -> list[Target]:
    """Where to write and in which format. Raises ValueError where that isn't clear."""
    outputs = args.output or []
    if not outputs:
        return [(None, args.format or "text")]
    if args.format and len(outputs) > 1:
        raise ValueError(f"found --format with {len(outputs)} --output, wanted their endings to say the formats")
    found = []
    for path in outputs:
        form = args.format or ENDINGS.get(path.suffix.lower())
        if form not in formats:
            wanted = ", ".join(ending for ending, name in ENDINGS.items() if name in formats)
            raise ValueError(f"{path}: found the ending {path.suffix!r}, wanted one of {wanted}, or --format")
        if path.is_dir():
            raise ValueError(f"{path}: found a folder, wanted a file to write to")
        found.append((path, form))
    return found


def check(args: argparse.Namespace) -> Verdict:
    """The checker's verdict on the paths given. Raises ValueError for what the user can mend."""
    paths = sorted(map(str, args.paths))  # what is found across paths is found in the same logs whatever their order
    waivers = read_waivers(args.waivers, paths) if args.waivers else None
    return judge(paths, args.rules, progress=progress(), waivers=waivers)


def progress() -> Callable[[int, int], None] | None:
    """Shows on stderr how many logs have been checked; on a terminal only."""
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    from tqdm import tqdm

    bar = tqdm(unit="log", desc="checking", leave=False)

    def show(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)
        if done == total:
            bar.close()

    return show


def tell(verdict: Verdict) -> None:
    """Says on stderr what couldn't be looked at, and which waivers cover nothing or have expired."""
    for path, why in verdict.missed:
        terminal.tell(f"{path}: {why}")
    for finding in verdict.findings:
        if finding.code in ABOUT:
            terminal.tell(finding.text())


def keep_outside(wanted: Sequence[Target], verdict: Verdict) -> None:
    """Raises ValueError if something would be written into what was checked."""
    homes = {Path(s.path).resolve() for s in verdict.submissions}
    homes |= {s.folder.resolve() for s in verdict.all_sets}
    for path, _ in wanted:
        for home in homes if path else ():
            if path.resolve().is_relative_to(home):
                raise ValueError(f"{path}: lies inside {home}, which was checked, wanted a place outside")


def write(wanted: Sequence[Target], forms: Mapping[str, Callable[[Path], str]]) -> None:
    """Writes each target. `forms` make a format's text for the folder where it will lie."""
    for path, form in wanted:
        text = forms[form](path.resolve().parent if path else Path.cwd())
        if path is None:
            terminal.put(text)
        else:
            path.write_text(text, encoding="utf-8", errors="backslashreplace")
            terminal.tell(f"wrote {path}")
