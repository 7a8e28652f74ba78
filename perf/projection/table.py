"""Predictions as a table: text, CSV and JSON."""

import json
from collections.abc import Sequence
from typing import Any

import pandas as pd

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
TARGET = {  # of the table to the target: (field, format, whether it has an interval)
    "ranks": ("ranks", "{:d}", False),
    "nodes": ("nodes", "{:d}", False),
    "layout": ("layout", "{}", False),
    "recompute": ("recompute", "{}", False),
    "GiB": ("memory_gib", "{:.1f}", False),
    "fits": ("fits", "{}", False),
    "read GB/s": ("read_gb_per_s", "{:.3g}", False),
    "epoch s": ("epoch_s", "{:.3g}", True),
    "epochs": ("epochs", "{:.3g}", True),
    "hours": ("hours", "{:.2g}", True),
    "node-hours": ("node_hours", "{:.2g}", True),
    "kWh": ("kwh", "{:.3g}", True),
}
PARTS = ("wait", "forward", "backward", "halo", "norm", "reduction", "optimizer")


def row(prediction: Prediction, system: System) -> dict[str, Any]:
    """The row of a prediction: plain values under names that end in their unit."""
    p, config = prediction, prediction.config
    rate = p.model_flops / p.seconds.step
    return {
        "problem": "",
        "ranks": p.layout.ranks,
        "nodes": -(-p.layout.ranks // system.ranks_per_node),
        "layout": ",".join(map(str, p.layout.extents)),
        "tile": ",".join(map(str, p.layout.tile)),
        "precision": config.precision,
        "batch": config.batch_size,
        "samples_at_once": p.samples,
        "recompute": step_of(config),
        "fits": "yes" if p.fits else "no",
        "memory_gib": p.memory / GIB,
        "weights_gib": p.weights / GIB,
        "kept_gib": p.kept / GIB,
        "activations_gib": p.peak / GIB,
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


def text_table(rows: Sequence[dict[str, Any]]) -> str:
    """The table as text."""
    return aligned([list(COLUMNS), *([form.format(r[field]) for field, form in COLUMNS.values()] for r in rows)])


def target_table(rows: Sequence[dict[str, Any]]) -> str:
    """The table to the target as text: each quantity with the ends of its interval, "?" for what nobody knows."""

    def cell(r: dict[str, Any], field: str, form: str, interval: bool) -> str:
        if r[field] is None:
            return "?"
        middle, *both = (form.format(r[name]) for name in (field, *([f"{field}_low", f"{field}_high"] * interval)))
        return f"{middle} ({both[0]}-{both[1]})" if both else middle

    return aligned([list(TARGET), *([cell(r, *how) for how in TARGET.values()] for r in rows)])


def aligned(cells: Sequence[Sequence[str]]) -> str:
    """Lines of cells, with columns aligned to the right."""
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


def as_json(rows: Sequence[dict[str, Any]]) -> str:
    """The rows as a JSON list of objects."""
    return json.dumps(list(rows), indent=2)


def as_csv(rows: Sequence[dict[str, Any]]) -> str:
    """The rows as CSV, names first."""
    return pd.DataFrame(rows).to_csv(index=False).rstrip("\n") if rows else ""
