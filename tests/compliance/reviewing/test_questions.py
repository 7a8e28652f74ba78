"""Evidence for the rules that only people can judge."""

from dataclasses import replace

import pytest

from benchmark.tuning.campaign import campaign_of
from compliance.engine import judge
from compliance.finding import Finding
from compliance.reading.digest import Named
from compliance.reading.energy import METER, Energy
from compliance.reading.run import Fact, Origin
from compliance.reviewing.checklist import Review, checklist
from compliance.reviewing.questions import CONFIGS, Question, ledger_line, questions, scored, template
from compliance.reviewing.review import read_reviews
from rules.edition import load
from rules.reference import ReferencePoint
from tests.compliance.ledgers import sha256
from tests.support import ROOT

EDITION = load("v1.0")


@pytest.fixture(scope="module")
def submission():
    return judge([ROOT / "results" / "v1.0" / "reference"]).submissions[0]


def asked(submission, code, edition=EDITION):
    return next(q for q in questions(submission, edition) if q.code == code)


def with_runs(submission, *changes):
    """The submission with its first set alone, whose runs differ."""
    runs = next(s for s in submission.sets if s.benchmark == "scaffold")
    pairs = zip(runs.logs, (*changes, *[{}] * 5), strict=False)
    logs = tuple(replace(log, run=replace(log.run, **change)) for log, change in pairs)
    return replace(submission, sets=(replace(runs, logs=logs),))


def with_facts(submission, **facts):
    """The same, whose first run states other facts."""
    known = with_runs(submission).sets[0].logs[0].run.facts
    return with_runs(submission, {"facts": {**known, **{key: Fact(1, value) for key, value in facts.items()}}})


def test_every_rule_for_people_is_asked_with_evidence(submission):
    found = questions(submission, EDITION)
    assert [q.code for q in found] == [code for code, rule in EDITION.rules.items() if rule.by_review]
    assert all(q.evidence and "by review" not in q.sentence for q in found)
    assert all(len(q.evidence) >= 3 for q in found if q.code not in ("SRC90", "TUN90"))  # one a set at least


def test_the_evidence_of_a_set(submission):
    """Each line of the reference's first set, and with runs that say something else, or nothing."""

    def told(*changes):
        one = with_runs(submission, *changes)
        return {q.code: [line.partition(": ")[2] for line in q.evidence] for q in questions(one, EDITION)}

    found = told()
    assert found["SEED90"] == ["seeds from registry (5)"] and found["REG90"] == ["entries 1 of the registry"]
    assert found["DATA90"] == ["the rules publish the data's fingerprints"]
    assert found["HYP90"] == ["settings as in the reference's configuration"]
    assert found["MOD90"] == ["1401350 parameters, published 1401350"]
    assert found["SYS90"] == ["status onprem, 1 nodes"] and found["ENV90"] == ["environment manifests of 5 of 5 runs"]
    assert found["PWR90"] == ["energy of 0 of 5 runs"] and found["ENE90"] == ["no counters"]

    energy = [Energy(tier, 1.0) for tier in (METER, "processor", "node", "processor")]
    none, third = Origin(1, None, None), Origin(1, "registry", 12)
    changes = {"origin": None, "resumed": 2}, {"origin": none, "resumed": 1}, {"origin": third}, {}
    found = told(*({**change, "energy": e} for change, e in zip(changes, energy, strict=True)))
    assert found["SEED90"] == ["seeds from nowhere (2), registry (3)", "2 of 5 runs were interrupted and went on"]
    assert found["REG90"] == ["entries 1, 12 of the registry"] and found["PWR90"] == ["energy of 1 of 5 runs"]
    assert found["ENE90"] == ["node counters in 1 of 5 runs; processor counters in 2 of 5 runs"]
    assert told(*[{"origin": none}] * 5)["REG90"] == ["no run names an entry of a registry"]
    assert (CONFIGS / "smoke.yaml").is_file()
    other = told(
        {"problem": "../configs/smoke", "facts": {"parameter_count": Fact(1, 7)}}
    )  # the first run stands for all
    assert other["MOD90"] == ["7 parameters, published nowhere"]
    assert other["DATA90"] == ["the rules publish no fingerprints of this data"]
    assert other["HYP90"] == ["the reference has no configuration of this problem"]


