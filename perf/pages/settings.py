"""docs/settings.md: all settings of a run, with the values that each division allows."""

from implementations.pytorch_tools.settings import tables

INTRO = """# Settings

A run takes its settings from `implementations/pytorch/configs/<problem>.yaml`; words `name=value` on the command line
override them.

- **Default** is the value that most problems of the benchmark have. Problems with another value are in brackets.
- **The two divisions** allow any value ("yes"), values within limits ("yes: from 1") or this value alone ("no: 1").
  [Submitting](submitting.md#4-what-may-change) explains them.
- **From `eval_batch_size` on**, settings change how a machine computes, not what is trained. Any value is allowed.

`python implementations/pytorch_tools/settings.py --problem smoke` prints the table of one problem.
`python perf/contract.py` writes this page.

"""


def page() -> str:
    """The Markdown of the settings: a table for each workload."""
    return INTRO + tables().replace("### ", "## ") + "\n"
