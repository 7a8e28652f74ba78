"""Damaged samples: reading ends, and passes nothing that was changed. tests/damages.py has thousands of them."""

import pytest

from tests import damages
from tests.damages import FORMATS, Damage


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
def test_damaged_samples_are_refused_or_read_right(form, tmp_path):
    problem = FORMATS[form]()
    files = damages.made(tmp_path, problem)
    found = list(damages.outcomes(problem, tmp_path, files, damages.drawn(files, 60, seed=7), limit=30))
    assert len(found) == 60
    assert {said for _, said in found} <= {"read", "refused"}, found
    assert {said for damage, said in found if damage.kind == "cut"} == {"refused"}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
def test_5000_damages_in_all_formats_together(form, tmp_path):
    problem = FORMATS[form]()
    files = damages.made(tmp_path, problem)
    count = 5000 // len(FORMATS)
    found = list(damages.outcomes(problem, tmp_path, files, damages.drawn(files, count, seed=11), limit=30))
    assert len(found) == count
    assert {said for _, said in found} <= {"read", "refused"}, [f for f in found if f[1] not in ("read", "refused")]


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
def test_no_bytes_lost_to_zeros_hang_a_reader(form, tmp_path):
    """Eight bytes at every fourth place."""
    problem = FORMATS[form]()
    files = damages.made(tmp_path, problem)
    every = [Damage(name, "zero", at) for name, data in files.items() for at in range(0, min(len(data), 8192), 4)]
    found = list(damages.outcomes(problem, tmp_path, files, every, limit=30))
    assert {said for _, said in found} <= {"read", "refused"}, [f for f in found if f[1] not in ("read", "refused")]


@pytest.mark.slow
def test_a_reading_that_hangs_or_dies_is_told_and_the_next_one_goes_on(tmp_path):
    problem = FORMATS["scaffold"]()
    files = damages.made(tmp_path, problem)
    damage = Damage("train/00000.h5", "cut", 0)
    assert [said for _, said in damages.outcomes(problem, tmp_path, files, [damage, damage], limit=0)] == [
        "hung for 0 s",
        "hung for 0 s",
    ]
    broken = damage._replace(at="nowhere")
    assert [said for _, said in damages.outcomes(problem, tmp_path, files, [broken, damage], limit=30)] == [
        "ended with exit code 1",
        "refused",
    ]


@pytest.mark.parametrize(
    ("kind", "at", "wanted"), [("flip", 1, b"a\x66c"), ("zero", 1, b"a\0\0"), ("cut", 1, b"a"), ("zero", 0, bytes(3))]
)
def test_what_a_damage_does(kind, at, wanted):
    assert Damage("name", kind, at, 2).done_to(b"abc") == wanted
