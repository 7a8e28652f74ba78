"""Names of hosts in short, and back."""

import pytest

from benchmark.hosts import folded
from compliance.reading.hosts import expanded

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
