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
        ({"sampler": "list", "points": [{"speed": 1}] * 4}, "wanted a value for each of rate"),
        ({"sampler": "list", "points": [5] * 4}, "points: found 5, wanted a value for each of rate"),
        ({"pruning": {"rule": "best"}}, "rule: found 'best'"),
        ({"problem": ""}, "problem: found ''"),
        ({"problem": "a" * 101}, "wanted the name of a problem"),
        ({"batch_size": 0}, "batch_size: found 0, wanted 1 to 1048576"),
        ({"batch_size": 1 << 20 | 1}, "batch_size: found 1048577"),
        ({"parallel": 1001}, "parallel: found 1001"),
        ({"confirmations": 1001}, "confirmations: found 1001"),
        ({"budget": {"epochs": 10**9 + 1}}, "wanted one of them, above 0"),
        ({"pruning": {"epochs": 0}}, "wanted epochs and trials of 1 or more"),
        ({"pruning": {"trials": 1001}}, "wanted epochs and trials of 1 or more"),
        ({"pruning": {"settled": 10**9 + 1}}, "wanted epochs and trials of 1 or more"),
        ({"settings": {"a": 2**53 + 1}}, "settings.a"),
        ({"settings": {"a": -(2**53) - 1}}, "settings.a"),
        ({"settings": {"a": "x" * 1001}}, "settings.a"),
        ({"settings": {"a": [1] * 1001}}, "settings.a"),
        ({"space": {"n": {"low": 1, "high": 4, "points": 1}}}, "points: found 1, wanted 2 to 1000"),
        ({"space": {"n": {"low": 1, "high": 4, "points": 1001}}}, "points: found 1001"),
        ({"space": {"n": {"low": 0.5, "high": 4, "integer": True}}}, "wanted whole numbers where it is integer"),
        ({"space": {"n": {"low": 1, "high": 10**9 + 1}}}, "wanted low < high"),
    ],
)
def test_what_is_no_campaign_is_refused(change, wanted):
    with pytest.raises(ValueError, match=wanted.replace("(", r"\(")):
        campaign(**change)


@pytest.mark.parametrize(
    "change",
    [
        {"problem": "a" * 100, "batch_size": 1, "parallel": 1000, "confirmations": 1000},
        {"batch_size": 1 << 20, "confirmations": 3, "budget": {"seconds": 10**9}, "trials": 1000},
        {"pruning": {"epochs": 10**9, "trials": 1000, "settled": 10**9}, "settings": {"a": [2**53] * 1000}},
        {"pruning": {"epochs": 1, "trials": 1, "settled": 0}, "settings": {"a": -(2**53), "b": "x" * 1000}},
        {"space": {"n": {"low": -(10**9), "high": 10**9, "points": 1000}}},
        {"sampler": "grid", "space": {"n": {"low": 1, "high": 4, "points": 2}, "a": {"values": [1, 2]}}},
    ],
)
def test_what_is_just_a_campaign_is_one(change):
    assert campaign(**change).text


def test_what_a_file_leaves_out_is_as_the_guide_says():
    found = campaign(pruning={})
    assert (found.sampler, found.parallel, found.confirmations) == ("halton", 1, 5)
    assert (found.pruning.epochs, found.pruning.trials, found.pruning.settled) == (1, 4, 2)


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
