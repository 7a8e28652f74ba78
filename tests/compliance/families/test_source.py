"""SRC and SEED06: the source in a submission is what ran, file by file, and of a closed run the benchmark's own."""

import shutil

import pytest

from benchmark.source import combine
from benchmark.tree import source_path
from compliance.families import source as checks
from compliance.reading.files import Text
from compliance.reading.source import MOST_FILES, Folder
from tests.compliance import made
from tests.compliance.families.damages import damage, event_changed, file_added, files_changed
from tests.compliance.logs import event, good, read, sha256
from tests.compliance.made import OURS
from tests.support.effort import guarded

LOG, METRIC, TRAIN = "benchmark/log.py", "benchmark/metric.py", "implementations/pytorch/train.py"
CONFIG = "implementations/pytorch/configs/tiny.yaml"


no_source = files_changed("SRC01", "source", lambda tree: shutil.rmtree(tree.root / "source"))
python_that_does_not_parse = file_added("SRC02", "implementations/pytorch/a.py", "a = 1\ndef f(:\n", line=2)
file_that_ran_left_out = files_changed("SRC03", "train.py", lambda tree: (tree.source / TRAIN).unlink())
private_key = file_added("SRC04", "implementations/id_rsa", "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n")
path_of_a_user = file_added("SRC05", TRAIN, 'DATA = "/home/alice/data"\n')
file_that_no_run_loaded = files_changed(
    "SRC06", "other.py", lambda tree: tree.put(tree.implementation / "other.py", "")
)
file_beside_the_folders = files_changed(
    "SRC06", "other.py", lambda tree: tree.put(tree.root / "source" / "other.py", "")
)
folder_that_no_run_uses = files_changed(
    "SRC06", "1" * 12, lambda tree: shutil.copytree(tree.source, tree.source.with_name("1" * 12))
)
files_that_are_not_named = event_changed("SRC08", "source", metadata={"files": None})


@damage
def metric_of_its_own_in_a_closed_run(tree):
    tree.put(tree.source / METRIC, "ours = 1\n")
    line = tree.ran()
    return [(f"result_{i}.txt", line, "SRC07") for i in range(5)]


@damage
def two_files_that_may_have_begun_the_run(tree):
    tree.put(tree.source / "implementations/other/train.py", "x = 1\n")
    line = tree.ran()
    return [(f"result_{n}.txt", line, "SRC09") for n in range(5)]


@damage
def source_without_its_program(tree):
    (tree.source / TRAIN).unlink()
    line = tree.ran()
    return [(f"result_{n}.txt", line, "SRC09") for n in range(5)]


@damage
def a_file_that_no_run_logs(tree):
    line = tree.add(TRAIN, "from .training.loop import train\n")
    return [("train.py", line, "SRC10")]


def test_src10_packages_and_what_others_distribute_may_be_imported(tree, findings):
    tree.put(tree.source / "implementations/pytorch/layers/own.py", "a = 1\n")
    tree.add(
        TRAIN, "from .layers import own\nfrom . import layers\nimport numpy.linalg\nfrom benchmark.log import TOKEN\n"
    )
    assert findings(tree.root) == ()


@pytest.mark.parametrize(
    ("name", "codes"), [("own.cpp", ["CODE04"]), ("own.yaml", ["SRC09"] * 5), ("own.json", ["SRC09"] * 5)]
)
def test_src09_a_program_in_another_language_has_no_train_py(tree, findings, name, codes):
    """Settings are no program."""
    (tree.source / TRAIN).unlink()
    tree.add(f"implementations/own/{name}", "{}\n")
    assert [finding.code for finding in findings(tree.root)] == codes


@pytest.mark.parametrize(
    ("name", "text", "line"), [("b.py", "x = " + "(" * 9000, 1), ("c.py", "\xff", 1), ("d.yaml", "a" * (3 << 20), 1)]
)
def test_source_that_cannot_be_read(tree, found, name, text, line):
    path = tree.put(tree.source / f"implementations/pytorch/{name}", "")
    path.write_bytes(text.encode("latin-1"))
    tree.ran()
    assert found(tree.root) == [(name, line, "SRC02")]


@pytest.mark.parametrize(("beyond", "found_in"), [(-1, ["train.py"]), (0, [])])
def test_more_python_than_can_be_parsed_is_for_review(tree, found, monkeypatch, beyond, found_in):
    for index in range(4):
        tree.add(f"implementations/pytorch/part{index}.py", f"a = {index}\n" + "#" * 10_000)
    size = sum(len(path.read_text()) for path in tree.source.rglob("*.py"))
    monkeypatch.setattr("compliance.reading.files.LARGEST_PYTHON", size + beyond)
    assert [name for name, _, code in found(tree.root) if code == "CODE04"] == found_in


def test_a_file_of_several_sets_is_told_once(tree, findings):
    second(tree)
    tree.put(tree.source / CONFIG, "epochs: 61\n")
    (finding,) = [f for f in findings(tree.root) if f.code == "SRC03"]
    assert finding.path == f"{tree.source}/{CONFIG}"
    assert finding.found == f"sha256 {sha256(tree.source / CONFIG)}"
    assert finding.wanted == f"{tree.files()[CONFIG]}, as logged in {tree.path(0)}"


