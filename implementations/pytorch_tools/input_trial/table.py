"""Print the results of a trial as a table."""

from collections.abc import Sequence
from typing import Any

HEAD = ("format", "place", "samples/s", "AU %", "of ceiling", "waiting", "barrier", "MB/s decoded", "read", "device")
HEAD = (*HEAD, "requests", "KB each", "p50 ms", "p99 ms", "longest", "cache")


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
        row["cache"],
    )


def rates(found: dict[str, Any]) -> str:
    """Return a pass in one line."""
    au = found["au"] and found["au"]["mean"]
    return f"{found['throughput']:.4g} samples/s, AU {percent(au)} %, {found['cache']}"


def percent(share: float | None) -> str:
    """Return a share of 1 in percent; "-" where it is unknown."""
    return "-" if share is None else f"{100 * share:.1f}"
