"""The analysis of MLPerf HPC's paper as tables."""

import pytest

from results import summarize


def analysis(capsys, tree, *arguments):
    summarize.main(["--as-logged", "--view", "analysis", *arguments, str(tree.root)])
    return capsys.readouterr().out


def test_a_table_of_staging_and_one_of_throughput(tree, new_log, capsys):
    tree.set(new_log.five(10))
    out = analysis(capsys, tree).splitlines()
    assert out[0] == "v1.0 · scaffold · smoke · time to train and staging"
    said = ["closed", "acme", "box", "4", "8", "0.20", "0.5000", *(["2.72", "±", "0.25"] * 3), "0.1836", "0.04167"]
    assert out[2].split() == said and "before the clock" not in out[1]
    assert out[4] == "v1.0 · scaffold · smoke · epochs, throughput and budget"
    # 4 epochs of 100 samples trained in half of 9.9, 10.9 and 11.9 s, 20 evaluated in the other half
    assert out[6].split()[3:8] == ["4", "22.0", "±", "2.2", "73.4"]
    marked = analysis(capsys, tree, "--format", "markdown")
    assert f"### {out[4]}" in marked and marked.count("| closed | acme | box |") == 2


def test_a_sentence_says_how_well_known_batch_sizes_are_predicted(tree, new_log, capsys):
    for org, batch in (("a", 4), ("b", 8), ("c", 12)):
        tree.set(new_log.five(10, global_batch_size=batch), org=org)
    said = (
        "v1.0 · scaffold · smoke · closed division: Predicted from the other batch sizes alone, "
        "samples to the target are off by +0 % at 8."
    )
    for form in ("text", "markdown"):
        assert analysis(capsys, tree, "--format", form).endswith(f"\n\n{said}\n")


def test_no_set_of_time_to_train(tree, new_log, capsys):
    tree.set(new_log.five(), scaling="weak")
    tree.set([new_log.steps()], scaling="throughput")  # as found: a row of nothing in every table
    assert analysis(capsys, tree) == "no set of runs to train one model\n"


def test_a_batch_size_and_devices_that_are_asked_for(tree, new_log, capsys):
    tree.set(new_log.five(10, global_batch_size=8))
    out = analysis(capsys, tree, "--at", "8,16", "--at", "8,32").splitlines()
    assert out[-2].split() == ["system", *["batch", "8", "batch", "8", "on", "16", "batch", "8", "on", "32"]]
    assert "(on 4: measured)" in out[-1] and "* (on 16: " in out[-1] and "* (on 32: " in out[-1]


@pytest.mark.parametrize("wrong", ["0", "8,0", "8,16,2", "x", "-8", "", "²", "9" * 13])
def test_what_is_no_place_is_refused(tree, new_log, capsys, wrong):
    with pytest.raises(SystemExit):
        analysis(capsys, tree, f"--at={wrong}")
    assert f"found {wrong!r}, wanted a batch size" in capsys.readouterr().err


def test_a_batch_size_that_no_sets_enclose_is_refused(tree, new_log, capsys):
    tree.set(new_log.five(10, global_batch_size=8))
    arguments = ["--as-logged", "--view", "analysis", str(tree.root), "--at", "9,16"]
    assert summarize.main(arguments) == 2
    assert (
        "--at: found batch 9 on 16, wanted a batch size that sets with a figure of merit have or enclose"
        in capsys.readouterr().err
    )
    assert summarize.main(["--view", "analysis", str(tree.root), "--at", "8"]) == 2  # sets have it, but no score
    assert "found batch 8, wanted a batch size that sets with a figure of merit have" in capsys.readouterr().err
    assert summarize.main([str(tree.root), "--at", "8"]) == 2
    assert "--at: found --view ranking, wanted --view analysis" in capsys.readouterr().err
