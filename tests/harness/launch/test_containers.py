"""Container files: one base, pinned by digest; the pinned packages; the same of Debian's in both kinds for GPUs."""

import re

import pytest

from tests.support import ROOT

FILES = {"Containerfile.cpu": "cpu", "Containerfile.cuda": "cuda", "apptainer.def": "cuda"}  # lists of pins
BASE = re.compile(r"python:3\.\d+\.\d+-slim-bookworm@sha256:[0-9a-f]{64}$", re.M)
DEBIAN = re.compile(r"apt-get install --yes --no-install-recommends ([^&\n]*)")


def text(name: str) -> str:
    """A file, with its long lines in one piece."""
    return re.sub(r"\\\n", " ", (ROOT / "harness" / "launch" / name).read_text(encoding="utf-8"))


def packages(name: str) -> set[str]:
    """Debian's packages that a file installs."""
    return {word for words in DEBIAN.findall(text(name)) for word in words.split()}


def test_all_have_one_base_and_the_same_packages():
    bases = [BASE.findall(text(name)) for name in FILES]
    assert [len(found) for found in bases] == [1, 1, 1] and len({found[0] for found in bases}) == 1
    assert packages("apptainer.def") == packages("Containerfile.cuda") > packages("Containerfile.cpu")
    assert packages("Containerfile.cuda") >= {"libibverbs1", "ibverbs-providers", "librdmacm1"}


@pytest.mark.parametrize("name", FILES)
def test_containers_have_the_pins(name):
    installs = re.findall(r"pip install (.*?)-r /\w+/requirements/(\w+)\.txt", text(name))
    assert list(dict.fromkeys(listed for _, listed in installs)) == ["common", FILES[name]]
    assert all("--require-hashes" in options for options, _ in installs) and "PYTHONNOUSERSITE=1" in text(name)


def test_apptainer_copies_nothing_to_a_folder_of_the_hosts():
    copied = re.search(r"^%files\n((?: +\S.*\n)+)", text("apptainer.def"), re.M)[1].split()[1::2]
    assert copied and not [path for path in copied if path.startswith(("/tmp", "/var/tmp", "/root", "/home"))]
