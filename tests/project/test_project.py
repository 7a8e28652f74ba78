"""What holds the whole together: who imports whom, what is installed, what the README says is there."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
import yaml

from rules.edition import load
from tests.support import REFERENCE, ROOT
from tests.support.imports import imports, tops

PACKAGES = ("benchmark", "rules", "compliance", "results", "harness", "implementations")
TOOLS = "implementations/pytorch_tools/"


def modules(package: str) -> list[Path]:
    """The Python files of a package, submissions left out."""
    return [p for p in sorted((ROOT / package).rglob("*.py")) if not re.match(r"results/v", str(p.relative_to(ROOT)))]


def test_a_run_loads_only_the_editions_name_of_the_rules():
    runs = [p for p in modules("implementations") if not str(p.relative_to(ROOT)).startswith(TOOLS)]
    found = {name for p in runs for name in imports(p) if name.startswith("rules.")}
    assert len(runs) > 20 and found <= {"rules.current", "rules.current.EDITION", "rules.current.current"}


def test_only_implementations_import_torch():
    assert not [str(p) for package in PACKAGES[:-1] for p in modules(package) if "torch" in tops(p)]


def test_scripts_find_their_siblings_as_modules_do():
    """One with relative imports also says which package it is, whatever its folder is called."""
    texts = {p: p.read_text(encoding="utf-8") for name in PACKAGES for p in modules(name)}
    scripts = {p: text for p, text in texts.items() if '__name__ == "__main__"' in text}
    assert len(scripts) > 20
    for path, text in scripts.items():
        depth = len(path.relative_to(ROOT).parts) - 1
        assert "if not __package__:" in text, path
        assert f"sys.path[0] = str(Path(__file__).resolve().parents[{depth}])" in text, path
        assert "__package__ = " in text or imports(path) == imports(path, relative=False), path


def test_the_judge_needs_few_packages():
    own = {"benchmark", "rules", "compliance"}
    allowed = {"msgspec", "numpy", "py_landlock", "yaml"} | own | set(sys.stdlib_module_names)
    assert not {str(p): tops(p) - allowed for p in modules("compliance") if tops(p) - allowed}


def test_pins_are_in_step():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    named = project["project"]["dependencies"] + project["dependency-groups"]["dev"]
    wanted = {name.partition(";")[0].lower() for name in named}
    torch = next(d for d in wanted if d.startswith("torch=="))
    common, cpu, cuda, judge = (locked(name) for name in ("common", "cpu", "cuda", "judge"))
    assert wanted - {torch} <= set(common)
    groups = {**project["dependency-groups"], **project["project"]["optional-dependencies"]}
    assert all(
        set(map(str.lower, groups[name])) <= set(locked(name)) for name in ("energy", "export", "tools", "tuning")
    )
    assert set(cpu) == {f"{torch}+cpu", torch} and torch in cuda
    judges = {name.partition("==")[0] for name in judge}
    assert judge.items() <= common.items() and judges >= {"msgspec", "numpy", "py-landlock", "pyyaml"}
    assert set(project["dependency-groups"]["docs"]) <= set(locked("docs"))
    bill = json.loads((ROOT / "requirements" / "sbom.json").read_text(encoding="utf-8"))["components"]
    listed = {f"{part['name']}=={part['version']}".lower().replace("_", "-") for part in bill}
    assert {name for name in common if "colorama" not in name} | {f"{torch}+cpu"} <= listed


def locked(name: str) -> dict[str, set[str]]:
    """A list of packages: each with its version -> the digests of its files."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8").replace("\\\n", " ").lower()
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    found = {line[0]: {word.removeprefix("--hash=") for word in line if word.startswith("--hash=")} for line in lines}
    assert all("==" in package for package in found)
    assert all(digests and all(re.fullmatch(r"sha256:[0-9a-f]{64}", d) for d in digests) for digests in found.values())
    return found


def test_what_types_are_checked_of_is_there():
    checked = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    paths = [str(p.relative_to(ROOT)) for package in PACKAGES for p in modules(package)]
    assert not [path for path in checked["files"] if not (ROOT / path).exists()]
    assert not [p for p in checked["exclude"] if p != "^results/v" and not any(re.search(p, path) for path in paths)]


def test_nothing_is_installed_without_its_digest():
    pattern = r"(?:pip install|\$\(PIP\))[^\n|&]*"
    files = [ROOT / "Makefile", *(ROOT / ".github" / "workflows").iterdir()]
    files += [p for p in (ROOT / "harness/launch").iterdir() if p.is_file()]
    found = [(f.name, line) for f in files for line in re.findall(pattern, f.read_text(encoding="utf-8"))]
    assert len(found) >= 10
    assert not [x for x in found if "--require-hashes" not in x[1] and "$(PIP)" not in x[1]]
    assert "--require-hashes" in re.search(r"^PIP := .*", (ROOT / "Makefile").read_text(), re.M)[0]


