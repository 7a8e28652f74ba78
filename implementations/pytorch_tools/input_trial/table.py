"""Print the results of a trial as a table."""

from collections.abc import Sequence
from typing import Any

HEAD = ("format", "place", "samples/s", "AU %", "of ceiling", "waiting", "barrier", "MB/s decoded", "read", "device")
HEAD = (*HEAD, "requests", "KB each", "p50 ms", "p99 ms", "longest", "over memory", "cache")


def table(rows: Sequence[dict[str, Any]], ceiling: float | None) -> str:
    """Return a line for each variant: rates over all its passes, and four kinds of AU: DLIO's, its share of the AU of
    the loop without reads, that by waiting, and that by the slowest rank of each step."""
    return aligned([HEAD, *map(line, rows)]) + f"\nAU of the loop without reads: {percent(ceiling)} %"


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of cells as lines, with columns aligned to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def line(row: dict[str, Any]) -> tuple[str, ...]:
    """Return the cells of a variant."""
    au, wait, seconds, physical = row["au"], row["wait_seconds"], row["seconds"], row["physical_bytes"]
    shares = (au and au["mean"], row["au_over_ceiling"], row["au_waiting"], row["au_barrier"])
    sizes = (row["logical_bytes"]["total"], row["read_bytes"]["total"], physical and physical["total"])
    each = row["request_bytes"]
    return (
        *(row["format"], f"{row['place']}, {row['file_system']}", f"{row['throughput']:.4g}"),
        *map(percent, shares),
        *("-" if size is None else f"{size / seconds / 1e6:.4g}" for size in sizes),
        *(str(row["requests"]["total"]), "-" if each is None else f"{each / 1e3:.4g}"),
        *(f"{1e3 * wait[name]:.3g}" for name in ("p50", "p99", "longest")),
        f"{row['dataset_over_memory']:.3g}",
        row["cache"],
    )


def staged(found: dict[str, Any] | None) -> list[str]:
    """Return a line on staging, [] where nothing was staged."""
    if found is None:
        return []
    size = found["bytes"] / 1e6
    copied, synced = (f"{found[name]:.4g} s, {size / found[name]:.4g} MB/s" for name in ("seconds", "synced_seconds"))
    return [f"staging of {size:.4g} MB: copied in {copied}; on disk in {synced}"]


def verdict(rows: Sequence[dict[str, Any]], least: float | None) -> list[str]:
    """Return a line for each variant: whether its AU is as wanted, and where the data came from; [] if none is."""
    said = []
    for row in rows if least is not None else ():
        what = f"{row['format']} ({row['place']}), {row['ranks']} accelerator{'s' * (row['ranks'] > 1)}"
        found = f"AU {percent(row['au'] and row['au']['mean'])} %, wanted {percent(least)} %; {row['cache']}"
        said.append(f"{what}: {'pass' if passed(row, least) else 'fail'}: {found}")
    return said


def passed(row: dict[str, Any], least: float) -> bool:
    """Return whether the AU of a variant, the mean over accelerators and passes, is as wanted."""
    return row["au"] is not None and row["au"]["mean"] >= least


def rates(found: dict[str, Any]) -> str:
    """Return a pass in one line."""
    au = found["au"] and found["au"]["mean"]
    return f"{found['throughput']:.4g} samples/s, AU {percent(au)} %, {found['cache']}"


def percent(share: float | None) -> str:
    """Return a share of 1 in percent; "-" where it is unknown."""
    return "-" if share is None else f"{100 * share:.1f}"