def test_a_finding_for_review_is_a_question_with_its_places(submission):
    path = f"{submission.path}/results/x"
    found = tuple(Finding(path, line, "RUN22", "review", "S", f"n {line}") for line in (1, 2, 3, 4, 5))
    quiet = (Finding(path, 1, "RUN05", "warning", "S"), Finding(path, 1, "RUN21", "review", "S", waived="r: x"))
    one = replace(submission, findings=(*found, *quiet))
    places = [f"{path}:{line}: found n {line}" for line in (1, 2, 3)]
    more = "and 2 more: python compliance/check.py --all --select RUN22"
    assert asked(one, "RUN22").evidence == (*places, more)
    assert not {"RUN05", "RUN21"} & {q.code for q in questions(one, EDITION)}


def test_only_signed_reviews_stand_with_the_question(submission):
    said = Review("SEED90", "reference", "accept", "R. Viewer", "2026-11-22")
    more = [said, Review("SEED90", "reference", "open"), Review("LOG99", "reference", "open", "a")]
    found = questions(submission, EDITION, checklist(["EVL90", "SEED90"], more))
    assert [(q.code, q.verdict, q.reviews) for q in found] == [
        ("EVL90", "open", ()),
        ("SEED90", "accept", (said.text(),)),
        ("LOG99", "open", ("open by a",)),
    ]
    assert found[2].sentence == "not a rule of this edition"


def test_curves_are_held_against_the_reference(submission):
    one = with_facts(submission, global_batch_size=3)
    problem = replace(EDITION.problems["smoke"], reference_epochs={3: ReferencePoint(3, (4.0, 6.0))})
    edition = replace(EDITION, problems={**EDITION.problems, "smoke": problem})
    (line,) = asked(one, "EVL90", edition).evidence
    assert "evaluations in 5 runs, the largest step from one to the next 0." in line
    assert line.endswith("the reference's 2 runs took 4 to 6 epochs")
    assert "reference's" not in asked(with_facts(submission, global_batch_size=5), "EVL90", edition).evidence[0]


def test_weights_are_counted_by_their_form(submission):
    forms = (Named(1, "5" * 64, 9, ""), Named(1, "6" * 64, 9, ""), Named(1, "7" * 64, 1 << 40, ""), None, None)
    (line,) = asked(with_runs(submission, *({"weights": form} for form in forms)), "WGT90").evidence
    assert "final weights of 3 of 5 runs, of 3 the digest alone (python harness/replay.py LOG --weights" in line


def test_settings_that_differ_are_named(submission):
    settings = dict(scored(submission.sets[-1])[0].facts["hyperparameters"].value)
    settings |= {"learning_rate": 7.5, "threads": 99, "workers": 3}
    del settings["beta_2"]
    found = asked(with_facts(submission, hyperparameters=settings), "HYP90").evidence
    assert any("learning_rate 7.5, in the reference's configuration" in line for line in found)
    assert any("beta_2 absent, in the reference's configuration 0.99" in line for line in found)
    assert not any("threads" in line or "workers" in line for line in found)