def second(tree, host="crate-1"):
    """A second system with the same runs but for seeds, curves and host."""

    def make(index):
        log = good(100 + index)
        log.put("submission_platform", "crate")
        for group in log.one("devices")["value"]:
            group["host"] = host or group["host"]
        return log

    return type(tree)(tree.root.parents[1], make=make, system="crate")


def test_two_systems_with_different_configs_in_one_folder(tree, found):
    crate = second(tree)
    other = tree.put(tree.source / "implementations/pytorch/configs/crate.yaml", "epochs: 50\n")
    first = tree.files()
    changed = {path: digest for path, digest in first.items() if path != CONFIG}
    changed["implementations/pytorch/configs/crate.yaml"] = sha256(other)
    crate.loads(changed)
    tree.source.rename(source_path(tree.root, combine({**first, **changed}.items())))
    assert found(tree.root) == []


@pytest.mark.parametrize("relative", [False, True])
def test_tree_of_mlperf(tree, found, relative):
    folder = tree.root / "benchmarks" / "scaffold" / "implementations" / "tuned"
    folder.parent.mkdir(parents=True)
    tree.source.rename(folder)
    (tree.root / "source").rmdir()
    if relative:
        for path in list((folder / "implementations" / "pytorch").iterdir()):
            path.rename(folder / path.name)
        shutil.rmtree(folder / "implementations")
    tree.put(folder / "notes.py", "more = 'than what ran'\n")
    assert found(tree.root) == []
    (folder / LOG).unlink()
    assert found(tree.root) == [("log.py", 1, "SRC03")]
    folder.parent.parent.rename(tree.root / "benchmarks" / "deepcam")
    assert found(tree.root) == [("source", 1, "SRC01")]


@pytest.mark.parametrize(
    ("code", "text"), [("SRC04", 'PASSWORD = "correcthorsebattery"\n'), ("SEED06", "torch.manual_seed(0)\n")]
)
def test_faults_in_source(tree, found, code, text):
    expected = ("train.py", tree.add(TRAIN, text), code)
    assert found(tree.root) == [expected]
    shutil.copytree(tree.implementation, tree.root / "benchmarks" / "scaffold" / "implementations" / "pytorch")
    assert found(tree.root) == [expected, expected]


def test_open_run_may_change_the_benchmark(tree, found):
    tree.put(tree.source / METRIC, "ours = 1\n")
    tree.ran()
    tree.described(division="open")
    for index in range(5):
        tree.changed("submission_division", index, value="open")
    assert found(tree.root) == [("metric.py", 1, "CODE05")]  # for a person to read


def test_hostile_files_are_checked_to_the_end(tree, findings):
    bad = {f"implementations/{i}/../{i}.py": [i] for i in range(30_000)}
    sound = {f"implementations/{i}.py": f"{i:064x}" for i in range(30_000)}
    own = tree.files()
    for index, size in enumerate([30_000, 3000, 2000, MOST_FILES - 10]):
        files = dict([*(bad if index % 2 else sound).items()][:size])
        tree.loads({**own, **files}, index)
    for index in range(100):
        tree.put(tree.root / "source" / f"{index:012}" / TRAIN, f"a = {index}\n")
    with guarded():
        found = findings(tree.root)
    assert {"LOG01", "SRC03", "SRC08"} <= {f.code for f in found}
    assert len(found) < 5000
    assert all(f.text().isprintable() for f in found)


def text(name, content="", problem="", alien=""):
    return Text(("source", "x", name), content, problem, name, alien)


def submitted(*source, of=OURS, **more):
    """The files of a submission with this source, without those of its folders."""
    files = made.files(of=of)
    vars(files).update({"source": source, "python": {}, "folders": (), "loaded": (), **more})
    return files


def test_src02_leaves_out_binary_files_and_those_of_other_rules():
    files = submitted(text("a", problem="large", alien="odd"), text("b", problem="binary"), text("c", problem="large"))
    assert [(f.path, f.line, f.found) for f in checks.source_can_be_read(files)] == [("acme/source/x/c", 1, "large")]


@pytest.mark.parametrize(("released", "whose"), [("2", ""), ("1", ", that of the reference")])
def test_src03_a_run_without_source_does_not_excuse_the_next(released, whose):
    first, second = made.run(0), made.run(1)
    folder = Folder(("source", "x"), {})
    loaded = (first, {"a.py": "0" * 64}, None), (second, {"a.py": "1" * 64}, folder)
    files = submitted(of=made.edition(releases={"v1.0.1": {"a.py": released * 64}}), loaded=loaded)
    (fault,) = checks.source_is_the_one_that_ran(files)
    wanted = f"{'1' * 64}{whose}, as logged in result_1.txt"
    assert (fault.path, fault.line, fault.wanted) == ("acme/source/x/a.py", 1, wanted)


