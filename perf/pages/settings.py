"""The page of all settings of a run, with the values that each division allows."""

from implementations.pytorch_tools.settings import tables

INTRO = """# Settings

Settings are fields of `implementations/pytorch/configs/<problem>.yaml`, or words `name=value` on the command line. For
one problem, `python implementations/pytorch_tools/settings.py --problem smoke` prints its table. For the divisions
see [the guide](/docs/submitting.md#3-closed-and-open).

"""


def page() -> str:
    """The Markdown of the settings: a table for each workload."""
    return INTRO + tables().replace("### ", "## ") + "\n"
