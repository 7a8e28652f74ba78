import pwd
from pathlib import Path
from unittest.mock import Mock

import pytest

from benchmark.environment.paths import shortened


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("--problem", "--problem"),
        ("layout=[2,1,1,1]", "layout=[2,1,1,1]"),
        ("/home/jane/data/scale9", ".../scale9"),
        ("/home/jane doe/data", ".../data"),
        ("--data=/home/jane/data", "--data=.../data"),
        ("~/data", ".../data"),
        ("/usr/lib/libx.so", "/usr/lib/libx.so"),
        ("/usr/../home/jane", ".../jane"),
        ("/home/jane/a.so:/opt/b.so", ".../a.so:/opt/b.so"),
        ("dump /scratch/jane/trace now", ".../trace now"),
        ("/", "..."),
        (str(Path.home()), "..."),
        ("1/2", ".../2"),
    ],
)
def test_paths_of_users_are_not_told(word, wanted):
    assert shortened(word, Path("/work/clone")) == wanted


def test_a_user_without_a_home(monkeypatch):
    """As in containers whose user has no entry in /etc/passwd."""
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(pwd, "getpwuid", Mock(side_effect=KeyError))
    assert shortened("--data=/home/jane/data", Path("/work/clone")) == "--data=.../data"
    assert shortened("~", Path("/work/clone")) == "~" and shortened("~/", Path("/work/clone")) == "..."


def test_paths_inside_the_repository_are_relative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert shortened(f"{tmp_path}/data/smoke", tmp_path) == "data/smoke"
    assert shortened("data/smoke", tmp_path) == "data/smoke"
    assert shortened(f"--log={tmp_path}/a/../b.txt", tmp_path) == "--log=b.txt"
