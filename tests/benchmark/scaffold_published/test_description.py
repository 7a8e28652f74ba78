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


CONFIG, CONTENTS = "config.yml", "volumes_contents.csv"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (CONFIG, "problem_scale: 3\ndc_num_shards: [1, 1, 2]", r"found \[1, 1, 2\], wanted unsharded files"),
        (CONFIG, "problem_scale: 7", "problem_scale: found 7, wanted 3 of tiny"),
        (CONFIG, "problem_scale: 3\nn_instances_used_per_fractal: 9", "_per_fractal: found 9, wanted 6"),
        (CONFIG, "problem_scale: 3\nval_split: 20", "val_split: found 20, wanted 30"),
        (CONTENTS, "index,category,instance\n0,1,2\n", "found 1 volumes, wanted 10"),
        (CONTENTS, "0,1,2,3,4\n" * 10, "volume 1: found 0,1,2,3,4, wanted 7 numbers"),
        (CONTENTS, "0,1,2,3,4,9,9\n" * 10, "volume 1: found category 9, wanted 0 to 4"),
        (CONTENTS, "1" * 200_000, "field larger than field limit"),
        (CONTENTS, "0,1,2,3,4,x,9\n" * 10, "volume 1: found 0,1,2,3,4,x,9, wanted"),
    ],
)
def test_words_of_another_dataset_are_refused(data, problem, name, text, said):
    (data / name).write_text(text)
    with pytest.raises(ValueError, match=f"{name}: .*{said}"):
        check_description(data, problem)