@pytest.mark.parametrize(("spaces", "lines"), [(1, [2, 3]), (2, [3])])
def test_src05_lines_up_to_a_length_are_searched(monkeypatch, spaces, lines):
    monkeypatch.setattr(checks, "LONGEST_LINE", len("/home/alice") + 1)
    files = submitted(text("a.py", f"a = 1\n/home/alice{' ' * spaces}\n/home/bob\n"))
    assert [fault.line for fault in checks.source_holds_no_users_path(files)] == lines


@pytest.mark.parametrize(
    ("name", "held", "found"),
    [
        ("x", {"a.py": "1" * 64}, ["the name x"]),
        (combine([("a.py", "1" * 64)])[:12], {"a.py": "1" * 64}, []),
        ("x", {"a.py": ""}, []),  # what can't be read has no digest
        ("x", {"a.py": "1" * 64, "b.py": "2" * 64}, ["a file that no run loaded"]),  # nor is the name its own then
    ],
)
def test_src06_source_is_what_ran_in_a_folder_named_after_it(name, held, found):
    folder, other = Folder(("source", name), held), Folder(("benchmarks", "b", "implementations", "c"), held)
    files = submitted(folders=(folder, other), loaded=((None, {"a.py": "1" * 64}, folder),))
    assert [(fault.line, fault.found) for fault in checks.folders_of_source_ran(files)] == [(1, what) for what in found]


def source_event(files, value=None, **metadata):
    """A log of one event, which names the files that a run loaded."""
    sound = type(files) is dict and all(type(digest) is str for digest in files.values())
    value = combine(files.items()) if value is None and sound else value
    return read(event(7, "source", value=value, files=files, **metadata))


@pytest.mark.parametrize(
    ("path", "config", "wrong"),
    [
        ("mine.yaml", "mine.yaml", False),
        ("mine.yml", "mine.yml", False),
        ("mine.yaml", "other.yaml", True),
        ("mine.py", "mine.py", True),
        ("implementations/mine.py", None, False),
        ("mine/implementations", None, True),
        ("Benchmark/log.py", None, True),
    ],
)
def test_src07_beside_its_folders_a_closed_run_has_its_configuration(path, config, wrong):
    files = {name: digest for name, digest in checks.own_files().items() if name.startswith("benchmark/")}
    log = source_event({**files, path: "0" * 64}, config=config)
    assert [f.found for f in checks.closed_runs_load_our_files(log, made.terms(), None)] == ([path] if wrong else [])


@pytest.mark.parametrize(
    ("changes", "score", "found"),
    [
        ({}, "dice", []),
        ({LOG: None}, "dice", [f"no {LOG}"]),
        ({METRIC: None}, "dice", [f"no {METRIC}"]),
        ({METRIC: None}, "mean", []),
        ({"rules/edition.py": "0" * 64}, "dice", [f"rules/edition.py {'0' * 64}"]),
    ],
)
def test_src07_the_files_that_all_need_are_ours(changes, score, found):
    own = {name: digest for name, digest in checks.own_files().items() if name in (*checks.NEEDED, METRIC)}
    log = source_event({name: digest for name, digest in {**own, **changes}.items() if digest})
    assert [f.found for f in checks.closed_runs_load_our_files(log, made.terms(score=score), None)] == found


@pytest.mark.parametrize(("metric", "found"), [("1", []), ("2", [f"{METRIC} {'2' * 64}"])])
def test_src07_all_files_are_of_one_release(metric, found):
    files = dict.fromkeys((*checks.NEEDED, METRIC), "1" * 64)
    releases = {"v1.0.1": files, "v1.0.2": {METRIC: "2" * 64}}
    log = source_event({**files, METRIC: metric * 64})
    assert [f.found for f in checks.closed_runs_load_our_files(log, made.terms(releases=releases), None)] == found


def test_a_log_without_source_is_another_rules():
    assert list(checks.closed_runs_load_our_files(read(), made.terms(), None)) == []
    assert list(checks.source_has_its_digest(read(), made.terms(), None)) == []


def test_src08_source_is_the_digest_of_its_files():
    log = source_event({"a.py": "0" * 64}, value="5" * 64)
    assert [fault.found for fault in checks.source_has_its_digest(log, made.terms(), None)] == [f"source {'5' * 64}"]


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({}, ["0 files"]),
        ("a.py", ["files a.py"]),
        ({f"{i}.py": "0" * 64 for i in range(MOST_FILES)}, []),
        ({f"{i}.py": "0" * 64 for i in range(MOST_FILES + 1)}, [f"{MOST_FILES + 1} files"]),
        ({"a.py": "0" * 63}, [f"a.py: {'0' * 63!r}"]),  # and nothing of the digest of all
    ],
    ids=lambda files: ascii(files)[:40],
)
def test_src08_says_what_is_wrong_with_the_files(files, found):
    faults = checks.source_has_its_digest(source_event(files), made.terms(), None)
    assert [(fault.line, fault.found) for fault in faults] == [(7, what) for what in found]
