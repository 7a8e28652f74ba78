"""The ranking, which pages and text share: a number looks the same in both."""

from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from results.html.report import html_text
from results.measures.registry import MEASURES
from results.tables import hardware
from results.tables.links import Links
from results.tables.ranking import facts, ranking, throughput_columns, time_columns, units
from results.tables.record import heading
from results.tables.text import markdown_text, terminal_text
from results.tables.words import facts as told


@pytest.fixture
def results(tree, new_log):
    logs = [new_log.scaffold(50 + i * 1.1, epochs=4 + i % 2, seed=i) for i in range(5)]
    tree.set(logs, org="Acme")
    tree.set([new_log.scaffold(30, seed=50 + i) for i in range(4)], org="Acme", scaling="weak")
    return tree.results()


def test_page_terminal_and_markdown_have_the_same_numbers(results, tmp_path):
    page = unescape(html_text(results, tmp_path).replace("<wbr>", ""))
    text, marked = terminal_text(results), markdown_text(results)
    for r in results:
        (line,) = ranking([r], Links(Path.cwd())).lines
        for cell in line.cells[3:]:
            assert f">{cell.text}<" in page and cell.words in text and f"| {cell.words} |" in marked, cell
        assert f"| {hardware.cell(r).words} |" in marked and hardware.HEAD in dict(told(r))
        for name, value in told(r):
            assert f"<dt>{name}</dt><dd>{value}</dd>" in page and f"    {name}: {value}\n" in text, name


def test_text_leaves_out_what_is_too_wide_for_it(results):
    for r, columns in zip(results, (time_columns, throughput_columns), strict=True):
        table, head = ranking([r], Links(Path.cwd())), [heading(name) for name in columns(Links(Path.cwd()))]
        assert table.head[: len(head)] == head and hardware.HEAD in head
        assert table.narrow[0] == [name for name in table.head if name != hardware.HEAD]


def test_facts_of_filters_have_one_spelling_and_plain_words(results):
    strong, many = results
    assert facts(strong)["organisation"] == "acme"
    assert (facts(strong)["scaling"], facts(many)["scaling"]) == ("strong", "throughput set")
    assert terminal_text([many]).splitlines()[0].endswith("closed division · throughput sets")


def test_ranking_and_details_have_one_rate_of_training(results):
    """As found: the ranking gave another rate than the details, under "samples/s"."""
    (line,) = ranking(results[:1], Links(Path.cwd())).lines
    rate = dict(told(results[0]))["training samples a second"].partition(" ± ")[0]
    assert rate in [cell.text for cell in line.cells]
    assert "samples/s" not in terminal_text(results) and "models/h" not in terminal_text(results)


def test_units_without_a_rank_are_told(tree, new_log):
    """As found: 640 units of which 128 only evaluate."""
    for org, ranks in (("a", 3), ("b", 4)):
        tree.set(new_log.five(number_of_ranks=ranks), org=org)
    a, b = sorted(tree.results(), key=lambda r: r.org)
    assert (units(a), units(b)) == ("accelerators, 3 ranks", "accelerators")


def test_an_epoch_that_is_a_part_of_a_pass_has_its_passes_beside_it(tree, new_log):
    logs = [new_log.openfold(seed=i, blocks=10 + i % 3) for i in range(10)]
    tree.set(logs, benchmark="openfold", edition="hpc_results_v3.0")
    (r,) = tree.results()
    table = ranking([r], Links(Path.cwd()))
    told = dict(zip(table.head, (cell.text for cell in table.lines[0].cells), strict=True))
    passes = MEASURES["passes"].title
    assert (told["epochs"], told[passes]) == ("10.88", "0.223")
    assert passes not in ranking([replace(r, mask=(False,) * 10)], Links(Path.cwd())).head
