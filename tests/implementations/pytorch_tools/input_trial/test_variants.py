"""What a trial reads."""

from pathlib import Path

from implementations.pytorch_tools.input_trial.options import STORED
from implementations.pytorch_tools.input_trial.trial import Trial
from implementations.pytorch_tools.input_trial.variants import Variant


def test_variants_of_what_is_staged_or_copied(tmp_path):
    alone = Trial(1, "spin", None, (STORED,), (), None)
    assert list(alone.variants(tmp_path, object())) == [Variant(STORED, tmp_path, "staged")]
    copied = Trial(1, "spin", None, (STORED,), (), Path("s"), copies=5)
    assert list(copied.variants(tmp_path, None)) == [Variant(STORED, Path("s/copies"), "copies", 5)]
