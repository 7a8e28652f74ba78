"""Studies: which runs and measurements a point is, what is there already, and one of tiny on 1 and 2 ranks."""

import pytest

from benchmark.log import LogWriter
from benchmark.tree import SUPERSEDED, THROUGHPUT, result_path
from compliance.engine import judge
from harness import submit
from results.statistics.result import summarize
from results.tables.procurement import procurement


@pytest.fixture
def study(fake):
    """Calls submit.py; its exit code and what was started, (system, ranks, batch, options)."""

    def told(start):
        words = start["options"]
        batch = [int(word.removeprefix("batch_size=")) for word in words if word.startswith("batch_size=")]
        steps = words[words.index("--steps") :] if "--steps" in words else []
        return words[words.index("--system") + 1], int(start["variables"]["WORLD_SIZE"]), *(batch or [2]), *steps

    def call(*options):
        code = fake.submit(*options, "--exec", "env OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE={ranks}")
        return code, list(map(told, fake.starts()))

    return call


@pytest.mark.slow
def test_strong_a_set_and_steps_for_each_number_of_ranks(study, tmp_path):
    options = ["--study", "strong", "--ranks", "1", "2", "--runs", "2", "--steps", "7"]
    code, started = study(*options)
    assert code == 0
    sets = [(f"laptop-{n}", n, 2) for n in (1, 2) for _ in range(2)]
    steps = [("laptop", n, 2, "--steps", "7") for n in (1, 2)]
    assert started == [*sets[:2], steps[0], *sets[2:], steps[1]]
    systems = {p.name for p in (tmp_path / "v1.0" / "Us" / "systems").iterdir()}
    assert systems == {"laptop-1.json", "laptop-2.json", "laptop.json"}
    assert study(*options) == (0, [])  # it is all there
    more = [("laptop-4", 4, 2), ("laptop-4", 4, 2), ("laptop", 4, 2, "--steps", "7")]
    assert study(*options[:5], "4", *options[5:])[1] == more
    assert study(*options[:-1], "9")[1] == [("laptop", n, 2, "--steps", "9") for n in (1, 2)]


@pytest.mark.slow
def test_weak_steps_alone_of_a_batch_in_proportion(study):
    code, started = study("--study", "weak", "--ranks", "1", "2", "3")
    assert (code, started) == (0, [("laptop", n, 2 * n, "--steps", "20") for n in (1, 2, 3)])


@pytest.mark.slow
def test_without_steps_there_is_no_system_of_the_study(study, tmp_path):
    """A layout is a number of ranks."""
    assert study("--study", "strong", "--ranks", "1,2,1,1", "--runs", "1", "--steps", "0") == (0, [("laptop-2", 2, 2)])
    assert [p.name for p in (tmp_path / "v1.0" / "Us" / "systems").iterdir()] == ["laptop-2.json"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--study", "strong", "--ranks", "2", "1,2,1,1"], "wanted a different number of ranks at each point"),
        (["--study", "weak", "--ranks", "4", "3"], "batch_size: found 2 at 4 ranks, wanted a whole batch at 3 too"),
        (["epoch=3", "--study", "strong", "--ranks", "1", "2"], "did you mean 'epochs'"),
    ],
)
def test_what_a_point_would_refuse_is_refused_before_the_first(study, capsys, options, said):
    assert study(*options) == (2, [])
    assert said in capsys.readouterr().err


def test_a_measurement_that_broke_off_is_made_again(study, tmp_path):
    log = result_path(tmp_path / "v1.0" / "Us", "laptop", "scaffold", 0, THROUGHPUT)
    LogWriter(log).event("number_of_ranks", 1)
    _, started = study("--study", "weak", "--ranks", "1")
    assert len(started) == 1 and "throughput" in log.read_text()
    (aside,) = log.parent.glob(f"{SUPERSEDED}/*/result_0.txt")
    assert "number_of_ranks" in aside.read_text()


def test_tiny_on_1_and_2_ranks_judged_as_tables(tiny, tmp_path):
    out = tmp_path / "v1.0"
    options = tiny.harness(out, "--runs", "0", "--study", "strong", "--ranks", "1", "2", "--steps", "2")
    assert submit.main(options) == 0
    verdict = judge([str(out)])
    unpublished = {"LOG12", "RUN11"}
    assert {f.code for f in verdict.findings if f.severity == "error"} <= unpublished
    found = procurement(summarize(verdict, as_logged=True))["text"]
    for title in ("strong scaling, steps", "phases of a step", "bottlenecks", "memory and input"):
        assert title in found
    rows = [line.split() for line in found.split("strong scaling, steps")[1].split("\n\n")[0].splitlines()[2:]]
    assert [row[2] for row in rows] == ["1", "2"] and rows[0][-2:] == ["1", "1"]
