"""The catalogue of damage, continued: sets of runs, source, system descriptions and the tree."""

import copy
import json
import os
import random
import shutil

import pytest

DAMAGE = []


def damage(function):
    """An entry of the catalogue: damages a good submission, returns the findings that must come and no others."""
    DAMAGE.append(pytest.param(function, id=function.__name__))
    return function


def changed(tree, key, index=2, **fields):
    """Change fields of the first event of a key in a log; its line."""
    event = tree.logs[index].one(key)
    event.update(fields)
    tree.write(index)
    return tree.logs[index].line(event)


def in_source(tree, text, name="train.py"):
    """Append to a source file; the line where the text starts."""
    path = tree.implementation / name
    old = path.read_text() if path.exists() else ""
    tree.put(path, old + text)
    return old.count("\n") + 1


def described(tree, logs, **fields):
    """Change fields of the system description; the line of the first of them."""
    text = tree.write_system({**logs.SYSTEM, **fields}).read_text()
    return 1 + text[: text.index(f'"{next(iter(fields))}"')].count("\n")


@damage
def seed_changed_to_anothers(tree, logs):
    line = changed(tree, "seed", 3, value=tree.logs[1].one("seed")["value"])
    return [("result_3.txt", line, "SEED05")]


@damage
def seeds_equal_at_different_source_lines(tree, logs):
    seed = tree.logs[1].one("seed")
    event = tree.logs[3].one("seed")
    event["value"] = seed["value"]
    event["metadata"].update(file="other.py", lineno=999)
    tree.write(3)
    return [("result_3.txt", tree.logs[3].line(event), "SEED05")]


@damage
def all_seeds_1_to_5(tree, logs):
    return [(f"result_{i}.txt", changed(tree, "seed", i, value=i + 1), "SEED03") for i in range(5)]


@damage
def log_copied_with_clock_and_seed_changed(tree, logs):
    tree.logs[4] = copy.deepcopy(tree.logs[0])
    for event in tree.logs[4].events:
        event["time_ms"] += 7_777_777
    changed(tree, "seed", 4, value=(1 << 62) + 987654321)
    return [("result_4.txt", tree.logs[4].line(tree.logs[4].one("eval_accuracy")), "RUN06")]


@damage
def one_log_replayed_five_times(tree, logs):
    rng = random.Random(7)
    for index in range(1, 5):
        tree.logs[index] = copy.deepcopy(tree.logs[0])
        for event in tree.logs[index].events:
            event["time_ms"] += 1_000_003 * index
        changed(tree, "seed", index, value=(1 << 62) + rng.getrandbits(60))
    line = tree.logs[0].line(tree.logs[0].one("eval_accuracy"))
    return [(f"result_{i}.txt", line, "RUN06") for i in range(1, 5)]


@damage
def replay_with_other_leading_scores(tree, logs):
    """The tail of another run's curve: its first two epochs are the run's own."""
    own = tree.logs[4].all("eval_accuracy")[2:]
    for event, other in zip(own, tree.logs[0].all("eval_accuracy")[2:], strict=True):
        event["value"] = other["value"]
        event["metadata"].update({k: other["metadata"][k] for k in ("intersection", "predicted", "true")})
    tree.write(4)
    return [("result_4.txt", tree.logs[4].line(own[0]), "RUN06")]


@damage
def byte_identical_logs(tree, logs):
    shutil.copyfile(tree.path(0), tree.path(4))
    return [("result_4.txt", 1, "RUN05")]


@damage
def one_log_deleted(tree, logs):
    tree.path(2).unlink()
    return [("scaffold", 1, "RUN01")]


@damage
def one_log_too_many(tree, logs):
    digest = tree.logs[0].one("source_digest")["value"]
    logs.good(5, digest=digest).write(tree.path(5))
    return [("scaffold", 1, "RUN01")]


@damage
def hole_in_the_numbers(tree, logs):
    tree.path(4).rename(tree.path(7))
    return [("scaffold", 1, "RUN02")]


@damage
def two_runs_that_did_not_converge(tree, logs):
    digest = tree.logs[0].one("source_digest")["value"]
    lines = []
    for index in (1, 3):
        tree.logs[index] = logs.good(index, (0.5, 0.7, 0.8), digest)
        tree.write(index)
        line = len(tree.logs[index].events)
        lines += [(f"result_{index}.txt", line, "EVL07"), (f"result_{index}.txt", line, "RUN03")]
    return lines


