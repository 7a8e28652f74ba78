from results import hpo


def test_paths_without_a_campaign_have_no_table(tmp_path, capsys):
    assert hpo.main([str(tmp_path / "none"), "--out", str(tmp_path)]) == 1
    assert "none" in capsys.readouterr().err and not list(tmp_path.iterdir())
