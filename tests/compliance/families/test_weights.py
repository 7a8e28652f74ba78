"""WGT: final weights that are missing, others, damaged, too large, or another run's."""

import hashlib
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
import safetensors.numpy

from compliance.families import weights as checks
from compliance.reading.digest import Named
from compliance.reading.series import Evaluation
from tests.compliance import made
from tests.compliance.families.damages import damage, event_changed, files_changed, files_found, log_changed
from tests.compliance.logs import event, read

LARGEST = made.OURS.limits.weights.largest


file_elsewhere = event_changed("WGT01", "weights", of="weighted", metadata={"path": "weights/result_1.safetensors"})


def state_changed(change):
    """A damage: every evaluation of a run but the last has the digest of a state, and the second one other metadata;
    those of the first are at hand."""

    @log_changed("WGT09")
    def entry(tree, log):
        first, second, *_ = scores = log.all("eval_accuracy")
        for number, score in enumerate(scores[:-1]):
            score["metadata"]["state"] = hashlib.sha256(bytes([number])).hexdigest()
        change(second["metadata"], first["metadata"])
        return tree.written(second)

    return entry


state_of_one_epoch_left_out = state_changed(lambda second, first: second.pop("state"))
state_of_the_epoch_before = state_changed(lambda second, first: second.update(state=first["state"]))
state_that_is_no_digest = state_changed(lambda second, first: second.update(state="5f2a"))


@pytest.mark.parametrize(("epoch", "lines"), [(0.5, []), (1.0, [1]), (1, [1])])
def test_wgt09_evaluations_within_an_epoch_have_no_state(epoch, lines):
    rest = [event(2, "score", epoch_num=2, state="5" * 64), event(3, "score", epoch_num=3)]
    log = read(event(1, "score", epoch_num=epoch), *rest)
    assert [f.line for f in checks.states_are_logged(log, made.terms(metric="score"), None)] == lines


weights_before_run_stop = log_changed(
    "WGT01", lambda weighted, log: weighted.moved(log.one("weights"), log.one("run_stop"))
)
file_that_is_too_large = files_changed(
    "WGT02", "result_2.safetensors", lambda weighted: weighted.changed("weights", metadata={"bytes": LARGEST + 1})
)
weights_that_are_gone = files_changed("WGT04", "result_2.safetensors", lambda weighted: weighted.weights(2).unlink())
pickle_for_weights = files_changed(
    "WGT05", "result_2.safetensors", lambda weighted: weighted.weigh(2, b"\x80\x04\x95" + bytes(5000))
)
smaller_network = files_changed(
    "WGT06", "result_2.safetensors", lambda weighted: weighted.weigh(2, {"a": weighted.state(2)["a.weight"]})
)
one_digest_for_two_runs = files_found("WGT08", "result_3.txt", lambda weighted: weighted.weigh(3, weighted.state(1)))
weights_of_another_run = files_changed(
    "WGT04", "result_2.safetensors", lambda weighted: shutil.copyfile(weighted.weights(1), weighted.weights(2))
)
weights_that_no_log_names = files_changed(
    "WGT07", "result_5.safetensors", lambda weighted: shutil.copyfile(weighted.weights(1), weighted.weights(5))
)


@damage
def weights_of_four_runs_of_five(weighted):
    weighted.removed("weights")
    weighted.weights(2).unlink()
    return [("result_2.txt", len(weighted.logs[2].events), "WGT03")]


@files_changed("WGT05", "result_2.safetensors")
def weights_that_are_no_numbers(weighted):
    state = weighted.state(2)
    odd = state["a.weight"].copy()
    odd.flat[:3] = np.nan, np.inf, -np.inf
    odd.flat[3] = np.finfo("f4").max  # finite
    weighted.weigh(2, {**state, "a.weight": odd})


def test_wgt04_a_set_may_lack_all_weights_where_they_are_optional(weighted, found):
    kept = weighted.weights(2).read_bytes()
    shutil.rmtree(weighted.weights(2).parent)
    assert found(weighted.root) == []
    weighted.weights(2).parent.mkdir()
    weighted.weights(2).write_bytes(kept)
    assert [code for *_, code in found(weighted.root)] == ["WGT04"] * 4
    shutil.rmtree(weighted.weights(2).parent)
    weighted.into("weighed")
    assert [code for *_, code in found(weighted.root)] == ["WGT04"] * 5


