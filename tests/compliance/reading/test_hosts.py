"""Texts that stand for many hosts, and others. `tests/benchmark/test_hosts.py` has those that are right."""

import re

import pytest

from compliance.reading.hosts import MOST, expanded


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (["n[1-2"], "found 'n[1-2'"),
        (["n]"], "found 'n]'"),
        (["n[1-2][3-4]"], "found 'n[1-2][3-4]'"),
        (["n[1,2]"], "found 'n[1,2]'"),
        (["n[2-1]"], "found 'n[2-1]', wanted at most 131072 names, the first before the last"),
        (["n[1-1]"], "found 'n[1-1]'"),
        (["n[01-2]"], "found 'n[01-2]'"),
        (["n[1-02]"], "found 'n[1-02]'"),
        (["n[\u0661-\u0662]"], "found 'n["),
        ([f"n[1-{MOST + 1}]"], "found 'n[1-131073]', wanted at most 131072 names"),
        (["n[1-999999999]"], "found 'n[1-999999999]'"),
        (["n[1-100000]", "m[1-100000]"], "found 'm[1-100000]', wanted at most 31072 names"),
        (["n"] * (MOST + 1), "found more than 131072 hosts"),
        (["n" * 251 + "[1-2]"], "found 'nnnn"),
    ],
)
def test_other_texts_are_refused(texts, found):
    with pytest.raises(ValueError, match=f"^{re.escape(found)}"):
        expanded(texts)


def test_as_many_as_are_read():
    assert len(expanded([f"n[1-{MOST}]"])) == len(expanded(["n"] * MOST)) == MOST
    assert expanded(["n" * 250 + "[1-2]"]) == ["n" * 250 + "1", "n" * 250 + "2"]
