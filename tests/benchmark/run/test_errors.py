import errno

import pytest

from benchmark.run.errors import reason


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FileNotFoundError(errno.ENOENT, "No such file or directory", "a.h5"), "a.h5: No such file or directory"),
        (OSError(errno.EXDEV, "Invalid cross-device link", "a", None, "b"), "b: Invalid cross-device link"),
        (OSError(errno.ENOSPC, "No space left on device"), "No space left on device"),
        (OSError("found 1 GB free, wanted 2 GB"), "found 1 GB free, wanted 2 GB"),
        (ValueError("first line\nsecond line"), "first line"),
        (ValueError(), "ValueError()"),
    ],
)
def test_a_reason_is_one_line(error, said):
    assert reason(error) == said
