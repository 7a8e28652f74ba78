"""From logs to the data, and from the data to figures, table and points."""

import hashlib
from dataclasses import replace

import pytest

from perf import convergence
from perf.curves import runs as curves
from perf.curves import table
from perf.curves.runs import Run, Series, merged, read, width_of, write
from tests.support import LOG, ROOT
from tests.support.lines import written

PAGE = ROOT / "docs" / "convergence.md"


def run(number=0, scores=(0.5, 0.94, 0.95), threads=2, device="cpu"):
    seconds = 10.0 * len(scores) + number + 0.5
    return Run(f"log{number}", "source", number, device, threads, "bfloat16", seconds, tuple(scores))


def series(*runs, problem="smoke", width=16, batch=2, **settings):
    settings = {"learning_rate": 0.001, **settings}
    return Series("scaffold", problem, "0" * 64, width, batch, 0.95, settings, runs or (run(),))


@pytest.fixture
def command(tmp_path, capsys):
    """Runs the command in a folder of its own: (exit code, output, errors)."""

    def call(*arguments):
        code = convergence.main([*map(str, arguments), "--docs", str(tmp_path)])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_runs_are_added_once_and_page_and_figures_are_made(command, tmp_path):
    (tmp_path / "convergence.md").write_text("<!-- generated: table -->\nold\n<!-- end: table -->\n")
    _, out, _ = command(LOG)
    page, drawn = tmp_path / "convergence.md", tmp_path / "figures" / "convergence-smoke.svg"
    assert page.read_text() == f"<!-- generated: table -->\n\n{out.strip()}\n\n<!-- end: table -->\n"
    before = drawn.read_bytes()
    assert command()[1] == out and drawn.read_bytes() == before  # without the logs
    command("--add", LOG, LOG.with_name("result_1.txt"))
    (one,) = read(tmp_path / "convergence.yaml")
    assert [r.seed for r in one.runs] == [r.seed for r in sorted(one.runs, key=lambda r: r.seconds)]
    assert len(one.runs) == 2
    command(LOG.with_name("result_2.txt"))
    assert len(read(tmp_path / "convergence.yaml")[0].runs) == 1


def test_what_a_run_is(command, tmp_path):
    """Held against the log's events, read here by themselves."""
    command(LOG)
    (one,) = read(tmp_path / "convergence.yaml")
    (found,) = one.runs
    events = written(LOG)
    said = {e["key"]: e for e in events}
    facts = {key: e["value"] for key, e in said.items()}
    scores = [e["value"] for e in events if e["key"] == "eval_accuracy"]
    assert (one.problem, one.batch, one.target) == ("smoke", facts["global_batch_size"], facts["target"])
    assert (found.seed, found.source, list(found.scores)) == (facts["seed"], facts["source"], scores)
    assert found.threads == facts["hyperparameters"]["threads"] and "threads" not in one.settings
    assert one.settings["learning_rate"] == facts["hyperparameters"]["learning_rate"]
    assert found.seconds == (said["run_stop"]["time_ms"] - said["run_start"]["time_ms"]) / 1000
    assert one.epochs == [said["run_stop"]["metadata"]["epoch_num"]] == [len(found.scores)]
    assert found.log == hashlib.sha256(LOG.read_bytes()).hexdigest()


@pytest.mark.parametrize("name", ["missing.txt", "empty.txt", "cut.txt"])
def test_what_is_no_run_is_refused(command, tmp_path, name):
    lines = LOG.read_text().splitlines(keepends=True)
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "cut.txt").write_text("".join(line for line in lines if '"run_stop"' not in line))
    code, out, err = command(tmp_path / name)
    assert (code, out) == (2, "") and err.startswith("convergence.py: ") and name in err
    assert not (tmp_path / "convergence.yaml").exists()


