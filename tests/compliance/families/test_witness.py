"""WIT: receipts that are missing, forged or another run's, logs that were changed after they were told, clocks that the
witness does not share, and starts that are not handed in."""

import shutil
from dataclasses import replace

import pytest

from rules.edition import load
from rules.witness import Step
from tests.compliance.families.damages import damage, files_changed, files_found, log_changed
from tests.compliance.waiving import failures
from tests.support.witness import OTHER, signed, write

CLOCK = load("v1.0").limits.clock


run_without_receipts = files_changed(
    "WIT01", "result_2.txt", lambda witnessed: witnessed.path(2).with_name("receipts_2.jsonl").unlink()
)
receipts_of_somebody_else = files_changed(  # who runs a witness of his own has times as he likes
    "WIT02",
    "receipts_2.jsonl",
    lambda witnessed: witnessed.keep(2, [signed(receipt, OTHER) for receipt in witnessed.receipts[2]]),
)
seed_that_was_drawn_by_the_run = log_changed(
    "WIT03", lambda witnessed, log: witnessed.changed("seed", value=log.one("seed")["value"] ^ 1)
)


def chain_written(name, line, chain):
    """A damage: the published chain is another one."""

    def write_chain(witnessed):
        write(witnessed.root.parent / "witness.jsonl", chain(witnessed))

    return files_changed("WIT06", name, write_chain, line)


receipt_that_the_chain_does_not_have = chain_written(
    "receipts_4.jsonl", 1, lambda witnessed: witnessed.witness.chain[: -len(witnessed.receipts[4])]
)
chain_from_which_a_start_was_taken = chain_written(
    "witness.jsonl", 4, lambda witnessed: [*witnessed.witness.chain[:3], *witnessed.witness.chain[4:]]
)


@damage
def receipts_that_are_cut_off(witnessed):
    path = witnessed.path(2).parent / "receipts_2.jsonl"
    path.write_text(path.read_text()[:-10])
    return [("receipts_2.jsonl", len(witnessed.receipts[2]), "WIT01")]


receipts_without_a_start = files_changed(
    "WIT01", "receipts_2.jsonl", lambda witnessed: witnessed.keep(2, witnessed.receipts[2][1:])
)


@damage
def receipts_of_another_run_of_the_set(witnessed):
    """The start of run 1, for runs 1 and 2."""
    line = witnessed.changed("seed", value=witnessed.receipts[1][0].seed)
    witnessed.keep(2, witnessed.receipts[1])
    seed = ("result_2.txt", line, "SEED05")
    return [("receipts_2.jsonl", 1, "WIT03"), ("receipts_2.jsonl", 1, "WIT03"), seed, ("acme", 1, "WIT07")]


@damage
def start_of_another_system(witnessed):
    witnessed.attend(2, run="7" * 32, system="other")
    witnessed.witness.publish(witnessed.root.parent)
    return [("receipts_2.jsonl", 1, "WIT03"), ("acme", 1, "WIT07")]


@damage
def start_of_another_source(witnessed):
    witnessed.attend(2, run="7" * 32, source="5" * 64)
    witnessed.witness.publish(witnessed.root.parent)
    return [("result_2.txt", witnessed.logs[2].line_of("source"), "WIT03"), ("acme", 1, "WIT07")]


@damage
def line_of_the_head_that_was_changed_later(witnessed):
    line = witnessed.logs[2].line_of("run_start")
    witnessed.changed("cache_clear", metadata={"lineno": 99})
    return [("result_2.txt", line, "WIT04")]


@damage
def evaluation_that_was_not_told(witnessed):
    *others, _, last = witnessed.receipts[2]
    witnessed.keep(2, [*others, last])
    return [("receipts_2.jsonl", len(others) + 1, "WIT04")]


@damage
def end_that_was_not_told(witnessed):
    *others, _ = witnessed.receipts[2]
    witnessed.keep(2, others)
    return [("result_2.txt", witnessed.logs[2].line_of("run_stop"), "WIT04")]


@damage
def step_that_the_log_does_not_have(witnessed):
    """An evaluation after the end of the last run."""
    last, chain = witnessed.receipts[4][-1], witnessed.witness
    later = replace(last.told, step=last.told.step + 1, kind="evaluation")
    witnessed.keep(4, [*witnessed.receipts[4], chain.receipt(later, last.time_ms)])
    chain.publish(witnessed.root.parent)
    return [("receipts_4.jsonl", len(witnessed.receipts[4]), "WIT04")]


