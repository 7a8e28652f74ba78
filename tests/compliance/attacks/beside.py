"""Attacks on what lies beside the committed logs: final weights, and the launch ledger."""

import copy
import shutil

import numpy as np

from tests.compliance.attacks.scores import raised
from tests.compliance.attacks.submission import Submission, both
from tests.compliance.ledgers import time_of
from tests.compliance.submissions import tensors


def trained(seed, count=59612):
    """Weights of so many numbers, CosmoFlow's small twin's."""
    return tensors(seed, {"a": (count // 2,), "b": (count // 2,)})


def weighed(change=lambda submission: None, content=trained):
    """The attack on runs that all have weights, of their own or of what `content` says of their numbers."""

    def attack(submission):
        for number, run in enumerate(submission.logs):
            run.add("weights")
            submission.weigh(number, content(number))
        change(submission)

    return attack


def weighed_as(content):
    """One run has weights of this kind."""
    return weighed(lambda submission: submission.weigh(3, content))


def renamed(number):
    return {f"{name}{number}": tensor for name, tensor in trained(0).items()}


def noisy(number):
    return {name: tensor + np.float32(1e-6 * number) for name, tensor in trained(0).items()}


def a_digest_alone(submission):
    shutil.rmtree(submission.weights(0).parent)


def a_program_behind(submission):
    submission.weigh(3, submission.weights(3).read_bytes() + b"import os")


WEIGHTS = [
    ("the same weights for all runs", weighed(content=lambda number: trained(0)), "WGT08", "cosmoflow"),
    ("the same tensors under other names", weighed(content=renamed), "WGT08", "cosmoflow"),
    ("the same weights with noise in all tensors", weighed(content=noisy), "", "cosmoflow"),
    ("random numbers", weighed_as(trained(99)), "", "cosmoflow"),
    ("digests of files that nobody sees", weighed(a_digest_alone), "", "cosmoflow"),
    ("a pickle", weighed_as(b"\x80\x04" + bytes(300)), "WGT05", "cosmoflow"),
    ("a program behind the tensors", weighed(a_program_behind), "WGT05", "cosmoflow"),
    ("a smaller network's", weighed_as(trained(3, 1000)), "WGT06", "cosmoflow"),
]


def launched(change):
    """The attack that changes the lines of a right ledger, or the logs after it."""

    def attack(submission):
        campaign = submission.launch()
        change(submission, campaign.lines)
        campaign.write(submission.ledger.parent)

    return attack


def more(text):
    """The attack that appends a line to the ledger."""
    return launched(lambda submission, lines: lines.append(text))


def tried(status, *, times=1, name="result_2.txt", note=""):
    """The attack that starts something so many times before run 2, right after run 1, and does not hand it in."""

    def attack(submission):
        def before(campaign, number):
            for _ in range(times if number == 2 else 0):
                start = submission.tried(campaign, 2, status, name, ago=1, took=0)
                if note:
                    campaign.note(start, note, time_of(submission.logs[2].events, "init_start"))

        submission.launch(before)

    return attack


def started(by=0, since="init_stop", **other):
    """The attack whose run 2 has a start of another time, in milliseconds after an event, or with other fields."""

    def attack(submission):
        submission.started_otherwise(time_ms=time_of(submission.logs[2].events, since) + by, **other)

    return attack


def written_anew(submission):
    """The ledger without the starts that failed; the logs state the lines of the one that had them."""
    tried("aborted", times=3)(submission)
    kept = copy.deepcopy(submission.logs)
    submission.launch()
    submission.logs = kept


def exchanged_logs(submission, lines):
    submission.logs[1], submission.logs[2] = submission.logs[2], submission.logs[1]


LEDGER = [
    ("a start that failed taken out", launched(lambda s, lines: lines.pop(2)), "LED01"),
    ("written anew without failures", written_anew, "LED03"),
    ("cut off before the last end", launched(lambda s, lines: lines.pop()), "LED06"),
    ("best of three", tried("success", times=2), "LED07"),
    ("best of three, with notes", tried("success", times=2, note="a bad disk"), "LED08"),
    ("slow runs stopped and started again", tried("aborted", times=5), "LED08"),
    ("slow runs killed and started again", tried(None, times=5), "LED08"),
    ("good runs kept for another day", tried("success", name="result_9.txt"), "LED07"),
    ("counts made up after the end", launched(lambda s, lines: raised(s.logs[2], 1)), "LED06"),
    ("two logs that changed places", launched(exchanged_logs), "LED03"),
    ("another seed than the start's", started(seed_commitment="5" * 64), "LED04"),
    ("a start written down in stock", started(-1500, "init_start"), "LED05"),
    ("a start written down in the run", started(1500, "run_start"), "LED05"),
    ("gone, though logs name it", both(Submission.launch, lambda s: s.ledger.unlink()), "LED02"),
    ("larger than any", more(b"x" * (9 << 20)), "LED01"),
    ("no JSON", more(b"start 6, failed"), "LED01"),
    ("nested very deeply", more(b'{"event":' * 1500 + b"1" + b"}" * 1500), "LED01"),
    ("written anew with all logs", Submission.launch, ""),
]