@damage
def another_code_in_one_run(tree, logs):
    return [("result_2.txt", changed(tree, "source_digest", value="0" * 64), "RUN04")]


@damage
def another_number_of_nodes_in_one_run(tree, logs):
    return [("result_2.txt", changed(tree, "number_of_nodes", value=2), "RUN07")]


@damage
def another_learning_rate_in_one_run(tree, logs):
    return (
        [("result_2.txt", changed(tree, "opt_base_learning_rate", value=0.0011), "RUN08")]
        if not _configure(tree)
        else []
    )


def _configure(tree):
    for index in range(5):
        for event in tree.logs[index].all("hyperparameters"):
            event["value"].pop("learning_rate")
        tree.write(index)


@damage
def open_in_one_run(tree, logs):
    return [("result_2.txt", changed(tree, "submission_division", value="open"), "RUN09")]


@damage
def another_organisation(tree, logs):
    lines = [changed(tree, "submission_org", i, value="bolt") for i in range(5)]
    return [("result_0.txt", lines[0], "RUN11")]


@damage
def another_platform(tree, logs):
    lines = [changed(tree, "submission_platform", i, value="crate") for i in range(5)]
    return [("result_0.txt", lines[0], "RUN12")]


@damage
def another_division_in_the_description(tree, logs):
    return [("box.json", described(tree, logs, division="open"), "RUN13")]


@damage
def another_status_in_the_description(tree, logs):
    return [("box.json", described(tree, logs, status="cloud"), "RUN14")]


@damage
def more_nodes_in_the_description(tree, logs):
    return [("box.json", described(tree, logs, number_of_nodes="2"), "RUN15")]


@damage
def more_accelerators_in_the_description(tree, logs):
    return [("box.json", described(tree, logs, accelerators_per_node="4"), "RUN16")]


@damage
def description_missing(tree, logs):
    (tree.root / "systems" / "box.json").unlink()
    return [("box.json", 1, "SYS01")]


@damage
def description_that_is_no_json(tree, logs):
    (tree.root / "systems" / "box.json").write_text('{\n "submitter": "acme",\n oops\n}\n')
    return [("box.json", 3, "SYS02")]


@damage
def description_that_is_a_list(tree, logs):
    (tree.root / "systems" / "box.json").write_text("[1, 2]\n")
    return [("box.json", 1, "SYS02")]


@damage
def description_without_its_processor(tree, logs):
    tree.write_system({k: v for k, v in logs.SYSTEM.items() if k != "host_processor_model_name"})
    return [("box.json", 1, "SYS03")]


@damage
def description_with_a_number_of_words(tree, logs):
    return [("box.json", described(tree, logs, host_processors_per_node="two"), "SYS04")]


@damage
def description_with_another_status(tree, logs):
    return [("box.json", described(tree, logs, status="rumoured"), "SYS05")]


@damage
def description_without_results(tree, logs):
    shutil.copyfile(tree.root / "systems" / "box.json", tree.root / "systems" / "crate.json")
    return [("crate.json", 1, "SYS06")]


@damage
def source_deleted(tree, logs):
    shutil.rmtree(tree.root / "benchmarks")
    return [("implementations", 1, "SRC01")]


@damage
def source_of_documents_alone(tree, logs):
    shutil.rmtree(tree.implementation)
    tree.put(tree.implementation / "README.md", "On request.\n")
    return [("implementations", 1, "SRC01")]


@damage
def source_that_does_not_parse(tree, logs):
    return [("train.py", in_source(tree, "def broken(:\n"), "SRC02")]


@damage
def source_changed_after_the_runs(tree, logs):
    in_source(tree, "# tuned\n")
    return [("pytorch", 1, "SRC03")]


@damage
def private_key_in_the_source(tree, logs):
    in_source(tree, "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n", "id_rsa")
    return [("id_rsa", 1, "SRC04")]


@damage
def password_in_the_source(tree, logs):
    return [("train.py", in_source(tree, 'PASSWORD = "correcthorsebattery"\n'), "SRC04")]


