import json
from dataclasses import replace

import pytest

from results.tuning.estimators import Estimate
from results.tuning.text import ends, markdown_text, record, terminal_text

TEXT = """\
v1.0 · tiny · time to solution with the tuning counted
  campaign            batch  with tuning, s  campaign, s  run, s  reached  trials  device-hours  expected, s  sampler
  first (acme · box)      4          10,877       10,837   40.00        2     4/4       0.05363        96.54  halton

  acme/box/first
    time to solution with tuning 10,877 (too few runs for an interval) s: 10,837 s of campaign, and a figure of merit \
of 40.00 s over 3 confirmation runs
    winner: trial 3, learning_rate 0.002328; its own 36.84 s are in the campaign's alone
    50 % of the trials reached the target, and 1 trial was pruned: nobody knows of what they would have done; of the \
space, 15 to 95 % do (95 %)
    expected running time to the target 96.54 (95 %: 11.55 to 1,086) s
    expected best of so many trials, where one reaches the target: 1: 47.56 s in 50 %; 2: 45.42 s in 83 %; 4: 36.84 s \
in 100 %
    samples to the target 32 (95 %: 28.69 to 35.31)
    campaign cb8a7a5b93b617154fa225c863165053ac9cd6ccfc4d5a258cccbd204ee0846f; shift from os.urandom
"""


def test_a_campaign_in_words(scored):
    assert terminal_text([scored]) == TEXT
    head, line, first = markdown_text([scored]).splitlines()[2:5]
    assert head.startswith("| campaign | batch | with tuning, s |") and first.startswith("| first (acme · box) | 4 |")
    assert "no score" not in markdown_text([scored]) and set(line) <= set("|-: ")


def test_a_campaign_as_json(scored):
    told = json.loads(json.dumps(record(scored), allow_nan=False))
    assert told["with_tuning_seconds"] == {"value": pytest.approx(10876.843), "low": None, "high": None}
    assert told["why"] is None and told["campaign_seconds"] == 10836.845 and told["confirmation_seconds"] == 39.998
    assert told["share"]["value"] == 0.5 and told["running_time"]["value"] == pytest.approx(96.5405)
    assert [b["k"] for b in told["best_of"]] == [1, 2, 3, 4] and told["successes"] == 2
    assert told["winner"] == {"trial": 3, "point": {"learning_rate": 0.002328}}
    bare = record(replace(scored, trials=(), confirmation=None))
    assert [bare[name] for name in ("share", "running_time", "winner", "confirmation_seconds")] == [None] * 4


def test_what_a_campaign_lacks_is_left_out(scored):
    known = replace(scored, confirmation=replace(scored.confirmation, low=39.0, high=41.0), lost=3.0)
    assert "10,877 (95 %: 10,876 to 10,878) s: " in terminal_text([known])
    assert "3 confirmation runs; the interval takes the campaign's time as known: it ran once\n" in terminal_text(
        [known]
    )
    assert "    3.0 s of starts that were made again are in the device-hours\n" in terminal_text([known])
    bare = terminal_text([replace(scored, trials=(), confirmation=None, samples=(), why="nothing ran")])
    assert [line.split(" ")[4] for line in bare.splitlines()[5:]] == ["no", "campaign"]


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [
        (1, 3, "2 (95 %: 1 to 3)"),
        (1, float("inf"), "2 (95 %: 1 to no end)"),
        (float("nan"), 3, "2 (too few runs for an interval)"),
    ],
)
def test_an_interval_in_words(low, high, wanted):
    assert ends(Estimate(2, low, high)) == wanted and ends(Estimate(float("inf"), low, high)) == "infinite"


def test_one_that_cannot_be_read_is_said(tuned, anew):
    (tuned.folder / "campaign.json").unlink()
    unread = anew()
    assert "no score" in terminal_text([unread]) and record(unread)["why"]
    assert markdown_text([unread]).startswith("- ") and "no score" in markdown_text([unread])
    assert markdown_text([]) == terminal_text([]) == ""