@pytest.mark.parametrize(
    ("size", "there", "codes"),
    [(LARGEST, True, ["WGT04"]), (LARGEST, False, ["WGT04"]), (LARGEST + 1, False, [])],  # a smaller file, or none
)
def test_wgt02_a_file_up_to_a_size(weighted, found, size, there, codes):
    weighted.changed("weights", metadata={"bytes": size})
    if not there:
        weighted.weights(2).unlink()
    assert [code for _, _, code in found(weighted.root)] == codes


@pytest.mark.parametrize(
    ("use", "having", "found"),
    [
        ("optional", 0, []),
        ("optional", 4, [("result_4.txt", "review")]),
        ("required", 4, [("result_4.txt", "")]),
        ("required", 0, [(f"result_{number}.txt", "") for number in range(5)]),
    ],
)
def test_wgt03_optional_is_for_review_and_required_is_an_error(use, having, found):
    """A run that failed needs none."""
    digests = [{"weights": "5" * 64} if number < having else {} for number in range(5)]
    passing = Evaluation(7, 0, 1, None, 1.0)
    runs = [made.run(number, values=values, passing=passing) for number, values in enumerate(digests)]
    faults = checks.weights_are_handed_in([*runs, made.run(5)], None, made.terms(weights={"use": use}))
    assert [(fault.path, fault.severity) for fault in faults] == found


def test_wgt04_a_link_is_no_file(weighted, found, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    weighted.weights(2).rename(elsewhere)
    weighted.weights(2).symlink_to(elsewhere)
    told = [("result_2.safetensors", 1, "TREE05"), ("result_2.safetensors", 1, "WGT04")]
    assert sorted(found(weighted.root)) == told


@pytest.mark.parametrize(("size", "told"), [(616, True), (617, False)])
def test_wgt06_the_bytes_of_a_file_that_is_not_handed_in(weighted, found, size, told):
    """Half a byte for each of 1234 parameters."""
    shutil.rmtree(weighted.weights(2).parent)
    line = weighted.changed("weights", metadata={"bytes": size})
    assert found(weighted.root) == ([("result_2.txt", line, "WGT06")] if told else [])


@pytest.mark.parametrize(("own", "codes"), [(599, ["WGT08"]), (600, [])])
def test_wgt08_half_of_the_numbers(weighted, found, own, codes):
    """Of 1200 numbers that are compared, all but `own` are another run's."""
    first, second = (weighted.state(i)["a.weight"].reshape(-1) for i in (1, 3))
    bias = weighted.state(3)["b.bias"]
    weighted.weigh(1, {"a": first[own:].copy(), "b": first[:own].copy(), "c": weighted.state(1)["b.bias"]})
    weighted.weigh(3, {"a": first[own:].copy(), "b": second[:own].copy(), "c": bias})
    assert [code for _, _, code in found(weighted.root)] == codes


@pytest.mark.parametrize("kept", ["none", "one", "all", "other"])
def test_wgt04_confirmation_runs_may_leave_their_files_out(tuned, found, kept):
    """Their digests are enough; a file that is there is judged."""
    for index in (4, 5, 6):
        data = safetensors.numpy.save({"a": np.random.default_rng(index).random((1234,), "f4")})
        path = tuned.path(index).parent / "weights" / f"result_{index - 4}.safetensors"
        tuned.logs[index].add("weights", hashlib.sha256(data).hexdigest(), bytes=len(data), path=f"weights/{path.name}")
        tuned.write(index)
        if kept in ("all", "other") or (kept == "one" and index == 4):
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data[:-1] + b"!" if kept == "other" and index == 5 else data)
    assert found(tuned.root) == ([("result_1.safetensors", 1, "WGT04")] if kept == "other" else [])


