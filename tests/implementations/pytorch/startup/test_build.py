"""What a run is built of, and what its log says of it before the clock starts."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from benchmark.launch import Launch
from benchmark.run.errors import Aborted
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.scaffold.task import Config
from implementations.pytorch.startup import build
from implementations.pytorch.startup.setup import Setup
from tests.support.threaded import in_threads


def setup_with(config, **more) -> Setup:
    """The setup of a run of one process, whose options are those that are named."""
    options = SimpleNamespace(**{"rehearsal_seed": None, "org": "Us", "system": "box"} | more)
    problem = SimpleNamespace(workload="scaffold", name="tiny")
    task = SimpleNamespace(config=config, problem=problem)
    return Setup(options, Launch(0, 1, 0, 1, "none"), task, Layout(1), None, b"")


def test_a_run_on_a_gpu_computes_in_float32_before_anything_else(monkeypatch):
    done = []
    monkeypatch.setattr(build, "gpu_of", lambda launch: 3)
    monkeypatch.setattr(torch.cuda, "set_device", done.append)
    monkeypatch.setattr(build, "ieee_float32", lambda: done.append("float32"))
    assert build.open_device(setup_with(Config(device="cuda", threads=1))).type == "cuda"
    assert done == [3, "float32"]


def test_a_device_is_told_by_its_kind(monkeypatch):
    facts = SimpleNamespace(name="A100", uuid="0a-1b")
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: facts)
    assert build.device_of(torch.device("cuda:1"))[1:] == ("cuda", "A100", "0a-1b")
    assert build.device_of(torch.device("cpu")).kind == "cpu"


@pytest.mark.parametrize("local", [(0, 1, 0), (0, 0, 1), (0, 0, 0), (0, 1, 2)])
def test_nodes_are_counted_however_many_ranks_each_has(monkeypatch, local):
    monkeypatch.setattr(build, "energy_meter", lambda *given: None)
    nodes = []
    log = SimpleNamespace(machine=lambda devices, number, *layout: nodes.append(number))

    def count(layout: Layout) -> None:
        setup = setup_with(Config(device="cpu"), steps=0)
        launch = Launch(layout.rank, 3, local[layout.rank], 3, "slurm")
        build.log_machine(replace(setup, launch=launch), layout, SimpleNamespace(log=log, checkpoints=None))

    in_threads(monkeypatch, Layout(3), count)
    assert nodes == [local.count(0)] * 3


RESUMED = SimpleNamespace(resumed=SimpleNamespace(seed=11))
ASSIGNED = SimpleNamespace(seed=13, origin={"source": "registry", "entry": 2})


@pytest.mark.parametrize(
    ("rehearsal", "assigned", "checkpoints", "seed", "origin"),
    [
        (None, None, None, None, {"source": "os.urandom"}),
        (7, None, None, 7, {"source": "rehearsal"}),
        (0, None, None, 0, {"source": "rehearsal"}),
        (None, ASSIGNED, None, 13, {"source": "registry", "entry": 2}),
        (None, None, RESUMED, 11, {"source": "os.urandom"}),
        (None, ASSIGNED, RESUMED, 11, {"source": "registry", "entry": 2}),
        (7, None, SimpleNamespace(resumed=None), 7, {"source": "rehearsal"}),
    ],
)
def test_a_seed_has_its_origin(rehearsal, assigned, checkpoints, seed, origin):
    setup = replace(setup_with(Config(), rehearsal_seed=rehearsal), assigned=assigned)
    files = SimpleNamespace(checkpoints=checkpoints)
    found, said = build.seed_of(setup, files)
    assert said == origin
    if seed is None:
        assert 0 <= found < 2**63 and found != build.seed_of(setup, files)[0]
    else:
        assert found == seed


@pytest.mark.parametrize(
    ("epochs", "fits"), [((None, None), True), ((2, 2), True), ((1, 2), False), ((None, 2), False)]
)
def test_all_ranks_resume_after_the_same_epoch(tmp_path, monkeypatch, epochs, fits):
    """Others have looked at the folder before rank 0 had its lock."""

    def check(layout: Layout) -> str | None:
        at = epochs[layout.rank]
        resumed = None if at is None else SimpleNamespace(epoch=at)
        files = SimpleNamespace(checkpoints=SimpleNamespace(root=tmp_path, resumed=resumed))
        try:
            return build.check_checkpoints(layout, files)
        except Aborted as error:
            return str(error)

    found = f"found checkpoints of {epochs[0] or 0} to {epochs[1]} epochs on different ranks"
    said = f"{tmp_path}: {found}, wanted the same one: start the run again"
    assert in_threads(monkeypatch, Layout(2), check) == [None if fits else said] * 2


def test_ranks_with_other_settings_are_named(monkeypatch):
    """A node's processor may have no bfloat16. How many threads a rank has is its own affair."""

    def settled(*precisions: str) -> list[str]:
        def settle(layout: Layout) -> str:
            config = Config(precision=precisions[layout.rank], threads=1 + layout.rank)
            try:
                build.check_settings(layout, config)
            except Aborted as error:
                return str(error)
            return ""

        return in_threads(monkeypatch, Layout(3), settle)

    assert settled("float32", "float32", "float32") == [""] * 3
    said = "precision: found 'bfloat16' on rank 2, wanted 'float32', as on rank 0"
    assert settled("float32", "float32", "bfloat16") == [said] * 3


