"""SEED: seeds that are missing, no numbers, small, the clock's, used twice, or fixed in the source."""

import pytest

from rules.edition import load

damage = pytest.mark.damage
SEEDS = load("v1.0").limits.seeds
MS = 1000
TRAIN = "implementations/pytorch/train.py"


@damage
def no_seed(tree):
    tree.removed("seed")
    return [("result_2.txt", 1, "SEED01")]


@damage
def seed_of_text(tree):
    return [("result_2.txt", tree.changed("seed", value="lucky"), "SEED02")]


@damage
def seed_in_quotes(tree):
    return [("result_2.txt", tree.changed("seed", value=str((1 << 62) + 5)), "SEED02")]


@damage
def seed_of_the_clock(tree):
    time = tree.logs[2].one("seed")["time_ms"]
    return [("result_2.txt", tree.changed("seed", value=time * 1_000_000 + 123_456), "SEED03")]


@damage
def seed_of_the_shell(tree):
    return [("result_2.txt", tree.changed("seed", value=22557), "SEED03")]


@damage
def rehearsal(tree):
    return [("result_2.txt", tree.changed("seed", metadata={"source": "rehearsal"}), "SEED04")]


@damage
def seed_changed_to_anothers(tree):
    line = tree.changed("seed", 3, value=tree.logs[1].one("seed")["value"])
    return [("result_3.txt", line, "SEED05")]


@damage
def seeds_equal_at_different_source_lines(tree):
    seed = tree.logs[1].one("seed")
    event = tree.logs[3].one("seed")
    event["value"] = seed["value"]
    event["metadata"].update(file="other.py", lineno=999)
    tree.write(3)
    return [("result_3.txt", tree.logs[3].line(event), "SEED05")]


@damage
def all_seeds_1_to_5(tree):
    return [(f"result_{i}.txt", tree.changed("seed", i, value=i + 1), "SEED03") for i in range(5)]


@damage
def study_without_a_seed(study):
    study.logs[6].events.remove(study.logs[6].one("seed"))
    study.write(6)
    return [("result_1.txt", 1, "SEED01")]


@damage
def seed_of_a_run(study):
    return [("result_1.txt", study.changed("seed", value=study.logs[0].one("seed")["value"]), "SEED05")]


@damage
def seed_fixed_in_the_source(tree):
    return [("train.py", tree.add(TRAIN, "torch.manual_seed(0)\n"), "SEED06")]


def test_damage(entry, exactly):
    exactly(entry)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("train.py", 'parser.add_argument("--seed", type=int, default={})\n'),
        ("train.py", "one_of_many = [{}]\n"),
        ("tiny.yaml", "seed: {}\n"),
        ("run.sh", "export SEED={}\n"),
    ],
)
def test_seed_that_a_run_logs(tree, found, name, text):
    path = f"implementations/pytorch/{'configs/' * name.endswith('yaml')}{name}"
    line = tree.add(path, text.format(tree.logs[1].one("seed")["value"]))
    assert found(tree.root) == [(name, line, "SEED06")]


def test_default_that_no_run_used_is_no_fault(tree, found):
    tree.add(TRAIN, 'parser.add_argument("--seed", type=int, default=42)\n')
    assert found(tree.root) == []


def test_constant_of_another_file(tree, found):
    tree.add("implementations/pytorch/settings.py", "BASE = 40\nTHE_SEED = BASE + 2\n")
    line = tree.add(TRAIN, "from .settings import THE_SEED\n\ntorch.manual_seed(THE_SEED)\n")
    assert found(tree.root) == [("train.py", line + 2, "SEED06")]


def test_constants_do_not_reach_another_folder(tree, found):
    tree.put(tree.root / "benchmarks/scaffold/implementations/old/settings.py", "THE_SEED = 42\n")
    tree.add("implementations/pytorch/settings.py", "THE_SEED = fresh()\n")
    tree.add(TRAIN, "from .settings import THE_SEED\n\ntorch.manual_seed(THE_SEED)\n")
    assert found(tree.root) == []


def codes_of(tree, found):
    tree.write(2)
    return [code for _, _, code in found(tree.root)]


@pytest.mark.parametrize(("bits", "codes"), [(SEEDS.bits, []), (SEEDS.bits - 1, ["SEED03"])])
def test_seed03_a_seed_has_the_bits_that_are_asked_for(tree, found, bits, codes):
    tree.logs[2].one("seed")["value"] = (1 << bits) - 12_345
    assert codes_of(tree, found) == codes


@pytest.mark.parametrize("scale", [1_000, 1_000_000])  # micro- and nanoseconds: of more bits than are asked for
@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize(("beyond", "codes"), [(0, ["SEED03"]), (1, [])])
def test_seed03_a_seed_is_the_clock_up_to_the_window(tree, found, scale, sign, beyond, codes):
    event = tree.logs[2].one("seed")
    event["value"] = event["time_ms"] * scale + sign * (int(SEEDS.clock_window * MS) * scale + beyond)
    assert codes_of(tree, found) == codes