def test_wgt04_a_file_that_is_gone_does_not_excuse_the_next(weighted, found):
    weighted.weights(1).unlink()
    weighted.weights(2).write_bytes(b"other")
    assert found(weighted.root) == [(f"result_{i}.safetensors", 1, "WGT04") for i in (1, 2)]


def run_with(number, parameters=1234, problem="tiny", division="closed", digest=None, size=100):
    """A run whose log names weights."""
    named = Named(10 + number, digest, size, "") if digest else None
    facts = {"problem": problem, "division": division, "weights": named}
    return made.run(number, values={"parameter_count": parameters}, **facts)


def of_the_model(monkeypatch, *runs, numbers=1233, **published):
    """What WGT06 finds in files of so many numbers: (path, found)."""
    named = [(run, None, Named(7, "d" * 64, 100, checks.file_of(run.path))) for run in runs]
    monkeypatch.setattr(checks, "_files", lambda *_: named)
    monkeypatch.setattr(checks, "read_tensors", lambda path: [SimpleNamespace(size=numbers)])
    terms = made.terms(problems={"tiny": made.published(**published)}, weights=None)
    return [(fault.path, fault.found) for fault in checks.weights_are_of_the_model(list(runs), None, terms)]


@pytest.mark.parametrize("division", ["closed", "open"])
@pytest.mark.parametrize(("parameters", "problem"), [(None, "tiny"), (1234, None)])
def test_wgt06_a_model_without_a_known_size_does_not_excuse_the_next(monkeypatch, division, parameters, problem):
    runs = [run_with(0, parameters, problem, division), run_with(1, division=division)]
    assert of_the_model(monkeypatch, *runs) == [("weights/result_1.safetensors", "1233 numbers")]


@pytest.mark.parametrize(
    ("division", "right", "wrong"), [("closed", (1334,), (1333, 1335)), ("open", (1234, 1335), (1233,))]
)
def test_wgt06_as_many_as_the_models_parameters_and_buffers(monkeypatch, division, right, wrong):
    """An open model has as many buffers as it likes."""
    for numbers in (*right, *wrong):
        found = of_the_model(monkeypatch, run_with(0, division=division), numbers=numbers, buffer_count=100)
        assert bool(found) is (numbers in wrong)


def of_one_run(monkeypatch, *runs, copies=(), **known):
    """The paths that WGT08 finds, of runs whose files hold the same tensor and may have 100 bytes."""
    monkeypatch.setattr(checks, "_contents", lambda run: {"0" * 64: 1000})
    across = made.across(*runs, of=made.edition(weights={"largest": 100, "shared": 0.5}), copies=copies, **known)
    return [fault.path for fault in checks.weights_are_of_one_run(across)]


@pytest.mark.parametrize(("size", "found"), [(100, ["result_1.txt"]), (101, [])])
def test_wgt08_files_up_to_a_size_are_compared(monkeypatch, size, found):
    assert of_one_run(monkeypatch, run_with(0, digest="a"), run_with(1, digest="b", size=size)) == found


@pytest.mark.parametrize("digests", ["aa", "ab"])
def test_wgt08_who_copied_is_not_told_between_strangers(monkeypatch, digests):
    runs = [run_with(number, digest=digest) for number, digest in enumerate(digests)]
    found = of_one_run(monkeypatch, *runs, concerned=lambda run, other: [(run, other), (other, run)])
    assert found == ["result_1.txt", "result_0.txt"]


def test_wgt08_runs_without_weights_and_copies_do_not_excuse_the_next(monkeypatch):
    runs = [run_with(0), run_with(1, digest="a"), run_with(2, digest="a"), run_with(3, digest="a")]
    assert of_one_run(monkeypatch, *runs, copies=["result_2.txt"]) == ["result_3.txt"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", True),
        (b"version https://git-lfs".ljust(1024), True),
        (b"version https://git-lfs".ljust(1025), False),
        (b"version 1\n", False),
    ],
)
def test_a_pointer_of_git_lfs_is_called_one(weighted, findings, content, said):
    weighted.weights(2).write_bytes(content)
    finding = next(f for f in findings(weighted.root) if f.code == "WGT04")
    assert finding.found.endswith(", a pointer of Git LFS: the weights were never fetched") == said
