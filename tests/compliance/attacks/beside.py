"""Attacks on what lies beside the committed logs: final weights, and the launch ledger."""

import copy
import hashlib

import numpy as np
import safetensors.numpy

from tests.compliance.attacks.scores import raised
from tests.compliance.attacks.submission import Submission, both
from tests.compliance.ledgers import Campaign, commitment, time_of
from tests.compliance.logs import log_text, logged


def tensors(seed, count=59612):
    """Weights of so many numbers, CosmoFlow's small twin's."""
    rng = np.random.Generator(np.random.Philox(seed))
    return {name: rng.standard_normal(n).astype("f4") for name, n in (("a", count // 2), ("b", count - count // 2))}


def file_of(submission, number):
    """The path of a run's final weights."""
    return f"results/xeon-amx-2core/strong/{submission.benchmark}/weights/result_{number}.safetensors"


def weigh(submission, number, content):
    """A run has final weights, or a file of these bytes, and logs them."""
    run, path = submission.runs[number], file_of(submission, number)
    data = content if isinstance(content, bytes) else safetensors.numpy.save(content)
    run.drop("weights")
    facts = {"bytes": len(data), "path": f"weights/result_{number}.safetensors"}
    run.append(logged(run[-1]["time_ms"], "weights", hashlib.sha256(data).hexdigest(), **facts))
    submission.files[path] = data


def weighed(change=lambda submission: None, content=tensors):
    """The attack on runs that all have weights, of their own or of what `content` says of their numbers."""

    def attack(submission):
        for number in range(len(submission.runs)):
            weigh(submission, number, content(number))
        change(submission)

    return attack


def weighed_as(content):
    """One run has weights of this kind."""
    return weighed(lambda submission: weigh(submission, 3, content))


def renamed(number):
    return {f"{name}{number}": tensor for name, tensor in tensors(0).items()}


def noisy(number):
    return {name: tensor + np.float32(1e-6 * number) for name, tensor in tensors(0).items()}


def a_digest_alone(submission):
    submission.files = {path: text for path, text in submission.files.items() if "weights" not in path}


def a_thousand_bytes(submission):
    a_digest_alone(submission)
    for run in submission.runs:
        run.one("weights")["metadata"]["bytes"] = 1000


def with_more(submission):
    weigh(submission, 3, submission.files[file_of(submission, 3)] + b"import os")


WEIGHTS = [
    ("the same weights for all runs", weighed(content=lambda number: tensors(0)), "WGT08", "cosmoflow"),
    ("the same tensors under other names", weighed(content=renamed), "WGT08", "cosmoflow"),
    ("the same weights with noise in all tensors", weighed(content=noisy), "", "cosmoflow"),
    ("random numbers", weighed_as(tensors(99)), "", "cosmoflow"),
    ("digests of files that nobody sees", weighed(a_digest_alone), "", "cosmoflow"),
    ("files that nobody sees, of 1000 bytes", weighed(a_thousand_bytes), "WGT06", "cosmoflow"),
    ("a pickle", weighed_as(b"\x80\x04" + bytes(300)), "WGT05", "cosmoflow"),
    ("a program behind the tensors", weighed(with_more), "WGT05", "cosmoflow"),
    ("a smaller network's", weighed_as(tensors(3, 1000)), "WGT06", "cosmoflow"),
]


def launch(submission, before=lambda campaign, number: None, run_2=None):
    """A right ledger, which the logs state; its lines. `before` adds what comes before run i, `run_2` is what happens
    in place of run 2: both are given the campaign and the run or its number."""
    campaign = Campaign()
    for number, run in enumerate(submission.runs):
        before(campaign, number)
        if run_2 and number == 2:
            run_2(campaign, run)
        else:
            campaign.run(run, f"result_{number}.txt")
    write_ledger(submission, campaign.lines)
    return campaign.lines


def write_ledger(submission, lines):
    """These lines as the ledger of the set."""
    text = b"".join(line + b"\n" for line in lines)
    submission.files[f"results/xeon-amx-2core/strong/{submission.benchmark}/ledger.jsonl"] = text


def launched(change):
    """The attack that changes the lines of a right ledger, or the logs after it."""

    def attack(submission):
        lines = launch(submission)
        change(submission, lines)
        write_ledger(submission, lines)

    return attack


def more(text):
    """The attack that appends a line to the ledger."""
    return launched(lambda submission, lines: lines.append(text))


def tried(status, *, times=1, name="result_2.txt", note=""):
    """The attack that starts something so many times before run 2, right after run 1, and does not hand it in."""

    def before(submission, campaign, number):
        for _ in range(times if number == 2 else 0):
            time = time_of(submission.runs[1], "run_stop") + 5
            seed = commitment(len(campaign.lines))
            start = campaign.start(submission.runs[2], name, time_ms=time, seed_commitment=seed)
            if status:
                campaign.end(start, f"log of start {start}", status, time)
            if note:
                campaign.note(start, note, time)

    return lambda submission: launch(submission, lambda *more: before(submission, *more))


def started(by=0, since="init_stop", **other):
    """The attack whose run 2 has a start of another time, in milliseconds after an event, or with other fields."""

    def run_2(campaign, run):
        start = campaign.start(run, "result_2.txt", time_ms=time_of(run, since) + by, **other)
        campaign.state(run, start)
        campaign.finish(start, run, log_text(run))

    return lambda submission: launch(submission, run_2=run_2)


def another_beside(campaign, run):
    """Another start beside run 2, aborted long before its end."""
    start = campaign.start(run, "result_2.txt")
    campaign.state(run, start)
    time = time_of(run, "run_start") + 1000
    campaign.end(campaign.start(run, "result_3.txt", time_ms=time), "another log", "aborted", time + 4000)
    campaign.finish(start, run, log_text(run))


def written_anew(submission):
    """The ledger without the starts that failed; the logs state the lines of the one that had them."""
    tried("aborted", times=3)(submission)
    kept = copy.deepcopy(submission.runs)
    launch(submission)
    submission.runs[:] = kept


def torn(submission):
    launch(submission, lambda c, i: c.lines.append(b'{"config":"55') if i == 2 else None)


def exchanged_logs(submission, lines):
    submission.runs[1], submission.runs[2] = submission.runs[2], submission.runs[1]


def of_another(submission):
    launch(submission)
    write_ledger(submission, launch(Submission("cosmoflow")))


def unnamed(submission):
    launch(submission)
    for run in submission.runs:
        run.drop("ledger")


LEDGER = [
    ("a start that failed taken out", launched(lambda s, lines: lines.pop(2)), "LED01"),
    ("written anew without failures", written_anew, "LED03"),
    ("cut off before the last end", launched(lambda s, lines: lines.pop()), "LED06"),
    ("best of three", tried("success", times=2), "LED07"),
    ("best of three, with notes", tried("success", times=2, note="a bad disk"), "LED08"),
    ("slow runs stopped and started again", tried("aborted", times=5), "LED08"),
    ("slow runs killed and started again", tried(None, times=5), "LED08"),
    ("good runs kept for another day", tried("success", name="result_9.txt"), "LED07"),
    ("another one beside a run", lambda s: launch(s, run_2=another_beside), "LED08"),
    ("a start that was cut off, perhaps", torn, "LED01"),
    ("counts made up after the end", launched(lambda s, lines: raised(s.runs[2], 1)), "LED06"),
    ("two logs that changed places", launched(exchanged_logs), "LED03"),
    ("another seed than the start's", started(seed_commitment="5" * 64), "LED04"),
    ("a start written down in stock", started(-1500, "init_start"), "LED05"),
    ("a start written down in the run", started(1500, "run_start"), "LED05"),
    ("that of another set", of_another, "LED03"),
    ("gone, though logs name it", both(launch, lambda s: s.files.clear()), "LED02"),
    ("that no log names", unnamed, "LED03"),
    ("larger than any", more(b"x" * (9 << 20)), "LED01"),
    ("no JSON", more(b"start 6, failed"), "LED01"),
    ("nested very deeply", more(b'{"event":' * 1500 + b"1" + b"}" * 1500), "LED01"),
    ("written anew with all logs", launch, ""),
]