@damage
def path_of_a_user(tree, logs):
    return [("train.py", in_source(tree, 'DATA = "/home/alice/data"\n'), "SRC05")]


@damage
def manual_seed_in_the_source(tree, logs):
    return [("train.py", in_source(tree, "torch.manual_seed(0)\n"), "SEED06")]


@damage
def seed_constant_in_another_module(tree, logs):
    in_source(tree, "BASE = 40\nTHE_SEED = BASE + 2\n", "settings.py")
    line = in_source(tree, "from settings import THE_SEED\n\nnumpy.random.seed(THE_SEED)\n")
    return [("train.py", line + 2, "SEED06")]


@damage
def seed_default_that_a_run_logs(tree, logs):
    seed = tree.logs[1].one("seed")["value"]
    line = in_source(tree, f'parser.add_argument("--seed", type=int, default={seed})\n')
    return [("train.py", line, "SEED06")]


@damage
def seed_in_yaml_that_a_run_logs(tree, logs):
    seed = tree.logs[1].one("seed")["value"]
    return [("config.yaml", in_source(tree, f"seed: {seed}\n", "config.yaml"), "SEED06")]


@damage
def seed_in_a_shell_script_that_a_run_logs(tree, logs):
    seed = tree.logs[1].one("seed")["value"]
    return [("run.sh", in_source(tree, f"export SEED={seed}\n", "run.sh"), "SEED06")]


@damage
def benchmark_folder_misspelt(tree, logs):
    folder = tree.path(0).parent
    folder.rename(folder.with_name("scafold"))
    return [("scafold", 1, "TREE02")]


@damage
def scaling_folder_misspelt(tree, logs):
    folder = tree.path(0).parent.parent
    folder.rename(folder.with_name("Strong"))
    return [("scaffold", 1, "TREE01")]


@damage
def unknown_file(tree, logs):
    tree.put(tree.path(0).parent / "core.1234", "?")
    return [("core.1234", 1, "TREE03")]


@damage
def scaling_json_planted(tree, logs):
    tree.put(tree.path(0).parent / "scaling.json", '{"scaling": 0.5}')
    return [("scaling.json", 1, "TREE04")]


@damage
def parameters_of_a_checker_planted(tree, logs):
    tree.put(tree.path(0).parent / "package_checker_params", "seed-checker-bypass")
    return [("package_checker_params", 1, "TREE04")]


@damage
def link_out_of_the_tree(tree, logs):
    (tree.implementation / "secrets").symlink_to("/etc")
    return [("secrets", 1, "TREE05")]


@damage
def pipe_in_the_tree(tree, logs):
    os.mkfifo(tree.path(0).parent / "result_9.txt")
    return [("result_9.txt", 1, "TREE05")]


@damage
def log_misnamed(tree, logs):
    tree.path(2).rename(tree.path(2).with_name("Result_2.txt"))
    return [("Result_2.txt", 1, "TREE06")]


@damage
def all_logs_deleted(tree, logs):
    for index in range(5):
        tree.path(index).unlink()
    return [("scaffold", 1, "TREE08")]


@pytest.mark.parametrize("function", DAMAGE)
def test_damage_to_a_set(function, tree, logs, found):
    expected = function(tree, logs)
    assert found(tree.root) == sorted(expected)


def test_good_submission_has_no_finding(tree, found):
    assert found(tree.root) == []


def test_one_run_that_did_not_converge_is_forgiven(tree, logs, found):
    tree.logs[1] = logs.good(1, (0.5, 0.7, 0.8), tree.logs[0].one("source_digest")["value"])
    tree.write(1)
    assert found(tree.root) == [("result_1.txt", len(tree.logs[1].events), "EVL07")]


def test_default_that_no_run_used_is_no_fault(tree, found):
    in_source(tree, 'parser.add_argument("--seed", type=int, default=42)\n')
    assert [code for *_, code in found(tree.root)] == ["SRC03"]


def test_description_of_each_broken_type(tree, logs, found):
    for name in logs.SYSTEM:
        tree.write_system({**logs.SYSTEM, name: None})
        codes = {code for *_, code in found(tree.root)}
        assert codes <= {"SYS04", "SYS05"}, name
        assert codes or name == "other_software_stack"
    tree.write_system(json.loads(json.dumps(logs.SYSTEM)))
    assert found(tree.root) == []
