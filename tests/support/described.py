"""What an implementation says of a run before it is made."""

import json

from harness.implementation import CONTRACT, Description, parse

FIELDS = {  # of a run of two ranks, as train.py prints it
    "contract": CONTRACT,
    "implementation": "x",
    "benchmark": "scaffold",
    "problem": "tiny",
    "problem_digest": "1" * 64,
    "settings": {"epochs": 3},
    "machine_settings": ["threads"],
    "config_digest": "2" * 64,
    "config_file": "c",
    "source": "3" * 64,
    "files": {"x": "4" * 64},
    "ranks": 2,
    "nodes": 1,
    "layout": [2, 1, 1, 1],
    "device": "cuda",
    "accelerators": {"count": 8, "name": "H100", "memory_gib": 80},
    "framework": "x 1",
    "software": {"fake": "1"},
    "options": ["--steps"],
}


def described(**changes: object) -> Description:
    """The description with other values for some fields."""
    return parse(json.dumps({**FIELDS, **changes}), "described")
