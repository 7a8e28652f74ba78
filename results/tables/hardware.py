"""What a system is made of, in the words of its description: accelerators, processors, software."""

from collections.abc import Mapping
from typing import Any

from results.statistics.result import Result
from results.tables.cells import Cell

LONGEST = 60  # characters of a field
NOTHING = ("", "-", "0", "n/a", "none")


def said(description: Mapping[str, Any], name: str) -> str:
    """A field of a description as short text; "" if it is missing, no text or number, or says that there is nothing."""
    value = description.get(name)
    text = " ".join(str(value).split()) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return "" if text.lower() in NOTHING else text[:LONGEST]


def counted(description: Mapping[str, Any], kind: str) -> str:
    """The models of a node with their number: "4 x NVIDIA A100"; the model alone if the number is unknown."""
    model, number = said(description, f"{kind}_model_name"), said(description, f"{kind}s_per_node")
    return f"{number} x {model}" if model and number.isdigit() else model


def machine(r: Result) -> tuple[str, str, str]:
    """What the sizes of one machine share: organisation, whatever its case, and models of accelerator and processor."""
    d = r.judged.description
    return r.org.casefold(), said(d, "accelerator_model_name"), said(d, "host_processor_model_name")


def cell(r: Result) -> Cell:
    """The cell under HEAD: what a node has, with its host's processors and the framework below."""
    d = r.judged.description
    accelerators, processors = counted(d, "accelerator"), counted(d, "host_processor")
    below = (processors if accelerators else "", said(d, "framework"))
    return Cell(accelerators or processors or "-", below=" · ".join(filter(None, below)))


HEAD = "each node, software"
