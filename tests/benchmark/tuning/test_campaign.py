import json

import pytest

from benchmark.tuning import campaign as c
from benchmark.tuning.campaign import campaign_of, read_campaign, read_frozen, same, within
from tests.support.campaigns import RATE, campaign


def test_a_file_is_read_and_its_canonical_text_again(tmp_path):
    path = tmp_path / "one.yaml"
    path.write_text(
        "{problem: smoke, batch_size: 2, trials: 4, budget: {epochs: 8}, "
        "space: {rate: {low: 1e-4, high: 1e-2, scale: log}}}"
    )
    found = read_campaign(path)
    assert found == campaign()
    frozen = tmp_path / "campaign.json"
    frozen.write_text(found.text)
    assert read_frozen(frozen) == found and found.fixed == {"batch_size": 2, "epochs": 8}
    assert found.digest == campaign_of(json.loads(found.text), "").digest


@pytest.mark.parametrize("text", ["{}", "[]", "1", "nope", '{"a": ' * 10_000, "\xff", ""])
def test_what_is_no_frozen_campaign_is_refused(tmp_path, text):
    path = tmp_path / "campaign.json"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(ValueError):
        read_frozen(path)
    path.write_text(campaign().text + " " * c.LARGEST)
    with pytest.raises(ValueError, match=f"more than {c.LARGEST} bytes"):
        read_frozen(path)


@pytest.mark.parametrize(
    "change, wanted",
    [
        ({"trials": 0}, "trials: found 0, wanted 1 to 1000"),
        ({"trials": 1001}, "trials: found 1001"),
        ({"confirmations": 2}, "confirmations: found 2, wanted 3"),
        ({"parallel": 0}, "parallel: found 0"),
        ({"budget": {}}, "wanted one of them, above 0"),
        ({"budget": {"epochs": 1, "seconds": 1}}, "wanted one of them"),
        ({"space": {}}, "space: found 0 settings"),
        ({"space": {f"a{i}": RATE for i in range(21)}}, "space: found 21 settings, wanted 1 to 20"),
        ({"space": {"epochs": RATE}}, "the campaign fixes these"),
        ({"settings": {"rate": 1}}, "found the setting 'rate'"),
        ({"settings": {"threads": {}}}, "settings.threads"),
        ({"space": {"rate": {**RATE, "low": 0}}}, "at least 1e-30 on a log scale"),
        ({"space": {"rate": {**RATE, "low": 1}}}, "wanted low < high"),
        ({"space": {"rate": {**RATE, "low": float("nan")}}}, "wanted low < high"),
        ({"space": {"rate": {"values": []}}}, "values: found 0, wanted 1"),
        ({"sampler": "sobol"}, "sampler: found 'sobol'"),
        ({"sampler": "grid"}, "space.rate: found no points"),
        ({"sampler": "list"}, "points: found 0"),
        ({"sampler": "list", "points": [{"rate": 0.5}] * 4}, "wanted one within the space"),
        ({"sampler": "list", "points": [{"rate": 0.5}] * 5}, "trials: found 4, wanted 5"),
        ({"pruning": {"rule": "best"}}, "rule: found 'best'"),
    ],
)
def test_what_is_no_campaign_is_refused(change, wanted):
    with pytest.raises(ValueError, match=wanted.replace("(", r"\(")):
        campaign(**change)


def test_any_change_is_another_campaign():
    others = [{}, {"trials": 5}, {"parallel": 2}, {"space": {"rate": {**RATE, "high": 0.02}}}, {"sampler": "random"}]
    assert len({campaign(**other).digest for other in others}) == len(others)


def test_values_of_settings():
    assert same(1, 1.0) and same([1, 2], (1, 2)) and not same(1, True) and not same([1], [1, 2])
    axis = campaign(space={"n": {"low": 1, "high": 4, "integer": True}}).space["n"]
    assert [within(axis, value) for value in (0, 1, 4, 5, 2.0, True)] == [False, True, True, False, False, False]


def test_values_are_looked_up_as_they_are_compared_in_no_time():
    values = [0, 1, 0.5, True, "1", [1, 2], [1, True], [], "x"]
    axis = campaign(space={"a": {"values": values[:-1]}}).space["a"]
    for value in (*values, False, 1.0, 2, (1, 2), [2, 1], [1, 1], ["1"], None, {}, [[1]], float("nan")):
        assert within(axis, value) == any(same(value, other) for other in axis.values), value
    # a thousand points, of which each could be compared to each of a thousand values, of every axis
    space = {f"a{i:02}": {"values": list(range(1000))} for i in range(20)}
    points = [dict.fromkeys(space, 999)] * 1000
    listed = {"space": space, "trials": 1000, "sampler": "list"}
    assert len(campaign(points=points, **listed).points) == 1000
    with pytest.raises(ValueError, match="points: found a19 1000, wanted one within the space"):
        campaign(points=[*points[1:], {**points[0], "a19": 1000}], **listed)
