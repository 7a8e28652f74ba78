"""Waivers of all that is found. What is behind a waived fault is judged as well, and no check may fail there."""

import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from compliance.engine import judge
from compliance.engine.unit import BROKE
from compliance.finding import errors
from compliance.reviewing.waiver import Waiver, Waivers
from tests.compliance.catalogue import STARTS
from tests.compliance.submissions import Tree


def failures(tree: Tree, law: Path) -> set[tuple[str, str]]:
    """(code, what happened) of the checks that fail while every error of a submission is waived, then those that it
    hid, until none is left."""
    failed = set()
    first = judge([str(tree.root)], rules=law, **tree.options)
    orgs = {one.org for one in (*first.submissions, *first.sets)}
    waived = {("WAI", "nothing")}
    while True:
        waivers = enumerate((Waiver(org, *w, "agreed", "r") for w in sorted(waived) for org in orgs), 1)
        given = {**tree.options, "waivers": Waivers("waivers", tuple(waivers))}
        found = errors(judge([str(tree.root)], rules=law, **given).findings)
        failed |= {(f.code, f.found) for f in found if f.sentence.startswith(BROKE)}
        left = {(f.code, f.path) for f in found if not f.sentence.startswith(BROKE)} - waived
        if not left:
            return failed
        waived |= left


def waive_all(folder: Path, rng: random.Random, law: Path, damage: Callable, values: Sequence) -> None:
    """Damage an event in a log of a good submission, often by one of these values, and waive what is found. Raises
    AssertionError where a check fails."""
    shutil.rmtree(folder, ignore_errors=True)
    tree = STARTS[rng.choice(list(STARTS))](folder)
    events = tree.logs[tree.at].events
    event = rng.choice(events)
    if isinstance(event["value"], dict) and event["value"] and rng.random() < 0.5:
        event["value"][rng.choice(list(event["value"]))] = rng.choice(values)
    elif rng.random() < 0.5:
        event[rng.choice(("value", "time_ms"))] = rng.choice(values)
    elif rng.random() < 0.5:
        event["metadata"][rng.choice([*event["metadata"], "epoch_num", "samples_count"])] = rng.choice(values)
    else:
        damage(rng, events)
    tree.write(tree.at)
    failed = failures(tree, law)
    assert not failed, failed
