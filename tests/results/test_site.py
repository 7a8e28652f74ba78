"""The site through its command."""

import pytest

from results import site


@pytest.fixture
def two(tree, new_log):
    for name in ("v1.0", "v1.1"):
        tree.set(new_log.five(epochs=5), edition=name)
    return tree


def test_pages_of_all_rounds(two, tmp_path, capsys):
    out = tmp_path / "site"
    assert site.main([str(two.root), "--as-logged", "--rules", "v1.0", "--out", str(out)]) == 0
    assert capsys.readouterr().err.endswith("index.html\n")
    page = (out / "v1.0" / "acme.html").read_text()
    assert "round/v1.0/acme/results/box/strong/scaffold/result_0.txt:" in page and str(tmp_path) not in page
    assert 'href="../rules.html#' in page and ">acme, v1.0<" in page
    index = (out / "v1.0" / "index.html").read_text()
    assert ">Results of v1.0<" in index and "The checker found nothing." not in index


def test_what_is_not_in_order_is_published_without_a_number(two, tmp_path):
    out = tmp_path / "site"
    assert site.main([str(two.root), "--rules", "v1.0", "--out", str(out)]) == 0
    assert "No score: failed the check" in (out / "v1.0" / "acme.html").read_text()
    assert "minutes to train" not in (out / "index.html").read_text()


def test_refusals(two, tmp_path, capsys):
    inside = two.root / "v1.0" / "acme" / "site"
    assert site.main([str(two.root), "--rules", "v1.0", "--out", str(inside)]) == 2 and not inside.exists()
    assert "which was checked" in capsys.readouterr().err
    assert site.main([str(tmp_path / "nowhere"), "--out", str(tmp_path / "site")]) == 2
    assert "found no set of runs" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert site.main([str(two.root), "--rules", "v1.0", "--out", str(tmp_path / "file")]) == 2
