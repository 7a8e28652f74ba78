"""Predictions as rows of plain values, and as text."""

from collections.abc import Mapping, Sequence
from typing import Any

from perf.projection.machine import System
from perf.projection.predict import Prediction, step_of

GIB, MB = 2**30, 1e6
COLUMNS = {  # heading of the text: (field, format)
    "ranks": ("ranks", "{:d}"),
    "layout": ("layout", "{}"),
    "tile": ("tile", "{}"),
    "at once": ("samples_at_once", "{:d}"),
    "recompute": ("recompute", "{}"),
    "GiB": ("memory_gib", "{:.1f}"),
    "fits": ("fits", "{}"),
    "TFLOP": ("tflop", "{:.4g}"),
    "halo MB": ("halo_mb", "{:.4g}"),
    "step s": ("step_s", "{:.4g}"),
    "epoch s": ("epoch_s", "{:.4g}"),
    "samples/s": ("samples_per_s", "{:.4g}"),
    "of peak": ("share_of_peak", "{:.1%}"),
}
TARGET = {  # of the table to the target: (field, format, of some with the ends of its interval)
    "ranks": ("ranks", "{:d}"),
    "nodes": ("nodes", "{:d}"),
    "layout": ("layout", "{}"),
    "recompute": ("recompute", "{}"),
    "GiB": ("memory_gib", "{:.1f}"),
    "fits": ("fits", "{}"),
    "read GB/s": ("read_gb_per_s", "{:.3g}"),
    "epoch s": ("epoch_s", "{:.3g} ({:.3g}-{:.3g})"),
    "epochs": ("epochs", "{:.3g} ({:.3g}-{:.3g})"),
    "hours": ("hours", "{:.2g} ({:.2g}-{:.2g})"),
    "node-hours": ("node_hours", "{:.2g} ({:.2g}-{:.2g})"),
    "kWh": ("kwh", "{:.3g} ({:.3g}-{:.3g})"),
}
PARTS = ("wait", "forward", "backward", "halo", "norm", "reduction", "optimizer")


def row(prediction: Prediction, system: System) -> dict[str, Any]:
    """The row of a prediction: plain values under names that end in their unit."""
    p, config = prediction, prediction.config
    rate = p.model_flops / p.seconds.step
    return {
        "ranks": p.layout.ranks,
        "nodes": -(-p.layout.ranks // system.ranks_per_node),
        "layout": ",".join(map(str, p.layout.extents)),
        "tile": ",".join(map(str, p.layout.tile)),
        "precision": config.precision,
        "batch": config.batch_size,
        "samples_at_once": p.traced.samples,
        "recompute": step_of(config),
        "fits": "yes" if p.fits else "no",
        "memory_gib": p.memory / GIB,
        "weights_gib": p.weights / GIB,
        "kept_gib": p.traced.kept / GIB,
        "activations_gib": p.traced.peak / GIB,
        "tflop": p.flops / 1e12,
        "halo_mb": p.halo / MB,
        "halo_messages": p.messages,
        **{f"{part}_s": getattr(p.seconds, part) for part in PARTS},
        "step_s": p.seconds.step,
        "evaluation_of_a_sample_s": p.seconds.evaluation,
        "epoch_s": p.epoch,
        "samples_per_s": config.batch_size / p.seconds.step,
        "tflops_of_a_rank": rate / 1e12,
        "share_of_peak": rate / (1e12 * getattr(system.peak_tflops, config.precision)),
    }


def text_table(rows: Sequence[dict[str, Any]], columns: Mapping[str, tuple[str, str]]) -> str:
    """A table as text, with columns aligned to the right. "?" stands for what nobody knows."""

    def cell(r: dict[str, Any], field: str, form: str) -> str:
        ends = r.get(f"{field}_low"), r.get(f"{field}_high")
        return "?" if r[field] is None else form.format(r[field], *ends)  # most formats show no ends

    cells = [list(columns), *([cell(r, *how) for how in columns.values()] for r in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in cells)
    return "\n".join(line.rstrip() for line in lines)


def origins(r: dict[str, Any]) -> str:
    """Where the intervals of one row come from, in lines of text."""
    errors = (
        f"{k.removeprefix('epoch_of_')} {v[0]:+.0%} {v[1]:+.0%}" for k, v in r.items() if k.startswith("epoch_of")
    )
    epochs = r["epochs_from"] or "not known: the rules have no points at this batch size, and --epochs gives none"
    return (
        f"epochs: {epochs}\nseconds of an epoch of {r['ranks']} ranks, by errors of the system's rates:  "
        f"{'  '.join(errors) or 'it states none'}"
    )


def details(r: dict[str, Any]) -> str:
    """The parts of one row's time, memory and messages, in lines of text."""
    parts = "  ".join(f"{part} {r[f'{part}_s']:.4g}" for part in PARTS)
    memory = (
        f"weights, gradients and optimizer {r['weights_gib']:.1f}, activations at most {r['activations_gib']:.1f} "
        f"(between forward and backward {r['kept_gib']:.1f})"
    )
    return (
        f"the first in detail, of a rank in the middle of the volume:\n"
        f"  seconds a step: {parts}\n"
        f"  GiB: {memory}\n"
        f"  halo: {r['halo_messages']} messages a step, {r['halo_mb']:.4g} MB"
    )
