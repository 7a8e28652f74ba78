"""The points that people must judge (rules whose codes end in 90, and findings for review), with the evidence."""

import json
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from benchmark.config import read_yaml
from benchmark.run.files import weights_path
from benchmark.tuning.campaign import Axis
from compliance.finding import counted, show
from compliance.reading.energy import METER
from compliance.reading.ledger import read_beside
from compliance.reading.run import Run
from compliance.reading.tuning import read
from compliance.reading.witness import receipts_of
from compliance.reviewing.checklist import OPEN, VERDICTS, Checklist, Point, checklist
from compliance.reviewing.review import points
from compliance.safe import printable
from compliance.verdict import SetVerdict, SubmissionVerdict
from rules.edition import Edition
from rules.limits import Published
from rules.text import BY_REVIEW

CONFIGS = Path(__file__).resolve().parents[2] / "implementations" / "pytorch" / "configs"
MOST_SETTINGS = MOST_NOTES = 12  # settings that differ, and notes on starts, that are listed
MOST_FOUND = 3  # findings for review that are listed


@dataclass(frozen=True)
class Question:
    """A rule that people judge: its code and sentence, the evidence, and what reviewers said (a line each). `verdict`
    is accept, object or open."""

    code: str
    sentence: str
    evidence: tuple[str, ...]
    verdict: str = OPEN
    reviews: tuple[str, ...] = ()


def questions(submission: SubmissionVerdict, edition: Edition, listed: Checklist | None = None) -> list[Question]:
    """Return the points that people must judge of a submission, with evidence and, if they are given, reviews."""
    listed = listed or checklist(points(submission, edition), ())
    return [_question(point, submission, edition) for point in listed.points]


def _question(point: Point, submission: SubmissionVerdict, edition: Edition) -> Question:
    rule = edition.rules.get(point.code)
    sentence = rule.sentence.removesuffix(BY_REVIEW).strip() if rule else "not a rule of this edition"
    evidence = [*_evidence(point.code, submission, edition), *_found(point.code, submission)]
    said = tuple(review.text() for review in point.reviews if review.who or review.note)
    return Question(point.code, sentence, tuple(evidence), point.verdict, said)


def _found(code: str, submission: SubmissionVerdict) -> Iterator[str]:
    """Yield the first findings for review of a rule, and the number of the others."""
    found = [f for f in submission.everything() if (f.code, f.severity) == (code, "review") and not f.waived]
    yield from (f"{show(f.path)}:{f.line}: {show(f.details() or f.sentence)}" for f in found[:MOST_FOUND])
    if found[MOST_FOUND:]:
        yield f"and {len(found) - MOST_FOUND} more: python compliance/check.py --all --select {code}"


def name_of(runs: SetVerdict) -> str:
    """Return the name of a set within its submission."""
    return show("/".join(part for part in (runs.system, runs.scaling, runs.benchmark) if part))


def scored(runs: SetVerdict) -> list[Run]:
    """Return the runs of a set, without throughput-only logs."""
    return [log.run for log in runs.logs if not log.run.throughput_only]


def ledger_line(runs: SetVerdict, edition: Edition) -> str:
    """Return the counts of a set's launch ledger in a line; "" if the edition has no ledgers, or the set no runs."""
    if edition.limits.ledger == "none" or not scored(runs):
        return ""
    ledger = read_beside(runs.folder, runs.path)
    return ledger.summary(scored(runs)) if ledger else "no launch ledger"


def _evidence(code: str, submission: SubmissionVerdict, edition: Edition) -> Iterator[str]:
    if code == "SRC90":
        if submission.source:
            yield submission.source
        found = Counter(f.code for f in submission.findings if f.code.startswith("CODE") and not f.waived)
        yield from (f"{code}: {counted(count, 'place')} to read" for code, count in sorted(found.items()))
        yield f"python compliance/check.py --diff {shlex.quote(show(submission.path))}"
    if code == "HYP90":
        yield from (f"changed: {show(f.path)}:{f.line}" for f in submission.findings if f.code == "CODE05")
    if code == "TUN90":
        yield from _campaigns(submission)
    for runs in filter(scored, submission.sets):
        yield from (f"{name_of(runs)}: {line}" for line in _of_set(code, runs, scored(runs), edition))


def _campaigns(submission: SubmissionVerdict) -> Iterator[str]:
    """Yield the space and the number of trials of each campaign of tuning."""
    tuned = [runs for runs in submission.sets if runs.campaign and not runs.confirmation]
    if not tuned:
        yield "no campaign of tuning"
    for runs in tuned:
        campaign = read(Path(runs.folder), None).campaign
        if campaign is None:
            yield f"{name_of(runs)}: {show(runs.campaign)}: no campaign that can be read"
            continue
        space = ", ".join(f"{show(name)} {span(axis)}" for name, axis in campaign.space.items())
        yield f"{name_of(runs)}: {show(runs.campaign)}: {campaign.trials} trials, {campaign.sampler}, of {space}"


def span(axis: Axis) -> str:
    """Return the values of an axis of a campaign's space, in words."""
    if axis.values is not None:
        return show(list(axis.values))
    low, high = axis.ends
    return f"{low:g} to {high:g} ({show(axis.scale)})"


