"""Attacks that hand in one run as several, or somebody else's, and names that hide whose they are."""

import copy
import random
import unicodedata

from rules.edition import load
from tests.compliance.attacks.scores import cut, missed, noisy
from tests.compliance.attacks.submission import HOME, both, each, fresh
from tests.compliance.logs import NAMES, Log, scored

ALL = (1, 2, 3, 4, 5)
TARGET = load("v1.0").problems["smoke"].target


def another(run, number):
    """A copy that may be another training: a little better where the target is met, and a little worse elsewhere."""
    made, rng = copy.deepcopy(run), random.Random(number)
    fresh(made, number)
    for event in made.scores:
        facts, met = event["metadata"], event["value"] >= TARGET
        for c in ALL:
            by = rng.randint(15, 35)
            facts["predicted"][c] += by
            facts["predicted"][0] -= by
            hits = facts["intersection"][c] + (by if met else -by)
            facts["intersection"][c] = max(0, min(hits, facts["true"][c]))
        facts["intersection"][0] = min(facts["intersection"][0], facts["predicted"][0])
        scored(event)
    return made


def five_of_one(most, hits=(), predicted=()):
    """The slowest run as five, whose epochs tell nothing: fresh seeds and times, and noise in some counts."""

    def attack(submission):
        slowest = min(range(5), key=lambda n: submission.logs[n].scores[-2]["value"])
        for number in set(range(5)) - {slowest}:
            run = submission.logs[number] = copy.deepcopy(submission.logs[slowest])
            fresh(run, number + 1, 200_000 * (number - slowest))
            for at, event in enumerate(run.scores if most else ()):
                noisy(event, 100 * number + at, most, hits, predicted)

    return attack


def one_file(submission):
    submission.logs[:] = [submission.logs[2]] * 5


def nudged(submission):
    five_of_one(0)(submission)
    for number, run in enumerate(submission.logs):
        for event in run.scores:
            event["value"] += 1e-10 * number


def own_figures(submission):
    """Figures of epochs that differ from run to run in their last digits."""
    for number, run in enumerate(submission.logs):
        for event in run.all("tracked_stats"):
            numbers = {name: value for name, value in event["value"].items() if type(value) is float}
            event["value"] |= {name: value * (1 + 1e-9 * number) for name, value in numbers.items()}


def one_evaluation(submission):
    """One evaluation of a run is that of another, with noise."""
    own, other = submission.logs[3].scores[1], submission.logs[0].scores[1]
    own["metadata"].update({n: list(other["metadata"][n]) for n in NAMES})
    noisy(own, 1, 3, ALL, ALL)


def shifted_copy(submission):
    """A run is another one without its second epoch, with noise."""
    run = submission.logs[4] = copy.deepcopy(submission.logs[1])
    cut(run, 2)
    fresh(run, 7, 2_000_000)
    for at, event in enumerate(run.scores):
        noisy(event, at, 2, ALL, ALL)


def sums_copied(submission):
    for own, other in list(zip(submission.logs[1].scores, submission.logs[0].scores, strict=False))[:3]:
        own["metadata"]["sums"] = [n + 1e-6 for n in other["metadata"]["sums"]]
        scored(own)


def thief(most):
    """The runs of the reference as another organisation's, without noise where `most` is 0."""

    def attack(submission):
        for number, run in enumerate(submission.again("acme")):
            for at, event in enumerate(run.scores if most else ()):
                noisy(event, 100 * number + at, most, ALL, ALL)

    return attack


def twin_system(submission):
    """The same runs as a second system, with noise."""
    for number, run in enumerate(submission.again(system="tower")):
        for at, event in enumerate(run.scores):
            noisy(event, 10 * number + at, 3, ALL, ALL)


def other_runs(**place):
    """Honest runs of another system or organisation, as far as one can tell."""

    def attack(submission):
        runs = submission.again(**place)
        runs[:] = [another(run, 80 + at) for at, run in enumerate(runs)]

    return attack


def accented(submission):
    """Two organisations that look the same: one has a letter and its accent in one character."""
    name = "Referénce"
    submission.root = submission.root.rename(submission.root.with_name(name))
    submission.described(submitter=name)
    each(Log.put, "submission_org", name)(submission)
    other_runs(org=unicodedata.normalize("NFD", name), system="theirs")(submission)


def parked(path):
    """A run that failed lies elsewhere in the submission."""

    def attack(submission):
        run = another(submission.logs[1], 9)
        missed(run)
        run.write(submission.root / path)

    return attack


COPIES = [
    ("one file five times", one_file, "RUN05"),
    ("one run as five, other seeds and times", five_of_one(0), "RUN06"),
    ("one run as five, 1 voxel in a class's hits", five_of_one(1, (1,)), "RUN06 RUN20"),
    ("one run as five, up to 12 voxels in all counts", five_of_one(12, ALL, ALL), "RUN20"),
    ("one run as five, up to 8 voxels in the hits", five_of_one(8, ALL), "RUN20"),
    ("one run as five, up to 8 in the predictions", five_of_one(8, (), ALL), "RUN20"),
    ("one run as five, much in two classes", five_of_one(200, (1, 4), (1, 4)), "RUN20"),
    ("one run as five, 1e-10 in the scores", nudged, "EVL05 RUN20"),
    ("one run as five, noise like another training's", five_of_one(100, ALL, ALL), "RUN24"),
    ("the same with other last digits", both(five_of_one(100, ALL, ALL), own_figures), ""),
    ("one evaluation of another run, with noise", one_evaluation, "RUN20"),
    ("another run without an epoch, with noise", shifted_copy, "RUN20"),
    ("sums of one run with 1e-6 of noise", sums_copied, "RUN20", "cosmoflow"),
    ("another organisation's runs, other seeds and times", thief(0), "RUN06"),
    ("another organisation's runs, with noise", thief(3), "RUN20"),
    ("the same runs as two systems, with noise", twin_system, "RUN20 SYS14"),
    ("one machine as two systems", other_runs(system="tower"), "RUN24 SYS14"),
]
IDENTITIES = [
    ("a system that differs by case", other_runs(system="XEON_amx_2core"), "RUN24 SYS14 TREE12"),
    ("an organisation that differs by punctuation", other_runs(org="Refer-ence", system="theirs"), "RUN24 TREE12"),
    ("an organisation with its accent apart", accented, "RUN24 TREE12"),
]
PARKED = [
    ("a failed run beside the set", parked(f"{HOME}/failed/result_5.txt"), "EVL07 RUN24 TREE01"),
    ("a failed run in docs", parked("docs/result_0.txt"), "TREE09"),
    ("a failed run as source", parked("source/notes.txt"), "SRC06 TREE09"),
    ("a failed run by another name", parked(f"{HOME}/result_5.log"), "TREE06"),
    ("a failed run as pruned", parked(f"{HOME}/pruned_results/result_5.txt"), "TREE09"),
    ("a failed run as power", parked(f"{HOME}/power/result_5/node_0.txt"), "PWR01"),
    ("a sixth run", lambda s: s.logs.append(another(s.logs[0], 5)), "RUN01 RUN24"),
    ("a run left out, the others renumbered", lambda s: s.logs.pop(), "RUN01"),
]
