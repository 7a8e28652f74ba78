"""SEED: seeds that are missing, no numbers, small, the clock's, used twice, or fixed in the source."""

from fractions import Fraction

import pytest

from compliance.families import seeds as checks
from compliance.reading.across import Replay
from tests.compliance import made
from tests.compliance.families.damages import damage, event_changed, file_added, files_changed, files_found, log_changed

SEEDS = made.OURS.limits.seeds
RING = 1 << SEEDS.modulus_bits
TRAIN = "implementations/pytorch/train.py"


no_seed = files_changed("SEED01", "result_2.txt", lambda tree: tree.removed("seed"))
seed_of_text = event_changed("SEED02", "seed", value="lucky")
seed_of_64_bits = event_changed("SEED02", "seed", value=(1 << 63) + (1 << 62) + 5)
seed_in_quotes = event_changed("SEED02", "seed", value=str((1 << 62) + 5))
seed_of_the_clock = log_changed(
    "SEED03", lambda tree, log: tree.changed("seed", value=log.one("seed")["time_ms"] * 1_000_000 + 123_456)
)
seed_of_the_shell = event_changed("SEED03", "seed", value=22557)
rehearsal = event_changed("SEED04", "seed", metadata={"source": "rehearsal"})
seed_fixed_in_the_source = file_added("SEED06", TRAIN, "torch.manual_seed(0)\n")


def seed_of_another(code, change, **metadata):
    """A damage: run 3 has a seed that is made of run 1's."""

    def changed(tree):
        return tree.changed("seed", 3, value=change(tree.logs[1].one("seed")["value"]), metadata=metadata)

    return files_found(code, "result_3.txt", changed)


seeds_equal_at_different_source_lines = seed_of_another("SEED05", lambda seed: seed, file="other.py", lineno=999)
seed_that_is_the_next_after_anothers = seed_of_another("SEED07", lambda seed: seed + 1)
# The generator on a CPU takes both for the same.
seed_whose_low_bits_are_anothers = seed_of_another("SEED07", lambda seed: seed ^ (1 << 55 | 1 << 40))


@damage
def seed_that_generators_take_for_anothers(tree):
    """Reduced to the bits that generators take, it is run 1's."""
    line = tree.changed("seed", 3, value=tree.logs[1].one("seed")["value"] + 5 * RING)
    return [("result_3.txt", line, "SEED02"), ("result_3.txt", line, "SEED05")]


@pytest.mark.parametrize(
    ("name", "text"),
    [("train.py", 'parser.add_argument("--seed", type=int, default={})\n'), ("tiny.yaml", "seed: {}\n")],
)
def test_seed_that_a_run_logs(tree, found, name, text):
    path = f"implementations/pytorch/{'configs/' * name.endswith('yaml')}{name}"
    line = tree.add(path, text.format(tree.logs[1].one("seed")["value"]))
    assert found(tree.root) == [(name, line, "SEED06")]


def test_default_that_no_run_used_is_no_fault(tree, found):
    tree.add(TRAIN, 'parser.add_argument("--seed", type=int, default=42)\n')
    assert found(tree.root) == []
    line = tree.changed("seed", value=42)
    assert found(tree.root) == [("result_2.txt", line, "SEED03")]  # and not that the source has it


@pytest.mark.parametrize(
    ("name", "text"),
    [("settings.py", "BASE = 40\nTHE_SEED = BASE + 2\n"), ("settings/__init__.py", "THE_SEED = 42\n")],
)
def test_constant_of_another_file_or_of_a_package(tree, found, name, text):
    tree.add(f"implementations/pytorch/{name}", text)
    line = tree.add(TRAIN, "from .settings import THE_SEED\n\ntorch.manual_seed(THE_SEED)\n")
    assert found(tree.root) == [("train.py", line + 2, "SEED06")]


def test_constants_do_not_reach_another_folder(tree, found):
    tree.put(tree.root / "benchmarks/scaffold/implementations/old/settings.py", "THE_SEED = 42\n")
    tree.add("implementations/pytorch/settings.py", "THE_SEED = fresh()\n")
    line = tree.add(TRAIN, "from .settings import THE_SEED\n\ntorch.manual_seed(THE_SEED)\n")
    assert found(tree.root) == [("train.py", line + 2, "CODE02")]


@pytest.mark.parametrize(
    ("copies", "replays", "codes", "told"),
    [(("b",), (), (), 0), ((), ("b",), (), 0), ((), (), ("SEED03",), 0), (("a",), ("a",), (), 1)],
)
def test_seeds_of_copies_and_replays_are_reported_once(copies, replays, codes, told):
    first, run = made.run(path="a"), made.run(path="b", codes=codes, seeds=((7, 5),))
    across = made.across(
        *(first, run),
        copies=dict.fromkeys(copies),
        replays=[Replay(made.run(path=path), 1, first, 5) for path in replays],
        reused_seeds=[((run, 7, 5), (first, 8, 5))],
        related_seeds=[(run, "next to another")],
        concerned=lambda run, other: [(run, other), (other, run)],  # who copied, logs don't tell
    )
    assert [(f.path, f.line) for f in checks.no_seed_is_used_twice(across)] == [("b", 7), ("a", 8)] * told
    assert [(f.path, f.line) for f in checks.seeds_are_unrelated(across)] == [("b", 7)] * told


@pytest.mark.parametrize(("bits", "codes"), [(SEEDS.bits, []), (SEEDS.bits - 1, ["SEED03"])])
def test_seed03_a_seed_has_the_bits_that_are_asked_for(tree, codes_of, bits, codes):
    tree.logs[2].one("seed")["value"] = (1 << bits) - 12_345
    assert codes_of(tree) == codes


@pytest.mark.parametrize(
    ("unit", "each"),
    [("seconds", 1000), ("milliseconds", 1), ("microseconds", Fraction(1, 1000)), ("nanoseconds", Fraction(1, 10**6))],
)
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_seed_is_the_clock_in_a_unit_within_the_window(unit, each, sign):
    now, window = 1_790_000_000_000, 60.0
    within = int((now + sign * 60_000) / Fraction(each))
    assert checks._clock(within, now, window) == f"the clock in {unit}"
    assert checks._clock(within + sign, now, window) == ""
    assert checks._clock(within, now, 0.0) == checks._clock(within, None, window) == ""
