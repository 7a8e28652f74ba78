"""docs/settings.md: all settings of a run, with the values that each division allows."""

from implementations.pytorch_tools.settings import tables

INTRO = """# Settings

Settings are fields of `implementations/pytorch/configs/<problem>.yaml`, or words `name=value` on the command line. What
the columns of the divisions mean is in [the guide](submitting.md#4-what-may-change). "Default" is the value that most
problems of the benchmark have; those of the others are in brackets. From `eval_batch_size` on, settings change how a
machine computes, and not what is trained. `python implementations/pytorch_tools/settings.py --problem smoke` prints the
table of one problem, `python perf/contract.py` writes this page.

"""


def page() -> str:
    """The Markdown of the settings: a table for each workload."""
    return INTRO + tables().replace("### ", "## ") + "\n"
