"""CODE: what hides from people in source, and what they must look at: seeds, uses, files that nothing reads."""

import pytest

from compliance.engine import judge
from compliance.families import code as checks
from compliance.source.python import LARGEST
from rules.edition import load
from rules.published import REPOSITORY as ROOT
from tests.compliance.families.damages import damage, file_added

LOUD = "training/parts.py"  # a file of the reference that people must read, if it is anybody else's
NUMBERS = load("v1.0").limits.source_numbers
HERE = "implementations/pytorch"
TRAIN = f"{HERE}/train.py"


coding_that_hides_code = file_added("CODE01", f"{HERE}/a.py", "# coding: utf-7\n")
seed_of_a_setting = file_added("CODE02", f"{HERE}/configs/tiny.yaml", "seed: 42\n")
process_that_is_started = file_added("CODE03", TRAIN, "os.system('date')\n")
module_that_runs_by_itself = file_added("CODE03", f"{HERE}/sitecustomize.py", "a = 1\n")
kernel_in_another_language = file_added("CODE04", f"{HERE}/fast.cu", "__global__ void f() {}\n")
table_of_many_numbers = file_added("CODE04", f"{HERE}/configs/prior.yaml", "- 0.5\n" * (NUMBERS + 1))
module_too_large_to_be_parsed = file_added("CODE04", f"{HERE}/data.py", "#" * (LARGEST + 1))
seed_that_is_cancelled = file_added("CODE02", TRAIN, "seed = fresh_seed()\ntorch.manual_seed(seed * 0 + 42)\n", line=2)


def edited(tree, name, change):
    """Change a file of the reference; its text before."""
    text = (ROOT / HERE / name).read_text()
    tree.put(tree.source / HERE / name, change(text))
    tree.ran()
    return text


@damage
def environment_that_an_edited_file_reads(tree):
    text = edited(tree, "training/watchdog.py", lambda text: f"{text}import os\nFAST = os.environ.get('FAST')\n")
    return [("watchdog.py", text.count("\n") + 2, "CODE03")]


@damage
def factor_in_the_loss(tree):
    text = edited(tree, "scaffold/loss.py", lambda text: text.replace("return sums[0]", "return 0.5 * sums[0]"))
    line = 1 + text[: text.index("return sums[0]")].count("\n")
    return [("loss.py", line, "CODE05")]


def test_code04_settings_may_have_numbers(tree, law):
    tree.add(f"{HERE}/configs/prior.yaml", "- 0.5\n" * NUMBERS)
    assert findings(tree, law) == []


def findings(tree, law, family="CODE"):
    return [f for f in judge([tree.root], rules=law).findings if f.code.startswith(family)]


TOO_MUCH = "more source in all folders than seeds are followed in"


@pytest.mark.parametrize("beyond", [0, 1])
def test_seeds_are_followed_in_so_many_characters(tree, law, monkeypatch, beyond):
    characters = sum(len(path.read_text()) for path in tree.source.rglob("*.py"))
    monkeypatch.setattr(checks, "MOST_TRACED", characters - beyond)
    assert [(f.line, f.found) for f in findings(tree, law)] == [(1, TOO_MUCH)] * beyond


def test_each_folder_is_named_in_which_seeds_are_not_followed(tree, law, monkeypatch):
    tree.put(tree.root / "benchmarks/scaffold/implementations/pytorch/more.py", "RATE = 1\n")
    monkeypatch.setattr(checks, "MOST_TRACED", 0)
    assert [f.found for f in findings(tree, law, "CODE02")] == [TOO_MUCH] * 2


@pytest.mark.parametrize("name", ["pytorch", "acme"])
def test_the_reference_is_quiet_under_any_name(tree, law, name):
    tree.put(tree.source / f"implementations/{name}" / LOUD, (ROOT / HERE / LOUD).read_text())
    tree.ran()
    assert findings(tree, law) == []


def test_a_changed_file_has_no_findings_in_the_references_lines(tree, law):
    """But in one at another place: what it does there, nobody has looked at."""
    line = next(line for line in (ROOT / HERE / LOUD).read_text().splitlines() if line.startswith("from safetensors"))
    text = edited(tree, LOUD, lambda text: f"# ours\n{text}os.system('date')\n{line}\n")
    first = text.count("\n") + 2
    told = [(first, "starts a process: os.system('date')"), (first + 1, f"loads weights or pickles: {line}")]
    assert [(f.line, f.found) for f in findings(tree, law)] == told


SEEDS = "training/seeds.py"


@pytest.mark.parametrize(
    ("line", "told"), [("# ours", []), ("a = 1", [(1, "2 lines changed or added, 0 of the reference's gone")])]
)
def test_each_edit_that_may_change_the_mathematics_is_a_review(tree, law, line, told):
    """Not so a comment."""
    edited(tree, SEEDS, lambda text: f"{line}\n# ours\n{text}")
    found = findings(tree, law)
    assert [(f.line, f.found) for f in found] == told
    assert {(f.code, f.severity, f.wanted) for f in found} <= {("CODE05", "review", checks.READ)}


def test_a_changed_file_has_its_own_seeds_named(tree, law):
    own = next(line for line in (ROOT / HERE / SEEDS).read_text().splitlines() if "Stream.WEIGHTS" in line)
    edited(tree, SEEDS, lambda text: text.replace(own, own.replace("(seed, ", "(id(seed), ")))
    found = findings(tree, law, "CODE02")
    assert [f.found for f in found] == [own.strip().replace("(seed, ", "(id(seed), ")]


LINE = "torch.manual_seed(seeds.stream_seed(seed, seeds.Stream.WEIGHTS))"


@pytest.mark.parametrize("seeded", ["seed", "c.batch_size"])
def test_the_minimal_implementation_is_quiet_as_own_code(tree, law, seeded):
    """Runs load it from a folder `acme`, beside the project's files. With another seed it is not quiet."""
    text = (ROOT / "implementations/minimal/train.py").read_text()
    assert LINE in text
    for path in tree.implementation.rglob("*.py"):
        path.unlink()
    for path in ("benchmark/run/process.py", "benchmark/run/seeds.py", "benchmark/run/reader.py"):
        tree.put(tree.source / path, (ROOT / path).read_text())
    text = text.replace(LINE, LINE.replace("(seed, ", f"({seeded}, "))
    tree.put(tree.source / "implementations/acme/train.py", f"# ours\n{text}")
    tree.ran()
    found = [f.found for f in findings(tree, law)]
    assert found == [] if seeded == "seed" else "stream_seed(c.batch_size," in "".join(found)


def test_a_files_code_is_judged_once(tree, found):
    """What CODE01 names is not named again as unreadable."""
    (tree.implementation / "a.py").write_bytes(b"# coding: latin-1\n# \xe9\n")
    (tree.implementation / "b.txt").write_bytes(b"\x1f\x8b\x08\xff")
    tree.ran()
    assert found(tree.root) == [("a.py", 1, "CODE01"), ("b.txt", 1, "CODE01")]
