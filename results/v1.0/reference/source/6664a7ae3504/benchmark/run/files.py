"""The files that a run writes beside its log, or below the log's folder."""

from pathlib import Path

WEIGHTS, LEDGER = "weights", "ledger.jsonl"  # in the log's folder, for all of its runs


def weights_path(log: Path) -> Path:
    """Return the path of the final weights of a log's run."""
    return log.parent / WEIGHTS / f"{log.stem}.safetensors"


def environment_path(log: Path, resumed: int = 0) -> Path:
    """Return the path of the environment manifest of a log's run. A run that was resumed has another manifest for its
    `resumed`-th resumption."""
    number = log.stem.removeprefix("result_")
    return log.with_name(f"environment_{number}{f'_{resumed}' if resumed else ''}.json")
