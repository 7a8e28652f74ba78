"""Which options go together."""

import argparse

import pytest

from implementations.pytorch.io_trial.options import add_options, check_options, needs_model


def parsed(*arguments):
    parser = argparse.ArgumentParser()
    for name in ("steps", "trace", "resume", "registry", "checkpoint"):
        parser.add_argument(f"--{name}")
    add_options(parser)
    args = parser.parse_args(arguments)
    check_options(parser, args)
    return args


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--io-only"],
        ["--io-only", "--compute-seconds", "0", "--emulate", "sleep"],
        ["--io-only", "--io-epochs", "10000", "--compute-from", "log"],
        ["--io-only", "--formats", "stored", "raw", "--scratch", "s", "--from", "a", "b"],
    ],
)
def test_good_ones(arguments):
    parsed(*arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--compute-seconds", "1"],
        ["--emulate", "sleep"],
        ["--io-epochs", "3"],
        ["--from", "a"],
        ["--io-only", "--steps", "3"],
        ["--io-only", "--resume", "y"],
        ["--io-only", "--io-epochs", "0"],
        ["--io-only", "--io-epochs", "10001"],
        ["--io-only", "--compute-seconds", "-1"],
        ["--io-only", "--compute-seconds", "3601"],
        ["--io-only", "--compute-seconds", "nan"],
        ["--io-only", "--compute-seconds", "1", "--compute-from", "log"],
        ["--io-only", "--compute-seconds", "1", "--emulate", "device"],
        ["--io-only", "--formats", "raw"],
        ["--io-only", "--formats", "raw", "raw", "--scratch", "s"],
    ],
)
def test_bad_ones(arguments, capsys):
    with pytest.raises(SystemExit):
        parsed(*arguments)
    assert "found " in capsys.readouterr().err


def test_who_needs_the_network():
    assert needs_model(parsed()) and not needs_model(parsed("--io-only"))
    assert needs_model(parsed("--io-only", "--emulate", "device"))
    assert needs_model(parsed("--io-only", "--checkpoint", "c"))
