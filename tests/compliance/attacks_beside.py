"""Attacks on what lies beside the committed logs: final weights, and the launch ledger."""

import copy
import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
import safetensors.numpy

from tests.compliance.attacks import Submission, text_of
from tests.compliance.ledgers import Campaign, commitment, time_of


def tensors(seed: int, count: int = 59612) -> dict[str, np.ndarray]:
    """Weights of so many numbers, CosmoFlow's small twin's."""
    rng = np.random.Generator(np.random.Philox(seed))
    return {name: rng.standard_normal(n).astype("f4") for name, n in (("a", count // 2), ("b", count - count // 2))}


def weigh(submission: Submission, number: int, content: dict[str, np.ndarray] | bytes) -> None:
    """A run has final weights, and logs them."""
    run = submission.runs[number]
    data = content if isinstance(content, bytes) else safetensors.numpy.save(content)
    run.drop("weights")
    name = f"weights/result_{number}.safetensors"
    facts = {"file": "train.py", "lineno": 1, "bytes": len(data)}
    last = run[-1]
    event = {**last, "event_type": "POINT_IN_TIME", "key": "weights", "value": hashlib.sha256(data).hexdigest()}
    run.append({**event, "metadata": {**facts, "path": name}})
    submission.files[f"results/epyc-2core/strong/{submission.benchmark}/{name}"] = data


def weighed(change: Callable[[Submission], Any] | None = None) -> Callable[[Submission], None]:
    """The attack on runs that all have weights of their own."""

    def attack(submission: Submission) -> None:
        for number in range(len(submission.runs)):
            weigh(submission, number, tensors(number))
        if change:
            change(submission)

    return attack


def launch(submission: Submission, before: Callable[[Campaign, int], None] | None = None) -> list[bytes]:
    """A right ledger, which the logs state; its lines. `before` adds what comes before run i."""
    campaign = Campaign()
    for number, run in enumerate(submission.runs):
        if before:
            before(campaign, number)
        campaign.run(run, f"result_{number}.txt", text_of)
    write_ledger(submission, campaign.lines)
    return campaign.lines


def write_ledger(submission: Submission, lines: list[bytes]) -> None:
    """These lines as the ledger of the set."""
    text = b"".join(line + b"\n" for line in lines).decode()
    submission.files[f"results/epyc-2core/strong/{submission.benchmark}/ledger.jsonl"] = text


def launched(change: Callable[[Submission, list[bytes]], Any]) -> Callable[[Submission], None]:
    """The attack that changes the lines of a right ledger, or the logs after it."""

    def attack(submission: Submission) -> None:
        lines = launch(submission)
        change(submission, lines)
        write_ledger(submission, lines)

    return attack


def tried(status: str | None, *, times: int = 1, name: str = "result_2.txt", note: str = "") -> Callable:
    """The attack that starts something so many times before run 2, right after run 1, and does not hand it in."""

    def before(submission: Submission, campaign: Campaign, number: int) -> None:
        for _ in range(times if number == 2 else 0):
            time = time_of(submission.runs[1], "run_stop") + 5
            seed = commitment(len(campaign.lines))
            start = campaign.start(submission.runs[2], name, time_ms=time, seed_commitment=seed)
            if status:
                campaign.end(start, f"log of start {start}", status, time)
            if note:
                campaign.note(start, note, time)

    return lambda submission: launch(submission, lambda *more: before(submission, *more))


def started(by: int = 0, since: str = "init_stop", **other: Any) -> Callable[[Submission], None]:
    """The attack whose run 2 has a start of another time, in milliseconds after an event, or with other fields."""

    def attack(submission: Submission) -> None:
        campaign = Campaign()
        for number, run in enumerate(submission.runs):
            if number == 2:
                start = campaign.start(run, "result_2.txt", time_ms=time_of(run, since) + by, **other)
                campaign.state(run, start)
                campaign.finish(start, run, text_of(run))
            else:
                campaign.run(run, f"result_{number}.txt", text_of)
        write_ledger(submission, campaign.lines)

    return attack


def beside(submission: Submission) -> None:
    """Another start beside run 2, aborted long before its end."""
    campaign = Campaign()
    for number, run in enumerate(submission.runs):
        if number == 2:
            start = campaign.start(run, "result_2.txt")
            campaign.state(run, start)
            time = time_of(run, "run_start") + 1000
            campaign.end(campaign.start(run, "result_3.txt", time_ms=time), "another log", "aborted", time + 4000)
            campaign.finish(start, run, text_of(run))
        else:
            campaign.run(run, f"result_{number}.txt", text_of)
    write_ledger(submission, campaign.lines)


def written_anew(submission: Submission) -> None:
    """The ledger without the starts that failed; the logs state the lines of the one that had them."""
    tried("aborted", times=3)(submission)
    kept = copy.deepcopy(submission.runs)
    launch(submission)
    submission.runs[:] = kept