def test_a_ledgers_counts_head_and_notes_are_shown(launched, law):
    campaign = launched.launch()
    for at in range(13):
        campaign.note(1, f"note {at}", 1_790_000_000_000)
    head = campaign.write(launched.ledger.parent) and sha256(campaign.lines[-1])
    (submission,) = judge([launched.root], rules=law).submissions
    found = asked(submission, "LED90").evidence
    assert found[0] == f"box/strong/scaffold: head {head}, of 23 lines"
    assert found[1:3] == tuple(f"box/strong/scaffold: start 1: note {at}" for at in (0, 1))
    assert len(found) == 14 and found[-1] == "box/strong/scaffold: 1 more notes"
    (runs,) = submission.sets
    assert ledger_line(runs, EDITION).startswith("ledger: 5 starts, 5 runs, 0 restarted, 0 failed; head ")
    assert ledger_line(runs, load("mlperf-hpc-v3.0")) == ledger_line(replace(runs, logs=()), EDITION) == ""
    launched.ledger.unlink()
    assert ledger_line(runs, EDITION) == "no launch ledger"
    assert asked(submission, "LED90").evidence == ("box/strong/scaffold: no launch ledger",)


def test_receipts_are_counted_and_how_late_they_are(witnessed, law):
    (submission,) = judge([witnessed.root], rules=law).submissions
    told = "box/strong/scaffold: receipts of a witness of 5 of 5 runs, whose ends were told 0.2 to 0.2 s later"
    assert asked(submission, "WIT90").evidence == (told,)
    for path in witnessed.path(0).parent.glob("receipts_*"):
        path.unlink()
    assert asked(submission, "WIT90").evidence[0] == "box/strong/scaffold: receipts of a witness of 0 of 5 runs"


def test_source_is_counted_and_the_command_to_read_it_is_quoted(submission):
    findings = (
        Finding("x", 1, "CODE03", "review", "s"),
        Finding("y", 2, "CODE03", "review", "s"),
        Finding("z", 3, "CODE02", "review", "s", waived="them: why"),
        Finding("z", 3, "SRC05", "error", "s"),
    )
    one = replace(submission, path="a b;c", source="1 of 2", findings=findings)
    wanted = ("1 of 2", "CODE03: 2 places to read", "python compliance/check.py --diff 'a b;c'")
    assert asked(one, "SRC90").evidence == wanted


def test_the_space_of_a_campaign_is_told(submission, tmp_path):
    frozen = {
        "batch_size": 2,
        "budget": {"epochs": 3},
        "problem": "smoke",
        "space": {"learning_rate": {"low": 1e-4, "high": 1e-2, "scale": "log"}, "warmup_epochs": {"values": [0, 1]}},
        "trials": 4,
    }
    campaign = campaign_of(frozen, "frozen")
    (tmp_path / "campaign.json").write_text(campaign.text)
    one = replace(submission.sets[0], campaign="first", folder=tmp_path)
    two = replace(one, campaign="second", folder=tmp_path / "none")
    asked_of = replace(submission, sets=(one, two, replace(one, confirmation=True)))
    name = asked(asked_of, "TUN90").evidence[0].partition(":")[0]
    space = "learning_rate 0.0001 to 0.01 (log), warmup_epochs [0, 1]"
    assert asked(asked_of, "TUN90").evidence == (
        f"{name}: first: 4 trials, halton, of {space}",
        f"{name}: second: no campaign that can be read",
    )
    assert asked(submission, "TUN90").evidence == ("no campaign of tuning",)


def test_a_template_is_a_file_of_open_reviews_or_of_none(tmp_path):
    questions = [Question("EVL90", "The curve", ("one", "two\n- rule: x")), Question("RUN22", "Few epochs", ())]
    text = template([(str(tmp_path / "v1.0" / 'ac"me'), questions), (str(tmp_path / "v1.0" / "you"), questions[:1])])
    assert text.count("# two\\n- rule: x\n- rule: EVL90\n") == 2
    (tmp_path / "review.yaml").write_text(text)
    assert [review for _, review in read_reviews(tmp_path / "review.yaml", []).reviews] == [
        Review("EVL90", 'v1.0/ac"me', "open"),
        Review("RUN22", 'v1.0/ac"me', "open"),
        Review("EVL90", "v1.0/you", "open"),
    ]
    (tmp_path / "review.yaml").write_text(template([]))
    assert read_reviews(tmp_path / "review.yaml", []).reviews == ()
