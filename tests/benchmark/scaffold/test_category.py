import itertools
import sys

import numpy as np
import pytest

from benchmark.problem import load_problem
from benchmark.scaffold import category

SEARCH = load_problem("smoke").search
PUBLISHED = category.load_categories(5)


def test_published_categories_are_the_candidates_named_and_bounded():
    for number, maps in zip((289820, 375078, 381180, 398660, 484081), PUBLISHED, strict=True):
        assert category.candidate(SEARCH, number) == maps
    maps = np.array(PUBLISHED[0], np.float32)
    assert category.bounded(maps, 1.2)
    assert not category.bounded(maps * np.float32(3), 1.2)


@pytest.mark.slow
def test_a_published_category_passes_and_is_unlike_itself_only():
    found = category.acceptable(PUBLISHED[0], SEARCH, [])
    assert found is not None and len(found) == 145
    assert category.acceptable(PUBLISHED[0], SEARCH, [found]) is None


def test_variants_scale_one_parameter_of_both_maps():
    base = np.array(PUBLISHED[0], np.float32)
    assert (category.instance_maps(PUBLISHED[0], 0) == base).all()
    seen = set()
    for variant in range(1, 145):
        maps = category.instance_maps(PUBLISHED[0], variant)
        changed = np.flatnonzero((maps != base).any(axis=0))
        assert len(changed) == 1
        ratio = maps[:, changed[0]] / base[:, changed[0]]
        assert ratio == pytest.approx(ratio[0])
        seen.add((int(changed[0]), round(float(ratio[0]) * 10)))
    assert seen == set(itertools.product(range(12), (4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16)))


@pytest.mark.parametrize(("parameter", "factor"), [(0, 400), (3, 1070), (11, 1600)])
def test_fine_variants_scale_a_parameter_by_thousandths(parameter, factor):
    fine = category.instance_maps(PUBLISHED[0], category.fine_variant(parameter, factor))
    wanted = np.array(PUBLISHED[0])
    wanted[:, parameter] = wanted[:, parameter] * factor / 1000
    assert np.array_equal(fine, wanted.astype(np.float32))


def test_variants_between_the_steps_keep_the_searchs_limits():
    for parameter in range(12):
        maps = category.instance_maps(PUBLISHED[parameter % 5], category.fine_variant(parameter, 450 + 100 * parameter))
        hit, flatness = category.boxes(maps)
        low, high = SEARCH.instance_boxes
        assert category.bounded(maps, SEARCH.stretch)
        assert flatness >= SEARCH.extent and low <= np.count_nonzero(hit) <= high


def test_there_is_no_such_variant_or_category():
    for variant in (-1, 145 + 12 * 1201):
        with pytest.raises(ValueError, match="variant"):
            category.instance_maps(PUBLISHED[0], variant)
    with pytest.raises(ValueError, match=r"categories\.yaml: found 5 categories, wanted 6"):
        category.load_categories(6)


@pytest.mark.parametrize(("name", "said"), [("smok", "did you mean 'smoke'"), ("deepcam", "wanted a problem with")])
def test_a_problem_without_a_search_is_exit_code_2(monkeypatch, capsys, name, said):
    monkeypatch.setattr(sys, "argv", ["category.py", "--problem", name])
    with pytest.raises(SystemExit, match=r"^2$"):
        category.main()
    assert said in capsys.readouterr().err