def test_runs_of_other_mathematics_are_other_series():
    alike = [series(run(0)), series(run(1, threads=1)), series(run(1))]
    other = [series(run(2), batch=4), series(run(3), width=32), series(run(4), learning_rate=0.1)]
    found = merged([*other, *alike])
    assert [(s.width, s.batch, len(s.runs)) for s in found] == [(32, 2, 1), (16, 2, 2), (16, 2, 1), (16, 4, 1)]
    assert table.names(found)[1:3] == ["smoke (learning_rate 0.001)", "smoke (learning_rate 0.1)"]
    by_scale = merged(series(problem=p) for p in ("scale10", "scale6", "smoke", "scale9"))
    assert [s.problem for s in by_scale] == ["smoke", "scale6", "scale9", "scale10"]


def test_the_target_is_met_at_the_target():
    below, at = (0.5, 0.9499999), (0.5, 0.95)
    one = series(run(0, at), run(1, below))
    assert [one.reached(r) for r in one.runs] == [2, None]
    assert (one.epochs, one.crossings, one.variation) == ([2], [2.0], None)
    assert series(run(0, (0.9, 0.975)), run(1, (0.96,))).crossings == [1.0, pytest.approx(1 + 2 / 3)]
    lower = replace(one, benchmark="cosmoflow", target=0.9)
    assert [lower.reached(r) for r in lower.runs] == [1, 1]


def test_the_table():
    one = series(run(0), run(1, (0.5, 0.96)), run(2, (0.5, 0.6), device="cuda"))
    row = table.markdown([one]).splitlines()[2]
    assert row == "| smoke | 16 | 2 | 3 | 2 | 2 | 2.5 | 3 | 28.3 % | 26.0 | 2, cuda |"
    assert table.markdown([series(run(0, (0.5,)))]).splitlines()[2] == "| smoke | 16 | 2 | 1 | 0 |  |  |  |  |  | 2 |"


def test_points_are_those_of_published_problems(monkeypatch):
    monkeypatch.setattr(Series, "published", property(lambda one: one.width == 16))
    found = [series(run(0), run(1, (0.96,)), run(2, (0.1,))), series(run(3), batch=4), series(width=8)]
    assert table.points(found).splitlines() == [
        "# smoke, batch size 2: 1 of 3 runs missed the target",
        "smoke:",
        "  reference_epochs:",
        "    2: [1.00, 3.00]",
        "# smoke, batch size 4: 1 runs, a point needs 2",
        "# smoke, width 8, batch size 2: not the problem as it is defined now",
    ]
    with pytest.raises(ValueError, match=r"smoke at batch size 2: found .*, wanted one series"):
        table.points([series(), series(learning_rate=0.1)])
    crossings = (4.001, 4.0, 3.999, 0.1 + 0.2)  # never an earlier epoch
    assert [table.rounded_up(at) for at in crossings] == ["4.01", "4.00", "4.00", "0.30"]


def test_a_published_problem_has_the_digest_of_its_definition():
    one, digest = series(problem="scale6"), curves.load_problem("scale6").digest()
    assert not one.published and not replace(one, problem="none").published
    assert replace(one, problem_digest=digest).published
    assert [width_of("scale6", digest), width_of("scale6", "0" * 64), width_of("none", digest)] == [64, 0, 0]
    assert width_of("cosmoflow-mini", curves.load_problem("cosmoflow-mini").digest()) == 0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("series:", "runs:", "found no list of series"),
        ("problem:", "problme:", r"series\[0\]: unknown field 'problme'; did you mean 'problem'"),
        ("scores: [0.5, 0.94, 0.95]", "scores: []", r"found scores \(\)"),
        ("[0.5, ", "[.nan, ", "found scores .* wanted finite ones"),
    ],
)
def test_what_is_wrong_in_the_data_is_refused(tmp_path, old, new, message):
    path = tmp_path / "convergence.yaml"
    write(path, [series()])
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(ValueError, match=message):
        read(path)


@pytest.mark.slow
def test_the_figures_are_drawn_of_the_data():
    for name, drawn in convergence.figures(read(convergence.DOCS / "convergence.yaml")).items():
        assert (convergence.DOCS / "figures" / name).read_text(encoding="utf-8") == drawn


def test_the_page_is_made_of_the_data():
    found = read(convergence.DOCS / "convergence.yaml")
    page = PAGE.read_text(encoding="utf-8")
    assert convergence.filled(page, {"table": table.markdown(found)}) == page
