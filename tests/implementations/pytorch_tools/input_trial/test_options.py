"""Which options go together."""

import pytest

from benchmark.run.options import parse_options
from implementations.pytorch_tools.input_trial.options import SUPPORTED, add_options, contradiction, needs_model

RUN = ("--problem", "smoke", "--data", "d", "--log", "l")
ANOTHER = "found another source of computation too, wanted one of them"
ALL = "stored, hdf5, tfrecord, tfrecord-gzip, raw"


def parsed(*arguments):
    return parse_options("", [*RUN, *arguments], SUPPORTED, add_options)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--compute-seconds", "0", "--emulate", "sleep"],
        ["--io-epochs", "10000", "--compute-from", "log"],
        ["--formats", "stored", "raw", "--scratch", "s"],
        ["--copies", "100000", "--scratch", "s", "--least-au", "1"],
    ],
)
def test_good_ones(arguments):
    options = parsed(*arguments)
    assert contradiction(options) == "" and options.io_only is True
    assert (options.settings, options.later_settings) == ([], [])


def test_settings_may_follow_formats_and_folders():
    options = parsed("--from", "/a", "b/c=d", "workers=1", "--formats", "raw", "threads=2", "--scratch", "s", "seed=3")
    assert (options.places, options.formats) == (["/a", "b/c=d"], ["raw"])
    assert options.settings == ["seed=3"] and options.later_settings == ["workers=1", "threads=2"]
    assert contradiction(parsed("--formats", "threads=2")).startswith("--formats: found none, wanted some of stored")


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        (["--io-epochs", "0"], "--io-epochs: found 0, wanted 1 to 10000"),
        (["--io-epochs", "10001"], "--io-epochs: found 10001, wanted 1 to 10000"),
        (["--compute-seconds", "-1"], "--compute-seconds: found -1.0, wanted 0 to 3600"),
        (["--compute-seconds", "3601"], "--compute-seconds: found 3601.0, wanted 0 to 3600"),
        (["--compute-seconds", "nan"], "--compute-seconds: found nan, wanted 0 to 3600"),
        (["--compute-seconds", "1", "--compute-from", "log"], f"--compute-seconds: {ANOTHER}"),
        (["--compute-from", "log", "--emulate", "device"], f"--compute-from: {ANOTHER}"),
        (["--copies", "-1", "--scratch", "s"], "--copies: found -1, wanted 1 to 100000"),
        (["--copies", "100001", "--scratch", "s"], "--copies: found 100001, wanted 1 to 100000"),
        (["--copies", "2"], "--copies: found no --scratch, wanted a folder for the copies"),
        (["--least-au", "0"], "--least-au: found 0.0, wanted a share of 1, such as 0.9"),
        (["--least-au", "1.01"], "--least-au: found 1.01, wanted a share of 1, such as 0.9"),
        (["--from", "no/data"], "--from: found no no/data/manifest.json, wanted folders with the dataset"),
        (["--formats", "raw"], "--formats: found no --scratch, wanted a folder for the copies"),
        (["--formats", "raw", "raw", "--scratch", "s"], "--formats: found raw raw, wanted each once"),
        (["--formats", "zip", "--scratch", "s"], f"--formats: found zip, wanted some of {ALL}"),
    ],
)
def test_bad_ones(arguments, wrong):
    assert contradiction(parsed(*arguments)) == wrong


def test_who_needs_the_network():
    assert not needs_model(parsed())
    assert needs_model(parsed("--emulate", "device"))
    assert needs_model(parsed("--checkpoint", "c"))
