"""A campaign of tuning, from its file to its confirmation."""

import importlib.util
import json
import shutil

import pytest

from benchmark.collect import files_in
from benchmark.tree import campaign_path
from benchmark.tuning.folder import open_folder
from compliance.engine import judge
from harness import tune
from rules.current import EDITION
from rules.registry import Registry, Request, now
from rules.tuning import registered_shift

FILE = """
problem: tiny
batch_size: 2
space: {learning_rate: {low: 1.0e-3, high: 1.0e-2, scale: log}, warmup_epochs: {values: [0, 1]}}
settings: {threads: 1}
trials: 3
budget: {epochs: 2}
parallel: 2
confirmations: 3
"""


@pytest.fixture(scope="module")
def campaign(tiny, forking):
    """Makes the campaign of a file, in a round's folder: the exit code of tune.py."""
    return lambda file, out, *more: tune.main([str(file), *tiny.harness(out, *more)[2:]])


@pytest.fixture(scope="module")
def made(campaign, tmp_path_factory):
    """The file of a campaign, the output folder, and the campaign's folder with all that was made."""
    out = tmp_path_factory.mktemp("out")
    file = out / "first.yaml"
    file.write_text(FILE)
    assert campaign(file, out / "v1.0") == 0
    return file, out / "v1.0", campaign_path(out / "v1.0" / "Us", "laptop", "scaffold", "first")


def test_the_campaign_is_in_order(made, published, tmp_path):
    """A whole campaign as `tune.py` makes it, judged by all rules. The config names another batch size than the
    campaign, which counts."""
    _, out, folder = made
    verdict = judge([str(out / "Us")], rules=published(folder / "result_0.txt", tmp_path / "rules"))
    found = [(f.code, f.path, f.found) for f in verdict.findings if f.severity in ("error", "warning")]
    assert found == [] and verdict.looked == 6 and verdict.exit_code == 0


def test_the_same_command_again_changes_nothing(made, campaign, tmp_path, capsys):
    file, out, folder = made
    before = files_in(folder)
    assert campaign(file, out) == 0
    (tmp_path / "first.yaml").write_text(FILE.replace("parallel: 2", "parallel: 1"))
    assert campaign(tmp_path / "first.yaml", out) == 2
    assert "found another campaign, wanted this one" in capsys.readouterr().err
    assert files_in(folder) == before


def test_a_trial_that_broke_off_is_made_again_at_its_point(made, campaign, events, tmp_path):
    file, out = made[0], shutil.copytree(made[1], tmp_path / "v1.0")
    folder = campaign_path(out / "Us", "laptop", "scaffold", "first")
    log = folder / "result_1.txt"
    before = {e.key: e.value for e in events(log)}
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(line for line in lines if '"run_stop"' not in line))
    campaign(file, out)  # which trial wins may change, and with it what is to be confirmed
    after = {e.key: e.value for e in events(log)}
    assert after["hyperparameters"] == before["hyperparameters"] and after["trial"] == before["trial"]
    assert after["seed"] != before["seed"]
    assert len(list((folder / "superseded").glob("*/result_1.txt"))) == 1


def test_points_are_printed(made, campaign, capsys):
    file, out, folder = made
    assert campaign(file, out, "--points") == 0
    point = open_folder(folder).point(0)
    wanted = f"0 learning_rate={point['learning_rate']} warmup_epochs={point['warmup_epochs']}"
    assert capsys.readouterr().out.splitlines()[0] == wanted


def test_a_shift_from_the_registry(made, campaign, tmp_path, capsys):
    file, _, _ = made
    assert campaign(file, tmp_path, "--register") == 0
    request = json.loads(capsys.readouterr().out)
    assert request["problem"] == "tiny tuning first"
    registry = Registry(EDITION)
    entry = registry.draw(Request(**request), now(), "1" * 64)
    (tmp_path / "registry.yaml").write_text(registry.text)
    assert campaign(file, tmp_path, "--entry", "1", "--points") == 0
    folder = campaign_path(tmp_path / "Us", "laptop", "scaffold", "first")
    assert (open_folder(folder).shift, open_folder(folder).source) == (registered_shift(entry), "registry 1")
    assert campaign(file, tmp_path, "--entry", "2", "--points") == 2
    assert campaign(file, tmp_path, "--entry", "1", "--name", "second", "--points") == 2
    assert "wanted one of Us, laptop, scaffold, tiny tuning second" in capsys.readouterr().err


@pytest.mark.skipif(not importlib.util.find_spec("optuna"), reason="Optuna is not installed: pip install optuna")
def test_a_campaign_by_optuna_is_in_order(campaign, published, tmp_path):
    """The same file with another sampler; its points are those that the ledger has."""
    (tmp_path / "first.yaml").write_text(FILE + "sampler: optuna\n")
    assert campaign(tmp_path / "first.yaml", tmp_path / "v1.0") == 0
    folder = campaign_path(tmp_path / "v1.0" / "Us", "laptop", "scaffold", "first")
    assert sorted(open_folder(folder).asked) == [0, 1, 2]
    verdict = judge([str(tmp_path / "v1.0" / "Us")], rules=published(folder / "result_0.txt", tmp_path / "rules"))
    assert [(f.code, f.found) for f in verdict.findings if f.severity == "error"] == [] and verdict.looked == 6


# From here on with an implementation that learns nothing


def by_fake(fake, file=FILE, *more):
    """The exit code of a campaign."""
    (fake.folder / "first.yaml").write_text(file)
    return tune.main([str(fake.folder / "first.yaml"), *fake.arguments(*more)[2:]])


def test_no_winner_is_no_confirmation(fake, capsys):
    fake.acts("miss", "miss", "miss")
    assert by_fake(fake) == 1 and len(fake.starts()) == 3
    assert "no trial reached the target: there is nothing to confirm" in capsys.readouterr().err


def test_trials_at_once_have_gpus_of_their_own(fake, monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    fake.acts("miss", "miss", "miss")
    by_fake(fake, FILE.replace("{threads: 1}", "{device: cuda}"))
    assert {started["variables"]["CUDA_VISIBLE_DEVICES"] for started in fake.starts()} == {"0", "1"}


def test_what_every_trial_would_refuse_is_refused_at_once(fake, monkeypatch, capsys):
    for change, said in (
        (("learning_rate", "lerning_rate"), "did you mean 'learning_rate'"),
        (("batch_size: 2", "batch_size: 99"), "batch_size: found 99"),
    ):
        assert by_fake(fake, FILE.replace(*change)) == 2 and said in capsys.readouterr().err
    monkeypatch.setenv("LACKING", "--trial")
    assert by_fake(fake) == 2 and "found no option --trial, wanted one that makes trials" in capsys.readouterr().err
    for name in ("confirmation", "../up"):
        with pytest.raises(SystemExit, match="2"):
            by_fake(fake, FILE, "--name", name)
    assert not fake.submission.exists()
