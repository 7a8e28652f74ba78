"""A set in words."""

from compliance.finding import Finding
from results.tables.words import finding_text, goal_words, title


def test_titles_leave_out_what_is_unknown_and_show_controls():
    assert title(("v1.0", "x", "", "strong", "closed")) == "v1.0 · x · closed division · time to train (capability)"
    assert title(("v1.0", "\x1b[31m", "p", "weak", "open")) == "v1.0 · \\x1b[31m · p · open division · throughput sets"


def test_titles_carry_the_label_that_the_edition_gives_a_benchmark():
    said = "scaffold_published (as published: colour alone scores 1.0)"
    found = title(("v1.0", "scaffold_published", "published11", "strong", "open"))
    assert found == f"v1.0 · {said} · published11 · open division · time to train (capability)"
    assert title(("", "scaffold_published", "", "strong", "")) == "scaffold_published · time to train (capability)"


def test_a_waived_finding_says_who_and_why():
    found = Finding("a", 3, "RUN01", "error", "Something holds", waived="R: known\x1b")
    assert finding_text(found) == "a:3: RUN01 Something holds [waived by R: known\\x1b]"


def test_a_problem_has_a_target_and_a_number_of_runs(tree, new_log):
    tree.set([new_log.scaffold(50, seed=i) for i in range(5)])
    results = tree.results(as_logged=False)
    said = "Runs end when they reach the target: eval_accuracy 0.95. A figure of merit needs 5 runs."
    assert goal_words(results) == said and goal_words([]) == ""
