"""Names of hosts in short, and back."""

import re

import pytest

from benchmark.hosts import MOST, expanded, folded

SHORT = [
    ([], []),
    (["n1"], ["n1"]),
    (["login", "n1"], ["login", "n1"]),
    (["n1", "n2"], ["n[1-2]"]),
    (["n2", "n1", "n4"], ["n[1-2]", "n4"]),
    (["n09", "n10", "n11"], ["n[09-11]"]),
    (["n9", "n10"], ["n[9-10]"]),
    (["n9", "n09", "n10"], ["n9", "n[09-10]"]),
    (["n999", "n1000"], ["n[999-1000]"]),
    (["n08", "n9"], ["n9", "n08"]),
    (["a1", "b2", "a2", "b3"], ["a[1-2]", "b[2-3]"]),
    (["7", "8"], ["[7-8]"]),
    (["n1.site2.org", "n2.site2.org", "n3.site3.org"], ["n[1-2].site2.org", "n3.site3.org"]),
    (["x1c0b1n0", "x1c0b1n1", "x1c0b2n0"], ["x1c0b1n[0-1]", "x1c0b2n0"]),
    (["n1-ib", "n2-ib"], ["n[1-2]-ib"]),
    (["n9999999999"], ["n9999999999"]),  # of ten digits
    (["n999999999", "n1000000000"], ["n1000000000", "n999999999"]),
]


@pytest.mark.parametrize(("names", "short"), SHORT)
def test_there_and_back(names, short):
    assert folded(names) == short and sorted(expanded(short)) == sorted(names)


def test_65536_hosts_are_one_text():
    names = [f"nid{n:06}.site.org" for n in range(65_536)]
    assert folded(reversed(names)) == ["nid[000000-065535].site.org"] and expanded(folded(names)) == names


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
