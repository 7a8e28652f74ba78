from pathlib import Path

from benchmark.run.files import environment_path, weights_path

LOG = Path("strong/scaffold/result_12.txt")


def test_the_files_of_a_run_and_of_one_that_was_resumed():
    assert weights_path(LOG) == Path("strong/scaffold/weights/result_12.safetensors")
    assert environment_path(LOG) == Path("strong/scaffold/environment_12.json")
    assert environment_path(LOG, 3).name == "environment_12_3.json"
    assert environment_path(LOG.with_name("other.txt")).name == "environment_other.json"