def name_of(path: Path) -> str:
    """A module's dotted name; a package's is its folder's."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_no_imports_go_in_circles():
    known = {name_of(p): p for package in PACKAGES for p in modules(package)}
    graph = {name: imported_of(imports(path), known) - {name} for name, path in known.items()}
    list(TopologicalSorter(graph).static_order())  # raises CycleError, which names the circle


def imported_of(names: set[str], known: dict[str, Path]) -> set[str]:
    """The modules among names. A package stands for itself alone where something of its own is taken from it, not where
    a module in it is."""
    inside = {name for name in names if name in known}
    taken = {name.rpartition(".")[0] for name in names if name not in known}
    return {m for m in inside if not is_package(known[m]) or m in taken}


def is_package(path: Path) -> bool:
    return path.name == "__init__.py"


PATH = re.compile(
    r"(?<![\w/])(?:benchmark|harness|implementations|rules|compliance|results|perf|docs|tests)/[\w./-]+\w(?![\w./-]*<)"
)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/centres.md", "docs/first-hour-on-gpus.md"])
def test_paths_that_a_page_names_exist(page):
    named = set(PATH.findall((ROOT / page).read_text(encoding="utf-8")))
    made_up = re.compile(r"acme|results/v1.0/(you|<)|<")
    assert not {p for p in named if not made_up.search(p) and not (ROOT / p).exists()}


def test_the_readme_is_a_page():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120


def test_the_citation_is_of_this_project():
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (found["version"], found["license"]) == (project["version"], project["license"])
    assert f"# {found['title']}" == (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[0]
    assert {"cff-version", "message", "authors", "type"} <= found.keys()


@pytest.fixture(scope="module")
def check() -> subprocess.CompletedProcess:
    """What the checker says of everything under results/."""
    return subprocess.run([sys.executable, "compliance/check.py", "results/"], cwd=ROOT, capture_output=True, text=True)


@pytest.mark.slow
@pytest.mark.parametrize("page", ["README.md", "docs/centres.md"])
def test_a_pages_sample_is_what_the_commands_print(check, page):
    text = (ROOT / page).read_text(encoding="utf-8")
    sample = text[text.index("<!-- sample") :].split("```")[1].strip().splitlines()
    summarize = [sys.executable, "results/summarize.py", "results/"]
    summary = subprocess.run(summarize, cwd=ROOT, capture_output=True, text=True)
    printed = iter([line.rstrip() for out in (check.stdout, summary.stdout) for line in out.splitlines()])
    strays = [line for line in sample if line.rstrip() not in printed]  # looks on behind the line before
    assert len(sample) > 10 and strays == []


@pytest.mark.slow
def test_our_own_submission_is_in_order(check):
    assert (check.returncode, check.stderr) == (0, "")
    assert re.search(r"\n  passed(, with \d+ reviews to read)?\n", check.stdout)


def unpublished(folder: Path, releases: list[dict[str, str]]) -> list[str]:
    """Files of a submission's source folder that neither the tree nor one release has, byte for byte."""
    found = {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    digests = {path: hashlib.sha256(content).hexdigest() for path, content in found.items()}
    tree = {p: hashlib.sha256((ROOT / p).read_bytes()).hexdigest() for p in found if (ROOT / p).is_file()}
    faults = [[path for path, digest in digests.items() if known.get(path) != digest] for known in (tree, *releases)]
    return min(faults, key=len)


def test_the_published_reference_is_what_the_repository_holds(tmp_path):
    releases = list(load("v1.0").releases.values())
    folders = list((REFERENCE / "source").iterdir())
    assert folders and not [fault for folder in folders for fault in unpublished(folder, releases)]
    copy = tmp_path / "source"
    shutil.copytree(folders[0], copy)
    changed = copy / "implementations" / "pytorch" / "train.py"
    changed.write_bytes(changed.read_bytes() + b"#")
    assert unpublished(copy, releases) == ["implementations/pytorch/train.py"]
    released = {"implementations/pytorch/train.py": hashlib.sha256(changed.read_bytes()).hexdigest()}
    assert len(unpublished(copy, [*releases, released])) == 1  # a mixture of two publications is neither
    whole = {p.relative_to(copy).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in copy.rglob("*.*")}
    assert unpublished(copy, [whole]) == []


def test_every_module_has_its_file_of_tests_at_the_same_place():
    """Those of implementations may lie otherwise."""
    code = [p.relative_to(ROOT) for package in PACKAGES[:-1] for p in modules(package) if not is_package(p)]
    assert not [str(p) for p in code if not (ROOT / "tests" / p.with_name(f"test_{p.name}")).is_file()]


def test_files_of_tests_have_at_most_500_lines():
    texts = {path: path.read_text(encoding="utf-8") for path in modules("tests")}
    assert len(texts) > 400 and not [str(path) for path, text in texts.items() if text.count("\n") > 500]


def test_names_of_tests_have_at_most_60_characters():
    """Behind `test_`."""
    texts = [p.read_text(encoding="utf-8") for p in modules("tests")]
    names = [name for text in texts for name in re.findall(r"^def test_(\w+)", text, re.M)]
    assert len(names) > 2000 and not [name for name in names if len(name) > 60]