class Told:
    """A log, and a layout of ranks that have these values."""

    def __init__(self, *values, rank=0):
        self.values, self.rank, self.events = list(values), rank, []

    def gather(self, value):
        return self.values

    def event(self, key, value):
        self.events.append((key, value))


@pytest.mark.parametrize(
    ("able", "rank", "lines"), [((True, True), 0, 0), ((False, False), 0, 1), ((False, False), 1, 0), ((False,), 0, 1)]
)
def test_all_ranks_compile_or_none(able, rank, lines, capsys):
    told = Told(*able, rank=rank)
    build.log_compiled(told, told, able[0])
    assert told.events == [("compiled", all(able))]
    said = capsys.readouterr().err
    assert said.count("\n") == lines and said.count("train.py: kernels are not compiled: ") == lines


def test_ranks_of_which_some_compile_are_refused():
    told = Told(True, False, True, False)
    with pytest.raises(Aborted, match=r"^compile: found kernels that ranks 1, 3 could not compile, wanted all or none"):
        build.log_compiled(told, told, True)
    assert told.events == []


@pytest.fixture
def recorded(monkeypatch):
    """The files that this process has loaded, in the place of the recorder's."""
    recorder = SimpleNamespace(files_with=lambda path, data: ({"a.py": "1"}, "a.yaml"))
    monkeypatch.setattr(build, "install", lambda: recorder)


def test_ranks_that_loaded_other_source_are_named(recorded):
    mine, other = (build.combine({"a.py": digest}.items()) for digest in "12")
    ranks = [(digest, "a.yaml") for digest in (mine, other, mine, other)]
    layout = SimpleNamespace(gather=lambda value: ranks)
    with pytest.raises(Aborted, match=r"^ranks 1, 3: found other source than rank 0 has, wanted the same$"):
        build.log_source(setup_with(Config()), layout, None)


def test_a_run_that_is_not_its_entrys_is_aborted(recorded):
    class Assigned:
        def difference(self, *found):
            assert found[:4] == ("Us", "box", "scaffold", "tiny")
            assert found[4:] == (build.combine([("a.py", "1")]), Config().digest())
            return "system: found box, wanted laptop"

    setup = replace(setup_with(Config()), assigned=Assigned())
    with pytest.raises(Aborted, match=r"^system: found box, wanted laptop$"):
        build.log_source(setup, Layout(1), None)
