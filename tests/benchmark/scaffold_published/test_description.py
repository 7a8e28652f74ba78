import pytest

from benchmark.scaffold_published.description import check_description
from tests.support.published import write_dataset


def test_the_generators_own_words_are_of_the_problem(data, problem, tmp_path):
    """145 instances stand for 144, and other files say nothing."""
    check_description(data, problem)
    check_description(write_dataset(tmp_path, problem, n_instances_used_per_fractal=problem.instances + 1), problem)
    (data / "config.yml").write_text("- some list\n")
    (data / "volumes_contents.csv").unlink()
    check_description(data, problem)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"dc_num_shards": [1, 1, 2]}, r"dc_num_shards: found \[1, 1, 2\], wanted unsharded files"),
        ({"problem_scale": 7}, "problem_scale: found 7, wanted 3 of tiny"),
        ({"n_instances_used_per_fractal": 9}, "n_instances_used_per_fractal: found 9, wanted 6"),
        ({"val_split": 20}, "val_split: found 20, wanted 30"),
    ],
)
def test_a_configuration_of_another_dataset(problem, tmp_path, words, said):
    with pytest.raises(ValueError, match=f"config.yml: {said}"):
        check_description(write_dataset(tmp_path, problem, **words), problem)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("index,category,instance\n0,1,2\n", "found 1 volumes, wanted 10"),
        ("0,1,2,3,4\n" * 10, "volume 1: found 0,1,2,3,4, wanted 7 numbers"),
        ("0,1,2,3,4,9,9\n" * 10, "volume 1: found category 9, wanted 0 to 4"),
        ("0,1,2,3,4,x,9\n" * 10, "volume 1: found 0,1,2,3,4,x,9, wanted"),
    ],
)
def test_a_list_of_other_volumes(data, problem, text, said):
    (data / "volumes_contents.csv").write_text(text)
    with pytest.raises(ValueError, match=f"volumes_contents.csv: {said}"):
        check_description(data, problem)
