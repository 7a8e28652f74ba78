"""DeepCAM's runs, in real processes: a twin that is easy enough to reach the published target in seconds."""

import dataclasses

import pytest

from benchmark.manifest import load_manifest
from benchmark.problem import load_problem
from compliance.engine import judge
from tests.support.official import complaints
from tests.support.tiny import make

CONFIG = """{batch_size: 4, eval_batch_size: 3, epochs: 60, learning_rate: 0.02, schedule: cosine_annealing,
cosine_epochs: 35.6, warmup_epochs: 1.8, threads: 1, precision: float32}"""


@pytest.fixture(scope="module")
def easy(tmp_path_factory, warm):
    mini = load_problem("deepcam-mini")
    loud = {"contrast": (5.0, 5.0), "wind": (5.0, 5.0), "grain": 0.0, "decoys": (0, 0)}
    few = {"cyclones": (1, 1), "rivers": (1, 1), "radius": (5.0, 8.0), "half_width": (3.0, 4.0)}
    sizes = {"height": 32, "width": 48, "middle": 1, "train_samples": 33, "validation_samples": 7}
    problem = dataclasses.replace(mini, name="easy", twin=dataclasses.replace(mini.twin, **loud, **few), **sizes)
    return make(tmp_path_factory.mktemp("easy"), CONFIG, warm, problem)


@pytest.mark.parametrize(
    ("ranks", "settings"),
    [
        (2, ("batch_size=5", "accumulate=2", "batchnorm_group_size=2")),
        (1, ("optimizer=AdamW", "learning_rate=0.005", "schedule=multistep", "decay_epochs=[22]", "decay_rate=0.5")),
    ],
)
def test_a_log_passes_our_checker_and_mlperfs_but_for_samples(easy, published, tmp_path, log, ranks, settings):
    found = easy.ran(log, *settings, ranks=ranks)
    assert complaints(log) == {"train_samples", "eval_samples"}  # a twin's are not the published dataset's
    verdict = judge([str(log)], rules=published(log, tmp_path / "rules"))
    assert [f for f in verdict.findings if f.severity == "error"] == []

    manifest = load_manifest(easy.data, easy.problem)
    proofs = {e.metadata["split"]: e for e in found if e.key == "dataset_fingerprint"}
    assert {split: proof.value for split, proof in proofs.items()} == manifest.fingerprints
    score = next(e for e in reversed(found) if e.key == "eval_accuracy")
    assert score.value == sum(score.metadata["sums"]) / (3 * 7) >= 0.82
