import errno

import pytest

from benchmark.run.errors import Aborted, WrongData, reason


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FileNotFoundError(errno.ENOENT, "No such file or directory", "a.h5"), "a.h5: No such file or directory"),
        (OSError(errno.EXDEV, "Invalid cross-device link", "a", None, "b"), "b: Invalid cross-device link"),
        (OSError(errno.ENOSPC, "No space left on device"), "No space left on device"),
        (OSError("found 1 GB free, wanted 2 GB"), "found 1 GB free, wanted 2 GB"),
        (ValueError("first line\nsecond line"), "first line"),
        (ValueError(), "ValueError()"),
        (KeyError("x"), "'x'"),
    ],
)
def test_a_reason_is_one_line(error, said):
    assert reason(error) == said


def test_wrong_data_are_one_ranks_unless_all_know():
    assert not WrongData("a.h5: damaged").everywhere and WrongData("manifest", everywhere=True).everywhere
    assert str(WrongData("a.h5: damaged")) == "a.h5: damaged" and not isinstance(WrongData(""), Aborted)
