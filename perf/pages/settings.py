"""A page of all settings that runs take, with what each division lets them be."""

from implementations.pytorch.settings import tables

INTRO = """# Settings

Settings are fields of `implementations/pytorch/configs/<problem>.yaml`, or words `name=value` on the command line. For
one problem, `python implementations/pytorch/train.py --settings --problem smoke` prints its table. What the divisions
are: [the guide](/docs/submitting.md#3-closed-and-open).

"""


def page() -> str:
    """Markdown: a table for each workload."""
    return INTRO + tables().replace("### ", "## ") + "\n"
