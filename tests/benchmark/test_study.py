import pytest

from benchmark.study import point_system, study_of


@pytest.mark.parametrize(("system", "ranks"), [("box", 1), ("box-2", 1), ("-2", 2), ("box-12", 2), ("box2", 2)])
def test_a_point_names_its_study_and_other_names_are_no_points(system, ranks):
    assert point_system("box", 16) == "box-16" and study_of("box-2-16", 16) == "box-2"
    assert study_of(system, ranks) is None
