"""docs/implementing.md: its tables are what the code and the rules say."""

import json
import re

from benchmark.log import Event, read_log
from benchmark.problem import load_problem
from benchmark.run.keys import EVENTS
from benchmark.run.options import OPTIONAL, REQUIRED
from perf.contract import PAGE, SETTINGS, pages
from perf.pages import contract
from rules.edition import load

EDITION = load("v1.0")
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_pages_are_what_is_generated():
    found = pages()
    for path, text in found.items():
        assert path.read_text(encoding="utf-8") == text, "python perf/contract.py writes it anew"
    assert found[SETTINGS].count("| `batch_size` |") == 4  # a table for each workload


def test_every_event_says_when_and_what_is_required_is_there():
    keys = {event.key for event in EVENTS}
    assert contract.OFTEN.keys() | contract.ONLY.keys() <= keys
    free = {key for key in keys if contract.when(key, EDITION) == "free"}
    assert free <= {"io_checkpoint"}
    required = {key for keys in EDITION.keys.values() for key, wanted in keys.items() if wanted.required}
    io = {key for key in required if key.startswith("io_")}  # of trials of the input, which only the reference makes
    assert [key for key in required - io if f"| `{key}`" not in TEXT] == []


def test_the_options_are_those_of_the_command_line():
    section = TEXT.partition("## The command line")[2].partition("**Exit codes.**")[0]
    rows = re.findall(r"^\| (`.*?`) \| (.*?) \|", section, re.M)
    named = {option: "**required**" in means for options, means in rows for option in re.findall(r"--[\w-]+", options)}
    assert {option for option, required in named.items() if required} == set(REQUIRED)
    assert {option for option, required in named.items() if not required} == set(OPTIONAL)


def test_the_example_of_an_event_can_be_read(tmp_path):
    line = next(line for line in TEXT.splitlines() if line.startswith(":::MLLOG"))
    path = tmp_path / "result_0.txt"
    path.write_text(line + "\n")
    assert [type(item) for item in read_log(path)] == [Event] and json.loads(line.partition(" ")[2])


def test_the_mathematics_has_the_numbers_of_the_smaller_problem(tmp_path):
    path = tmp_path / "tiny.yaml"
    path.write_text(re.search(r"^```yaml\n(tiny4:.*?)```", TEXT, re.M | re.S)[1])
    assert load_problem("tiny4", path).digest().startswith("62040c83dc64")
