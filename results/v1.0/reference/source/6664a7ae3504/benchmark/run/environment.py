"""Capture the environment of a run: the facts of this node, and those of the run as a whole."""

import contextlib
import platform
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmark.environment.commands import Asked
from benchmark.environment.facts import Fact, fact
from benchmark.environment.loaded import loaded
from benchmark.environment.manifest import NODE, Facts, Node, digest_of
from benchmark.environment.node import COMMANDS, node_facts, plain
from benchmark.environment.paths import shortened
from benchmark.launch import Launch

MOST_CONFIG = 16 << 10  # bytes of a config that goes into the manifest


@contextlib.contextmanager
def questions_asked(node: bool = True) -> Iterator[Asked]:
    """Yield the commands whose answers the facts of a `node` need, started at once; none without it."""
    with contextlib.closing(Asked(COMMANDS if node else {})) as asked:
        yield asked


def facts_of_node(data: Path, framework: Mapping[str, Fact], asked: Asked) -> Facts:
    """Return the facts of this node, and of the `framework` there; those that it does not give have no value. `data` is
    the dataset's folder."""
    missing = dict.fromkeys(NODE, Fact(None, "not told by this program"))
    return plain(missing | node_facts(data, asked) | dict(framework))


def facts_of_run(
    launch: Launch,
    config: tuple[Path, bytes],
    backend: str | None = None,
    code: Callable[[], dict[str, Any]] = loaded,
) -> Facts:
    """Return the facts of the run as a whole: its command, its config (the file and its bytes), how its ranks were
    launched, and what `code` says that this process has loaded. `backend` is what ranks communicate by."""
    path, data = config
    return plain(
        {
            "command": fact("sys.argv", lambda: [shortened(word) for word in sys.argv]),
            "config": fact(shortened(str(path)), lambda: text_of(data)),
            "launcher": fact("benchmark.launch.detect_launch", lambda: launched(launch, backend)),
            "loaded": fact("sys.modules, /proc/self/maps, RECORD", code),
        }
    )


def text_of(data: bytes) -> str:
    """Return the text of a config. Raises ValueError for one that is too large."""
    if len(data) > MOST_CONFIG:
        raise ValueError(f"{len(data)} bytes, more than {MOST_CONFIG}")
    return data.decode()


def launched(launch: Launch, backend: str | None) -> dict[str, Any]:
    """Return the launcher, the numbers of ranks, and the backend of their communication."""
    ranks = {"ranks": launch.world_size, "ranks_per_node": launch.local_world_size}
    return {"launcher": launch.launcher, **ranks, "backend": backend}


def environment_of_process(
    launch: Launch, config: tuple[Path, bytes], data: Path, framework: Mapping[str, Fact]
) -> tuple[Facts, list[Node]]:
    """Return the facts of a run of one process, and its one node, as `RunLog.environment` wants them."""
    with questions_asked() as asked:
        node = facts_of_node(data, framework, asked)
    return facts_of_run(launch, config), [Node(platform.node(), digest_of(node), node)]