def told_by(witnessed, seconds, first=0):
    """Lets the witness have been told of run 4, the last, so many seconds later, from receipt `first` on; the line of
    its run_start."""
    chain, log, old = witnessed.witness, witnessed.logs[4], witnessed.receipts[4]
    times = [r.time_ms + (round(1000 * seconds) if n >= first else 0) for n, r in enumerate(old)]
    chain.chain = chain.chain[: -len(old)]
    start = chain.receipt(old[0].told, times[0])
    witnessed.changed("seed", 4, value=start.seed)  # another start has another seed, and the log another beginning
    steps = [r.told for r in chain.steps(start.told.run, log.events, log.text())]
    chain.chain = chain.chain[: -len(steps)]
    witnessed.keep(4, [start, *(chain.receipt(s, t) for s, t in zip(steps, times[1:], strict=True))])
    chain.publish(witnessed.root.parent)
    return log.line_of("run_start")


clock_that_is_slow = files_found(  # all is told as it happens, and the log says that it happened earlier
    "WIT05", "result_4.txt", lambda witnessed: told_by(witnessed, CLOCK.witness_slack, first=1)
)
clock_that_is_ahead = files_found(  # the log says that it happened after it was told
    "WIT05", "result_4.txt", lambda witnessed: told_by(witnessed, -CLOCK.witness_slack - 0.3)
)


@damage
def start_that_was_told_late(witnessed):
    """And all that comes after it."""
    told_by(witnessed, CLOCK.witness_slack + 2.1)
    log = witnessed.logs[4]
    return [("result_4.txt", log.line_of(key), "WIT05") for key in ("init_start", "run_start")]


@damage
def seed_that_was_tried_first(witnessed):
    """The start is told before the run of before ended: the receipt waits until the others are done."""
    told_by(witnessed, -CLOCK.witness_begin + 1.9, first=99)
    start, *steps = witnessed.receipts[4]
    log = witnessed.logs[4]
    log.shift(200_000)
    witnessed.write(4)
    chain = witnessed.witness
    chain.chain = chain.chain[: -len(steps)]
    witnessed.keep(4, [start, *chain.steps(start.told.run, log.events, log.text())])
    chain.publish(witnessed.root.parent)
    return [("result_4.txt", log.line_of("init_start"), "WIT05")]


@files_changed("WIT07", "acme")
def start_that_was_not_handed_in(witnessed):
    witnessed.witness.receipt(replace(witnessed.receipts[4][0].told, run="7" * 32), witnessed.witness.chain[-1].time_ms)
    witnessed.witness.publish(witnessed.root.parent)


@pytest.mark.parametrize("seconds", [CLOCK.witness_slack - 0.2, -CLOCK.witness_slack - 0.2])
def test_clocks_may_differ_by_the_slack(witnessed, found, seconds):
    """Receipts have 0.2 s already."""
    told_by(witnessed, seconds)
    assert found(witnessed.root) == []


def test_a_time_that_a_waiver_covers_is_no_crash(witnessed, law):
    witnessed.changed("run_start", time_ms=10**400)
    assert failures(witnessed, law) == set()


def test_a_round_may_require_a_witness(tree, findings):
    tree.into("witnessed")
    (finding,) = findings(tree.root)
    assert (finding.code, finding.found) == ("WIT01", "no receipts of the round's witness, in 5 of 5 logs")


def test_starts_of_others_are_theirs(witnessed, found):
    other = replace(witnessed.receipts[4][0].told, run="7" * 32, organisation="bolt")
    witnessed.witness.receipt(other, witnessed.witness.chain[-1].time_ms)
    published = witnessed.witness.publish(witnessed.root.parent)
    assert found(witnessed.root) == []
    published.unlink()  # no chain is published yet
    assert found(witnessed.root) == []


def test_how_far_starts_got_that_are_not_handed_in(witnessed, findings):
    """Of those that were moved aside, the receipts are there."""
    chain, told = witnessed.witness, witnessed.receipts[4][0].told
    now = chain.chain[-1].time_ms
    for number, kinds in enumerate([(), ("run_start",), ("run_start", "evaluation"), ("run_start", "run_stop")]):
        run = f"{number + 7:x}" * 32
        made = [chain.receipt(replace(told, run=run), now)]
        made += [chain.receipt(Step(run, i, kind, i, "5" * 64), now) for i, kind in enumerate(kinds, 1)]
        if number == 2:
            place = witnessed.path(4).parent / "superseded" / "20260401T000000.000000Z"
            place.mkdir(parents=True)
            shutil.copy(witnessed.path(4), place / "result_4.txt")
            write(place / "receipts_4.jsonl", made)
    chain.publish(witnessed.root.parent)
    (finding,) = (f for f in findings(witnessed.root) if f.code == "WIT07")
    assert finding.found == (
        "9 starts, of which 5 are handed in: 1 never began to train, 1 broke off before an evaluation, "
        "1 broke off after an evaluation (superseded/), 1 ended"
    )
