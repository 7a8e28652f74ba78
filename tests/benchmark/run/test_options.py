from pathlib import Path

import pytest

from benchmark.problem import UNREACHED
from benchmark.run.options import OPTIONAL, REQUIRED, parse_options

NEEDED = ["--problem", "tiny", "--data", "x", "--log", "result_3.txt"]
VALUES = {  # what each option of the contract takes, the value that it gives, and its default
    "--org": (["us"], "us", "unnamed"),
    "--system": (["box"], "box", "unnamed"),
    "--division": (["open"], "open", "closed"),
    "--status": (["cloud"], "cloud", "onprem"),
    "--layout": (["2,1,1,1"], "2,1,1,1", None),
    "--stage": (["disk"], Path("disk"), None),
    "--checkpoint": (["c"], Path("c"), None),
    "--resume": (["--checkpoint", "c"], True, False),
    "--keep-states": (["--checkpoint", "c"], True, False),
    "--registry": (["r.yaml", "--entry", "2"], Path("r.yaml"), None),
    "--entry": (["2", "--registry", "r.yaml"], 2, None),
    "--run": (["4"], 4, 3),
    "--steps": (["5"], 5, 0),
    "--trial": (["campaign"], Path("campaign"), None),
    "--batch-from-table": (["hpo_table.json:4"], "hpo_table.json:4", None),
    "--rehearsal-seed": (["7"], 7, None),
    "--problems": (["p.yaml"], Path("p.yaml"), None),
    "--config": (["c.yaml"], Path("c.yaml"), None),
    "--describe": ([], True, False),
    "--head": ([], True, False),
}


def parse(*arguments: str, **more):
    return parse_options("What it does.", [*NEEDED, *arguments], **more)


def value(options, option: str):
    return getattr(options, option.strip("-").replace("-", "_"))


def refused(capsys, *arguments: str, **more) -> str:
    """The last line on stderr of a command that ends with exit code 2."""
    with pytest.raises(SystemExit, match=r"^2$"):
        parse(*arguments, **more)
    return capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("option", [name for name in (*REQUIRED, *OPTIONAL) if name not in NEEDED])
def test_an_option_gives_its_value_and_has_a_default(capsys, option):
    """Also where it is not supported."""
    words, wanted, default = VALUES[option]
    assert value(parse(option, *words), option) == wanted
    assert value(parse(), option) == default
    if option in OPTIONAL:
        supported = [name for name in OPTIONAL if name != option]
        assert f"unrecognized arguments: {option}" in refused(capsys, option, *words, supported=supported)
        options = parse(supported=[*reversed(supported), "--own"])
        assert options.supported == supported and value(options, option) == default


@pytest.mark.parametrize(
    ("arguments", "missing"),
    [(NEEDED[2:], "problem"), (NEEDED[:2] + NEEDED[4:], "data"), (NEEDED[:4], "log"), (["--describe"], "problem")],
)
def test_what_is_required_is_asked_for(capsys, arguments, missing):
    with pytest.raises(SystemExit, match=r"^2$"):
        parse_options(None, arguments)
    assert f"required: --{missing}" in capsys.readouterr().err
    options = parse()
    assert (options.problem, options.data, options.log) == ("tiny", Path("x"), Path("result_3.txt"))
    options = parse_options(None, ["--describe", "--problem", "tiny"])  # which needs the problem alone
    assert (options.data, options.log, options.run) == (None, None, None)


def test_settings_stand_on_either_side_of_options():
    options = parse_options(None, ["epochs=1", *NEEDED, "workers=2", "--layout", "2,1,1,1", "threads=3"])
    assert options.settings == ["epochs=1", "workers=2", "threads=3", "layout=[2,1,1,1]"]
    assert parse().settings == []


@pytest.mark.parametrize(
    ("log", "more", "run"),
    [
        ("a/b/result_12.txt", [], 12),
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
        (["--division", "half"], "argument --division: invalid choice"),
        (["--resume"], "--resume: found no --checkpoint"),
        (["--keep-states"], "--keep-states: found no --checkpoint"),
        (["--registry", "r.yaml"], "--registry: found one of --registry and --entry"),
        (["--entry", "1"], "--registry: found one of --registry and --entry"),
        ([*REGISTRY, "--rehearsal-seed", "7"], "--rehearsal-seed: found --registry too"),
        (["--trial", "c", "--steps", "3"], "--trial: found another of --steps, --checkpoint"),
        (["--trial", "c", *REGISTRY], "--trial: found another of --steps, --checkpoint"),
        (["--trial", "c", "--batch-from-table", "x:3"], "--trial: found another of --steps, --checkpoint"),
        ([*REGISTRY, "--log", "log.txt"], "--log: found log.txt, wanted result_<i>.txt, or --run I"),
        (["--rehearsal-seed", "-1"], "--rehearsal-seed: found -1, wanted 0 to 2^63 - 1"),
        (["--rehearsal-seed", str(2**63)], f"--rehearsal-seed: found {2**63}, wanted 0 to 2^63 - 1"),
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
        ["--head", "--checkpoint", "c"],
        ["--rehearsal-seed", "0"],
        ["--rehearsal-seed", str(2**63 - 1)],
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
    with pytest.raises(SystemExit, match=r"^0$"):
        parse("--help")
    assert UNREACHED in " ".join(capsys.readouterr().out.split())
