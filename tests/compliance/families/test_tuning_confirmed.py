"""TUN: confirmation runs of a campaign, and their environments."""

from compliance.engine import judge
from tests.compliance.families.test_tuning import line_of


def test_what_sites_change_between_jobs_is_for_people(confirmed, law):
    confirmed.elsewhere("kernel", {"release": "6.9.0", "version": "#1 SMP", "machine": "x86_64"})
    findings = judge([str(confirmed.root)], rules=law).findings
    assert [(f.code, f.severity) for f in findings] == [("TUN09", "review")]
    assert "and of 2 more confirmation runs" in findings[0].found and "result_3.txt" in findings[0].wanted


def test_which_host_it_is_does_not_matter(confirmed, found):
    for index in (4, 5, 6):
        confirmed.logs[index].one("devices")["value"][0]["host"] = "n2"
        confirmed.manifests[index]["nodes"][0]["hosts"] = ["n2"]
        confirmed.survey(index)
    assert found(confirmed.root) == []


def test_environments_of_confirmation_runs_alone(confirmed, found):
    for index in range(4):
        log = confirmed.logs[index]
        log.events.remove(log.one("environment"))
        confirmed.environment(index).unlink()
    confirmed.launch()
    line = line_of(confirmed, 4, "environment")
    assert found(confirmed.root) == [(f"result_{i}.txt", line, "TUN09") for i in range(3)]
