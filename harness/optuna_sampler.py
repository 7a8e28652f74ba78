"""Use Optuna as an outside sampler, if it is installed (`pip install optuna`). The project does not depend on it.

A new study is made for each question, from the finished trials, so that only the campaign's own files have to survive a
kill. Each proposed point becomes an entry of the ledger before its trial starts. The checker compares trials with these
entries and never runs Optuna.
"""

import importlib
import importlib.util
from pathlib import Path
from typing import Any

from benchmark.ledger import Asked, append
from benchmark.run.files import LEDGER
from benchmark.tuning.campaign import Axis
from benchmark.tuning.folder import open_folder
from benchmark.tuning.points import SHORT
from harness.status import read_status

MISSING = "sampler: found no Optuna, wanted it installed for the sampler optuna: pip install optuna"


def need_optuna() -> None:
    """Raise ValueError if Optuna is not installed."""
    if importlib.util.find_spec("optuna") is None:
        raise ValueError(MISSING)


def ask(folder: Path, index: int) -> None:
    """Have Optuna propose the point of a trial, and append it to the ledger."""
    optuna = importlib.import_module("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    opened = open_folder(folder)
    axes = {name: distribution(optuna, axis) for name, axis in opened.campaign.space.items()}
    seed = (int(opened.shift[:8], 16) + index) % 2**32  # another one for each question, the same when asked again
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    found = {i: read_status(folder / f"result_{i}.txt") for i in opened.asked}
    finished = {i: s for i, s in found.items() if s.finished}
    slowest = max((s.seconds for s in finished.values()), default=0.0)
    for i, s in finished.items():
        value = s.seconds if s.state == "reached" else 2 * slowest  # a failure is worse than the slowest trial
        params = {name: choice(opened.campaign.space[name], v) for name, v in opened.asked[i].items()}
        study.add_trial(optuna.trial.create_trial(params=params, distributions=axes, value=value))
    proposed = study.ask(axes).params
    point = {name: value_of(opened.campaign.space[name], value) for name, value in proposed.items()}
    append(folder / LEDGER, Asked(point, index))


def distribution(optuna: Any, axis: Axis) -> Any:
    """Return an axis as Optuna's distribution. Listed values are represented by their indices."""
    if axis.values is not None:
        return optuna.distributions.CategoricalDistribution(list(range(len(axis.values))))
    low, high, log = axis.low or 0.0, axis.high or 0.0, axis.scale == "log"
    if axis.integer:
        return optuna.distributions.IntDistribution(int(low), int(high), log=log)
    return optuna.distributions.FloatDistribution(low, high, log=log)


def choice(axis: Axis, value: Any) -> Any:
    """Return Optuna's value for a value of a point."""
    return value if axis.values is None else axis.values.index(value)


def value_of(axis: Axis, proposed: Any) -> Any:
    """Return the value of a point for Optuna's proposal, rounded like all points."""
    if axis.values is not None:
        return axis.values[proposed]
    if axis.integer:
        return int(proposed)
    low, high = axis.low or 0.0, axis.high or 0.0
    return min(max(float(SHORT.create_decimal_from_float(proposed)), low), high)