def _of_set(code: str, runs: SetVerdict, logs: list[Run], edition: Edition) -> Iterator[str]:
    """Yield the evidence of a set with scored runs, `logs`. What all of them state alike is the first one's."""
    first, of_all = logs[0], f"of {len(logs)} runs"
    published = edition.problems.get(first.problem or "")
    match code:
        case "EVL90":
            yield _curves(logs, published)
        case "SEED90":
            drawn = Counter(show(run.origin.source) if run.origin and run.origin.source else "nowhere" for run in logs)
            yield "seeds from " + ", ".join(f"{name} ({count})" for name, count in sorted(drawn.items()))
            if resumed := sum(run.resumed > 0 for run in logs):
                yield f"{resumed} {of_all} were interrupted and went on"
        case "REG90":
            entries = sorted({run.origin.entry for run in logs if run.origin and run.origin.entry is not None})
            listed = f"entries {', '.join(map(str, entries))} of the registry"
            yield listed if entries else "no run names an entry of a registry"
        case "LED90":
            yield from _launches(runs)
        case "WIT90":
            told = [(run, found) for run in logs if (found := receipts_of(run)) and found.steps]
            late = [(found.receipts[-1].time_ms - run.stop_ms) / 1000 for run, found in told if run.stop_ms is not None]
            ends = f", whose ends were told {min(late):.1f} to {max(late):.1f} s later" if late else ""
            yield f"receipts of a witness of {len(told)} {of_all}{ends}"
        case "DATA90":
            known = published and published.fingerprints
            fingerprints = "the data's fingerprints" if known else "no fingerprints of this data"
            yield f"the rules publish {fingerprints}"
        case "HYP90":
            yield from _settings(first, edition)
        case "MOD90":
            wanted = published.parameter_count if published else None
            count = show(first.value("parameter_count"))
            yield f"{count} parameters, published {wanted if wanted is not None else 'nowhere'}"
        case "SYS90":
            said = runs.description
            yield f"status {show(said.get('status', 'absent'))}, {show(said.get('number_of_nodes', 'absent'))} nodes"
        case "WGT90":
            weighed = [run for run in logs if run.weights]
            alone = [run for run in weighed if not weights_path(run.file).exists()]
            again = f", of {len(alone)} the digest alone (python harness/replay.py LOG --weights makes the file again)"
            yield f"final weights of {len(weighed)} {of_all}" + (again if alone else "")
        case "ENV90":
            yield f"environment manifests of {sum(bool(run.environments) for run in logs)} {of_all}"
        case "PWR90":
            yield f"energy of {sum(run.energy is not None and run.energy.tier == METER for run in logs)} {of_all}"
        case "ENE90":
            tiers = Counter(run.energy.tier for run in logs if run.energy and run.energy.tier != METER)
            yield "; ".join(f"{tier} counters in {n} {of_all}" for tier, n in sorted(tiers.items())) or "no counters"


def _curves(logs: list[Run], published: Published | None) -> str:
    epochs = sorted(len(run.evaluations) for run in logs)
    rises = [abs(b - a) for run in logs for (_, a), (_, b) in pairwise(run.evaluations.curve)]
    text = f"{_range(epochs)} evaluations in {len(logs)} runs"
    if rises:
        text += f", the largest step from one to the next {max(rises):.3f}"
    point = published.reference_epochs.get(logs[0].value("global_batch_size")) if published else None
    if point:
        text += f"; the reference's {point.runs} runs took {_range(point.epochs)} epochs"
    return text


def _launches(runs: SetVerdict) -> Iterator[str]:
    """Yield the ledger's head, which people compare with the one they recorded, and the notes on starts."""
    ledger = read_beside(runs.folder, runs.path)
    if ledger is None:
        yield "no launch ledger"
        return
    yield f"head {ledger.ledger.head or 'none'}, of {len(ledger.ledger.entries)} lines"
    notes = [f"start {number}: {show(note.said.text)}" for number, some in ledger.notes.items() for note in some]
    yield from notes[:MOST_NOTES]
    if len(notes) > MOST_NOTES:
        yield f"{len(notes) - MOST_NOTES} more notes"


def _settings(run: Run, edition: Edition) -> Iterator[str]:
    """Yield the settings that differ from the reference's configuration."""
    configs = {path.stem: path for path in CONFIGS.glob("*.yaml")}
    if run.problem not in configs:
        yield "the reference has no configuration of this problem"
        return
    ours, theirs = read_yaml(configs[run.problem]), run.value("hyperparameters")
    theirs = theirs if isinstance(theirs, dict) else {}
    benchmark = edition.benchmarks.get(run.benchmark)
    names = [name for name in ours if benchmark is None or name in benchmark.settings]
    differ = [name for name in names if name not in theirs or theirs[name] != ours[name]]
    if not differ:
        yield "settings as in the reference's configuration"
    for name in differ[:MOST_SETTINGS]:
        yield f"{name} {show(theirs.get(name, 'absent'))}, in the reference's configuration {ours[name]}"


def _range(numbers: Sequence[float]) -> str:
    least, most = min(numbers), max(numbers)
    return f"{least:g}" if least == most else f"{least:g} to {most:g}"


HEAD = f"""# verdict: {", ".join(VERDICTS)}. who and when (YYYY-MM-DD) sign an entry, the note says why you object.
# Keep this file outside of the submissions. Review again what is submitted again.
"""
ENTRY = """- rule: {rule}
  submission: {submission}
  verdict: open
  who: ""
  when: ""
  note: ""
"""


def template(points: Sequence[tuple[str, Sequence[Question]]]) -> str:
    """Return YAML with an entry for each (path of a submission, its questions), as review.py reads it."""
    made = [HEAD]
    for path, questions in points:
        submission = json.dumps(printable("/".join(Path(path).resolve().parts[-2:])))  # with its round
        for question in questions:
            evidence = (f"{question.code} {question.sentence}", *question.evidence)
            comments = "".join(f"# {printable(text)}\n" for text in evidence)
            made.append(comments + ENTRY.format(rule=question.code, submission=submission))
    return "\n".join(made) + "\n"
