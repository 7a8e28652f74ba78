"""The flow of a module: what is kept of its calls, seedings, draws and logs, without its syntax tree."""

import ast

import pytest

from compliance.source.flow import TORCH, Seeding, Value, read_flow
from compliance.source.module import gather


def flow(*lines):
    return read_flow(gather(ast.parse("\n".join(lines))), lines)


def test_a_seeding_has_its_line_its_text_and_what_it_is_given():
    found = flow("import torch", "seed = draw()", "torch.manual_seed(seed)  # here")
    assert found.seedings == (Seeding(3, "torch.manual_seed(seed)  # here", Value((((0, "seed"), 3),)), "torch"),)


@pytest.mark.parametrize(
    ("given", "of", "beside"),
    [
        ("seed", ["seed"], []),
        ("seed + 1", ["seed"], []),
        ("seed + rank", ["seed"], ["rank"]),
        ("seed + get_rank()", ["seed"], []),
        ("seed % 2**31", ["seed"], []),
        ("int(seed)", ["seed"], []),
        ("[seed, rank]", ["seed"], ["rank"]),
        ("42", [], []),
    ],
)
def test_arithmetic_that_keeps_runs_apart_keeps_the_seed(given, of, beside):
    (found,) = flow("import torch", "seed = rank = draw()", f"torch.manual_seed({given})").seedings
    assert [name for (_, name), _ in found.value.of] == of
    assert [name for _, name in found.value.beside] == beside


@pytest.mark.parametrize(
    "given", ["seed % 4", "seed & 3", "seed >> 60", "seed // 2", "hash(seed)", "seed - seed", "seed + get_rank(seed)"]
)
def test_any_other_arithmetic_is_not_followed(given):
    (found,) = flow("import torch", "seed = draw()", f"torch.manual_seed({given})").seedings
    assert found.value is None


def test_draws_logs_and_what_is_passed_on():
    found = flow("import torch", "log.event('seed', seed)", "x = torch.rand(3)", "f = torch.manual_seed")
    assert found.drawn == ((3, "x = torch.rand(3)", "torch"),)
    assert found.logged == ((None, 2),)  # nothing in the module assigns the name
    assert [s.text for s in found.seedings] == ["f = torch.manual_seed: a seeder that is passed on"]
    assert "manual_seed" in found.read


def test_a_draw_from_a_generator_of_its_own_is_none_of_the_librarys():
    assert flow("import torch", "x = torch.rand(3, generator=g)").drawn == ()


def test_pytorchs_own_seed_is_a_place_of_its_own():
    (found,) = flow("import numpy as np", "import torch", "np.random.seed(torch.initial_seed())").seedings
    assert (found.value.of, found.library) == (((TORCH, 3),), "numpy")
