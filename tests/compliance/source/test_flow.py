"""The flow of a module: what is kept of its calls, seedings, draws and logs, without its syntax tree."""

import ast

from compliance.source.flow import Seeding, Value, read_flow
from compliance.source.module import gather


def flow(*lines):
    return read_flow(gather(ast.parse("\n".join(lines))), lines)


def test_a_seeding_has_its_line_its_text_and_what_it_is_given():
    found = flow("import torch", "seed = draw()", "torch.manual_seed(seed)  # here")
    assert found.seedings == (Seeding(3, "torch.manual_seed(seed)  # here", Value((((0, "seed"), 3),)), "torch"),)


def test_draws_logs_and_what_is_passed_on():
    found = flow("import torch", "log.event('seed', seed)", "x = torch.rand(3)", "f = torch.manual_seed")
    assert found.drawn == ((3, "x = torch.rand(3)", "torch"),)
    assert found.logged == ((None, 2),)  # nothing in the module assigns the name
    assert [s.text for s in found.seedings] == ["f = torch.manual_seed: a seeder that is passed on"]
    assert "manual_seed" in found.read
