"""The command line that every implementation has."""

import runpy
import sys
from pathlib import Path

import pytest

from benchmark.problem import UNREACHED
from benchmark.run.options import OPTIONAL, REQUIRED, parse_options

ROOT = Path(__file__).resolve().parents[3]
NEEDED = ["--problem", "tiny", "--data", "x", "--log", "result_3.txt"]
VALUES = {  # what each option of the contract takes, and the value that it gives
    "--org": (["us"], "us"),
    "--system": (["box"], "box"),
    "--division": (["open"], "open"),
    "--status": (["cloud"], "cloud"),
    "--layout": (["2,1,1,1"], "2,1,1,1"),
    "--stage": (["disk"], Path("disk")),
    "--checkpoint": (["c"], Path("c")),
    "--resume": (["--checkpoint", "c"], True),
    "--keep-states": (["--checkpoint", "c"], True),
    "--registry": (["r.yaml", "--entry", "2"], Path("r.yaml")),
    "--entry": (["2", "--registry", "r.yaml"], 2),
    "--run": (["4"], 4),
    "--steps": (["5"], 5),
    "--trial": (["campaign"], Path("campaign")),
    "--batch-from-table": (["hpo_table.json:4"], "hpo_table.json:4"),
    "--rehearsal-seed": (["7"], 7),
    "--problems": (["p.yaml"], Path("p.yaml")),
    "--config": (["c.yaml"], Path("c.yaml")),
    "--describe": ([], True),
    "--head": ([], True),
}
DEFAULTS = {"--org": "unnamed", "--system": "unnamed", "--division": "closed", "--status": "onprem", "--steps": 0}
FLAGS = ("--resume", "--keep-states", "--describe", "--head")


def parse(*arguments: str, **more):
    return parse_options("What it does.", [*NEEDED, *arguments], **more)


def field(option: str) -> str:
    return option.strip("-").replace("-", "_")


def refused(capsys, *arguments: str, **more) -> str:
    """The last line on stderr of a command that ends with exit code 2."""
    with pytest.raises(SystemExit, match=r"^2$"):
        parse(*arguments, **more)
    return capsys.readouterr().err.splitlines()[-1]


def test_every_option_of_the_contract_is_tried():
    assert set(VALUES) == {*REQUIRED, *OPTIONAL} - {"--problem", "--data", "--log"}
    options = parse()
    assert (options.problem, options.data, options.log) == ("tiny", Path("x"), Path("result_3.txt"))


@pytest.mark.parametrize("option", VALUES)
def test_an_option_gives_its_value_and_has_a_default(option):
    values, wanted = VALUES[option]
    assert getattr(parse(option, *values), field(option)) == wanted
    default = 3 if option == "--run" else DEFAULTS.get(option, False if option in FLAGS else None)
    assert getattr(parse(), field(option)) == default != wanted


@pytest.mark.parametrize("option", OPTIONAL)
def test_an_option_that_is_not_supported_has_its_default(capsys, option):
    values, _ = VALUES[option]
    supported = [name for name in OPTIONAL if name != option]
    rest = values if option in FLAGS else values[1:]
    said = refused(capsys, option, *values, supported=supported)
    assert f"unrecognized arguments: {option}" in said or (rest and "--registry: found one of" in said)
    options = parse(supported=supported)
    assert options.supported == supported
    assert getattr(options, field(option)) == (3 if option == "--run" else getattr(parse(), field(option)))


def test_the_supported_options_are_in_the_contracts_order():
    assert parse(supported=["--head", "--layout", "--own"]).supported == ["--layout", "--head"]
    assert parse().supported == list(OPTIONAL)
    assert parse(supported=[]).supported == []


@pytest.mark.parametrize("missing", ["--problem", "--data", "--log"])
def test_what_is_required_is_asked_for(capsys, missing):
    at = NEEDED.index(missing)
    arguments = NEEDED[:at] + NEEDED[at + 2 :]
    with pytest.raises(SystemExit, match=r"^2$"):
        parse_options(None, arguments)
    assert f"required: {missing}" in capsys.readouterr().err


