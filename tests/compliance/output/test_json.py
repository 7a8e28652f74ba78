"""JSON: the schema that programs rely on."""

import json
from dataclasses import replace
from pathlib import Path

import jsonschema

import compliance
from compliance.output.json import document, render
from compliance.reviewing.checklist import Review, checklist

HERE = Path(compliance.__file__).parent


def test_json_keeps_its_schema(run, broken):
    code, out, _ = run(broken.root, "--format", "json")
    schema = json.loads((HERE / "schema" / "report-1.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    told = json.loads(out)
    jsonschema.validate(told, schema)
    assert told["exit_code"] == code == 1
    assert [(f["line"], f["code"]) for f in told["findings"]] == [(8, "SEED03")]
    (summary,) = told["summaries"]
    assert summary["broken"] == ["SEED03"] and summary["passed"] == summary["rules"] - 1
    assert summary["counts"] == {"error": 1, "warning": 0, "review": 0, "info": 0, "waived": 0}


def test_every_finding_is_there_with_all_that_is_known_of_it(report, seed, file):
    told = json.loads(render(report(replace(seed, waived="r: agreed", impact="none"), file, missed=[("x", "gone")])))
    assert told["findings"][0] == {
        "path": "v1.0/acme/result_1.txt",
        "line": 8,
        "code": "SEED03",
        "severity": "error",
        "sentence": "A seed is fresh",
        "found": "seed 5",
        "wanted": "48 bits",
        "waived": "r: agreed",
        "impact": "none",
    }
    assert [f["code"] for f in told["findings"]] == ["SEED03", "TREE03"]
    assert told["missed"] == [{"path": "x", "reason": "gone"}]
    assert (told["schema_version"], told["exit_code"], told["editions"]) == (1, 1, ["v1.0"])


def test_json_has_the_reviews_that_were_asked_for(report):
    schema = json.loads((HERE / "schema" / "report-1.json").read_text())
    made = report()
    assert "reviewed" not in document(made)["summaries"][0]
    said = Review("SEED90", "acme", "object", "r", "2026-11-22", "a\nb")
    first = replace(made.summaries[0], checklist=checklist(["EVL90", "SEED90"], [said]))
    told = document(replace(made, summaries=(first,)))
    jsonschema.validate(told, schema)
    entry = {"rule": "SEED90", "submission": "acme", "verdict": "object", "who": "r", "when": "2026-11-22"}
    wanted = {"points": 2, "accepted": 0, "objections": 1, "entries": [{**entry, "note": "a\\nb"}]}
    assert told["summaries"][0]["reviewed"] == wanted
