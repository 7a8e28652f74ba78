"""Answer questions in a folder, for nodes without a network: <name>.question becomes <name>.answer.

Whoever may write to the folder can remove and delay questions, and ask in the name of others whose questions are in it.
So each entrant has a folder of its own, and what a witness says this way is worth less: its time is when it looked.
"""

import json
import sqlite3
import sys
import time
from pathlib import Path

from benchmark.atomic import replacing
from benchmark.log import open_regular
from benchmark.printable import printable
from harness.witnessing.store import Store
from rules.registry import Wrong
from rules.witness import LONGEST

POLL = 0.1  # seconds between two looks at the folder
MOST = 10_000  # questions of a look


def watch(store: Store, folder: Path, once: bool = False) -> None:
    """Answer the questions in a folder, for ever or `once`. Questions that can't be answered or removed are named on
    stderr, once each, and tried again. Raises OSError for a folder that can't be read."""
    stuck: set[Path] = set()
    while True:
        questions = sorted(path for path in folder.iterdir() if path.suffix == ".question")[:MOST]
        stuck.intersection_update(questions)
        for question in questions:
            try:
                answer(store, question)
            except OSError as error:  # a full disk, or a question that can't be removed
                if question not in stuck:
                    print(f"{printable(str(question))}: {error.strerror}", file=sys.stderr, flush=True)
                stuck.add(question)
        if once:
            return
        time.sleep(POLL)


def answer(store: Store, question: Path) -> None:
    """Answer a question, and remove it. What can't be answered gets the reason."""
    try:
        with open_regular(question) as file:
            values = json.loads(file.read(2 * LONGEST))
        organisation = store.organisation_of(values["token"])
        if organisation is None:
            raise Wrong("no token that is known", f"{question.name} with one")
        text = store.receipt_for(organisation, values["told"])
    except sqlite3.OperationalError:
        return  # the database is locked or full: later
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        text = f"refused: {printable(str(error))}"[:300]
    with replacing(question.with_suffix(".answer")) as temporary:  # under a name that nobody can have put a link at
        temporary.write_text(f"{text}\n", encoding="utf-8")
    question.unlink(missing_ok=True)