def test_a_description_needs_the_problem_alone(capsys):
    options = parse_options(None, ["--describe", "--problem", "tiny"])
    assert (options.data, options.log, options.run) == (None, None, None)
    with pytest.raises(SystemExit, match=r"^2$"):
        parse_options(None, ["--describe"])
    assert "required: --problem" in capsys.readouterr().err
    with pytest.raises(SystemExit, match=r"^2$"):  # an implementation that does not describe itself
        parse_options(None, ["--describe", "--problem", "tiny"], supported=["--head"])


def test_settings_stand_on_either_side_of_options():
    options = parse_options(None, ["epochs=1", *NEEDED, "workers=2", "--layout", "2,1,1,1", "threads=3"])
    assert options.settings == ["epochs=1", "workers=2", "threads=3", "layout=[2,1,1,1]"]
    assert parse().settings == []


@pytest.mark.parametrize("arguments", [["epochs=1", "--epoch"], ["--division", "half"], ["--steps", "few"]])
def test_a_wrong_command_ends_with_2(capsys, arguments):
    assert refused(capsys, *arguments)


@pytest.mark.parametrize(
    ("log", "more", "run"),
    [
        ("result_0.txt", [], 0),
        ("a/b/result_12.txt", [], 12),
        ("result_3.txt", ["--run", "5"], 5),
        ("result_3.txt", ["--run", "0"], 0),
        ("log.txt", [], None),
        ("result_3.txt.txt", [], None),
        ("result_1234567890.txt", [], None),
    ],
)
def test_the_run_is_that_of_the_logs_name_unless_it_is_said(log, more, run):
    assert parse_options(None, [*NEEDED[:4], "--log", log, *more]).run == run


REGISTRY = ["--registry", "r.yaml", "--entry", "1"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--resume"], "--resume: found no --checkpoint"),
        (["--keep-states"], "--keep-states: found no --checkpoint"),
        (["--registry", "r.yaml"], "--registry: found one of --registry and --entry"),
        (["--entry", "1"], "--registry: found one of --registry and --entry"),
        ([*REGISTRY, "--rehearsal-seed", "7"], "--rehearsal-seed: found --registry too"),
        (["--trial", "c", "--steps", "3"], "--trial: found another of --steps, --checkpoint"),
        (["--trial", "c", *REGISTRY], "--trial: found another of --steps, --checkpoint"),
        (["--trial", "c", "--batch-from-table", "x:3"], "--trial: found another of --steps, --checkpoint"),
        ([*REGISTRY, "--log", "log.txt"], "--log: found log.txt, wanted result_<i>.txt, or --run I"),
        (["--steps", "-1"], "--steps: found -1, wanted 1 or more"),
        (["--checkpoint", "c", "--steps", "1"], "--checkpoint: found --steps too"),
        (["--head", "--steps", "1"], "--head: found another of --steps, --resume"),
        (["--head", "--checkpoint", "c", "--resume"], "--head: found another of --steps, --resume"),
    ],
)
def test_options_that_contradict_each_other_end_with_2(capsys, arguments, said):
    assert f"error: {said}" in refused(capsys, *arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        [*REGISTRY, "--log", "log.txt", "--run", "2"],
        [*REGISTRY, "--log", "log.txt", "--describe"],
        ["--trial", "c", "--stage", "disk", "--layout", "1,1,1,1"],
        ["--steps", "0"],
        ["--head", "--checkpoint", "c"],
        ["--head", "--trial", "c"],
        ["--batch-from-table", "x:3", "--checkpoint", "c"],
    ],
)
def test_options_that_go_together_pass(arguments):
    assert parse(*arguments).problem == "tiny"


def test_an_implementation_may_have_options_of_its_own(capsys):
    def add(parser):
        parser.add_argument("--trace", type=Path)

    assert parse("--trace", "t.json", add=add).trace == Path("t.json")
    assert "unrecognized arguments: --trace" in refused(capsys, "--trace", "t.json")


@pytest.mark.parametrize(
    "program", ["benchmark/generate.py", "harness/submit.py", "harness/launch/render.py", "perf/project.py"]
)
def test_help_says_which_problems_nobody_reached(program, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [program, "--help"])
    with pytest.raises(SystemExit):
        runpy.run_path(str(ROOT / program), run_name="__main__")
    assert UNREACHED in " ".join(capsys.readouterr().out.split())


def test_help_of_a_program_says_it_too(capsys):
    with pytest.raises(SystemExit):
        parse_options("A program.", ["--help"])
    assert UNREACHED in " ".join(capsys.readouterr().out.split())
