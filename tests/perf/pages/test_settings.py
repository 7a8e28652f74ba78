"""The page of settings: a table for each workload."""

from perf.pages.settings import page


def test_each_workload_has_a_table():
    text = page()
    assert [
        w
        for w in ("scaffold", "cosmoflow", "deepcam", "scaffold_published")
        if f"\n## {w}\n\n| setting | meaning |" not in text
    ] == []
    assert text.count("| `batch_size` |") == 4
