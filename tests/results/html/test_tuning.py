from results.html.tuning import sections


def test_no_campaigns_no_section():
    assert sections([]) == []
