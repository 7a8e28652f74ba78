"""What a trial reads."""

from pathlib import Path

from implementations.pytorch_tools.input_trial.formats import copy_path
from implementations.pytorch_tools.input_trial.options import STORED
from implementations.pytorch_tools.input_trial.trial import Trial
from implementations.pytorch_tools.input_trial.variants import Variant


def test_files_and_their_bytes(tiny, tmp_path):
    stored, first = Variant(STORED, tiny.data, "data"), tiny.problem.split_samples("train")[0]
    whole = sum(path.stat().st_size for path in (tiny.data / "train").glob("*.h5"))
    assert stored.bytes(tiny.problem) == whole and stored.path(tiny.problem, first).is_file()
    (tmp_path / "0").symlink_to(tiny.data)
    assert Variant(STORED, tmp_path, "copies", 5).bytes(tiny.problem) == 5 * whole
    assert Variant("raw", tmp_path, "scratch").path(tiny.problem, first) == copy_path(tmp_path, "raw", "train", first)


def test_variants_of_what_is_staged_or_copied(tmp_path):
    alone = Trial(1, "spin", None, (STORED,), (), None)
    assert list(alone.variants(tmp_path, object())) == [Variant(STORED, tmp_path, "staged")]
    copied = Trial(1, "spin", None, (STORED,), (), Path("s"), copies=5)
    assert list(copied.variants(tmp_path, None)) == [Variant(STORED, Path("s/copies"), "copies", 5)]
