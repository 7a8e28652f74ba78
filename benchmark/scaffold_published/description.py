"""Compare what the authors' generator writes beside its arrays with a problem: its configuration (DIR/*.yml, *.yaml),
and the list of what each volume holds (DIR/volumes_contents.csv). Either may be absent."""

import csv
from pathlib import Path
from typing import Any

from benchmark.config import parse_yaml
from benchmark.log import open_regular
from benchmark.printable import printable
from benchmark.scaffold_published.files import UNSHARDED
from benchmark.scaffold_published.problem import Problem

CONTENTS = "volumes_contents.csv"
MOST_BYTES = 1 << 20  # of such a file


def check_description(root: Path, problem: Problem) -> None:
    """Raise ValueError, naming the file, if a description is of another problem or of sharded files."""
    for path in sorted(Path(root).iterdir()):
        if path.suffix in (".yml", ".yaml"):
            check_configuration(path, parse_yaml(read(path), path), problem)
    if (Path(root) / CONTENTS).exists():
        check_contents(Path(root) / CONTENTS, problem)


def check_configuration(path: Path, found: Any, problem: Problem) -> None:
    """Compare a configuration of the generator; another file, without `problem_scale`, says nothing."""
    if not isinstance(found, dict) or "problem_scale" not in found:
        return
    shards = found.get("dc_num_shards", [1, 1, 1])
    if shards not in (1, [1, 1, 1]):
        raise ValueError(printable(f"{path}: dc_num_shards: found {shards!r:.80}, wanted {UNSHARDED}"))
    wanted = {
        "problem_scale": problem.scale,
        "unet_bottleneck_dim": problem.bottleneck,
        "n_categories": problem.categories,
        "n_fracts_per_vol": problem.fractals,
        "val_split": problem.validation_percent,
    }
    for name, value in wanted.items():
        if name in found and found[name] != value:
            raise ValueError(printable(f"{path}: {name}: found {found[name]!r:.80}, wanted {value} of {problem.name}"))
    name = "n_instances_used_per_fractal"
    used = found.get(name, problem.instances)
    if type(used) is not int or used - used % problem.fractals != problem.instances:
        raise ValueError(printable(f"{path}: {name}: found {used!r:.80}, wanted {problem.instances} of {problem.name}"))


def check_contents(path: Path, problem: Problem) -> None:
    """Compare the list: a row for each volume, with its index, then category and instance of each fractal."""
    try:
        rows = [row for row in csv.reader(read(path).decode("utf-8", "replace").splitlines()) if row]
    except csv.Error as error:
        raise ValueError(f"{path}: cannot be read as a list of volumes: {error}") from None
    rows = rows[1:] if rows and not rows[0][0].strip().isdecimal() else rows  # a head
    if len(rows) != problem.samples:
        raise ValueError(f"{path}: found {len(rows)} volumes, wanted {problem.samples} of {problem.name}")
    for line, row in enumerate(rows, 1):
        numbers = [int(cell) for cell in row if cell.strip().isdecimal() and len(cell) < 19]
        if len(numbers) != len(row) or len(row) != 1 + 2 * problem.fractals:
            wanted = (
                f"{1 + 2 * problem.fractals} numbers: an index, then category and instance {problem.fractals} times"
            )
            raise ValueError(printable(f"{path}: volume {line}: found {','.join(row):.80}, wanted {wanted}"))
        if max(numbers[1::2]) >= problem.categories:
            raise ValueError(
                f"{path}: volume {line}: found category {max(numbers[1::2])}, wanted 0 to {problem.categories - 1}"
            )


def read(path: Path) -> bytes:
    """Return the bytes of a small regular file. Raises ValueError, naming the file."""
    try:
        with open_regular(path) as file:
            data: bytes = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise ValueError(printable(f"{path}: cannot be read: {error}")) from None
    if len(data) > MOST_BYTES:
        raise ValueError(f"{path}: found more than {MOST_BYTES} bytes, wanted a description of a dataset")
    return data
