"""The forms of ``headwater check``: each says all that was found, and stays whole whatever a name holds."""

import json
from datetime import date
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from jsonschema import Draft4Validator

from governance.policy import Waiver
from governance.report.check import FORMATS
from governance.rules import RULES, Outcome, Waived
from governance.rules.finding import Finding, Severity

FILES = {"w.t": "pipelines/w/t.sql"}
RULE = RULES[0]
ODD = 'w.t"<&>|\x00\x1b[31m'


def finding(severity: Severity = Severity.ERROR, table: str = "w.t", **rest: str) -> Finding:
    said = {"message": "50% wrong,\nreally: <b>", "fix": "mend it", "decided_by": ""}
    return Finding(RULE.name, severity, table, rest.pop("column", None), **said | rest)


WAIVER = Waiver(RULE.name, "w.t", "z", "under review", "dpo@example.com", date(2026, 12, 31))
OUTCOMES = (
    Outcome(
        RULE,
        (finding(column="a"), finding(Severity.WARN, "x.x"), finding(decided_by="pipelines/w/t.sql:3:8")),
        (Waived(finding(column="z"), WAIVER),),
        (WAIVER,),
    ),
    Outcome(RULES[1], ()),
)


def test_json() -> None:
    document = json.loads(FORMATS["json"](OUTCOMES, FILES))

    assert set(document) == {"passed", "rules"}
    assert document["passed"] is False
    first, second = document["rules"]
    assert set(first) == {
        "name",
        "severity",
        "blocking",
        "description",
        "passed",
        "findings",
        "waived",
        "unused_waivers",
    }
    assert (second["passed"], second["findings"]) == (True, [])
    assert first["findings"][0] == {
        "severity": "ERROR",
        "table": "w.t",
        "column": "a",
        "message": "50% wrong,\nreally: <b>",
        "fix": "mend it",
        "decided_by": "",
        "file": "pipelines/w/t.sql",
    }
    assert first["findings"][1]["file"] is None
    assert (first["waived"][0]["who"], first["waived"][0]["until"]) == ("dpo@example.com", "2026-12-31")
    assert first["unused_waivers"][0]["table"] == "w.t"


def test_json_passes_with_warnings_alone() -> None:
    outcome = Outcome(RULE, (finding(Severity.WARN),))

    assert json.loads(FORMATS["json"]([outcome], FILES))["passed"] is True


def test_sarif() -> None:
    log = json.loads(FORMATS["sarif"](OUTCOMES, FILES))

    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [RULES[0].name, RULES[1].name]
    assert [result["level"] for result in run["results"]] == ["error", "warning", "error", "error"]
    places = [result["locations"][0].get("physicalLocation") for result in run["results"]]
    assert places[0] == {"artifactLocation": {"uri": "pipelines/w/t.sql"}, "region": {"startLine": 1}}
    assert places[1] is None
    assert places[2]["region"] == {"startLine": 3}
    assert run["results"][1]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "x.x"
    assert ["suppressions" in result for result in run["results"]] == [False, False, False, True]


@pytest.mark.parametrize("table", ["w.t", ODD, "a b/c.ü"])
def test_sarif_is_valid_by_its_schema(table: str) -> None:
    schema = json.loads((Path(__file__).parents[1] / "fixtures" / "sarif" / "sarif-2.1.0.json").read_text())
    validator = Draft4Validator(schema, format_checker=Draft4Validator.FORMAT_CHECKER)
    found = Outcome(RULES[1], (finding(table=table, decided_by="a b.sql:3"), finding(table=table, message="")))

    for outcomes in (OUTCOMES, (), (found,)):
        log = json.loads(FORMATS["sarif"](outcomes, {table: "pipelines/a b#ü.sql"}))
        assert list(validator.iter_errors(log)) == []
    # the schema is one that refuses
    assert list(validator.iter_errors({"version": "2.1.0", "runs": [{"results": []}]}))


def test_a_sarif_result_keeps_its_fingerprint_when_its_words_change() -> None:
    def fingerprint(message: str, column: str) -> str:
        outcome = Outcome(RULE, (finding(column=column, message=message),))
        log = json.loads(FORMATS["sarif"]([outcome], FILES))
        return str(log["runs"][0]["results"][0]["partialFingerprints"]["headwater/v1"])

    assert fingerprint("3 reads", "a") == fingerprint("4 reads", "a") != fingerprint("3 reads", "b")


def test_junit() -> None:
    root = ET.fromstring(FORMATS["junit"](OUTCOMES, FILES))  # noqa: S314  written by the line itself

    first, second = root
    assert {key: first.get(key) for key in ("name", "tests", "failures", "skipped")} == {
        "name": RULE.name,
        "tests": "4",
        "failures": "2",
        "skipped": "1",
    }
    assert [(case.get("name"), [part.tag for part in case]) for case in first] == [
        ("w.t.a", ["failure"]),
        ("x.x", ["system-out"]),
        ("w.t", ["failure"]),
        ("w.t.z", ["skipped"]),
    ]
    assert first[2].get("line") == "3"
    assert (second.get("tests"), second.get("failures"), len(second)) == ("1", "0", 1)


def test_github() -> None:
    lines = FORMATS["github"](OUTCOMES, FILES).split("\n")

    assert lines[0] == (
        f"::error file=pipelines/w/t.sql,line=1,title={RULE.name}%3A w.t.a::50%25 wrong,%0Areally: <b>%0Afix: mend it"
    )
    assert lines[1].startswith(f"::warning title={RULE.name}%3A x.x::")
    assert lines[2].startswith("::error file=pipelines/w/t.sql,line=3,")
    assert lines[3].startswith("::notice ")
    assert len(lines) == 4


def test_markdown_and_text_say_every_rule() -> None:
    assert FORMATS["md"](OUTCOMES, FILES).count("## ") == 2
    text = FORMATS["text"](OUTCOMES, FILES)
    assert all(rule.name in text for rule in RULES[:2])


@pytest.mark.parametrize("form", FORMATS)
def test_odd_names_break_no_form(form: str) -> None:
    outcome = Outcome(RULE, (finding(table=ODD, message="a\x00b\x1b[31m]]>", column='c"<&,:%'),))

    text = FORMATS[form]([outcome], {ODD: "pipelines/w/a b#c.sql"})

    if form == "junit":
        assert ET.fromstring(text) is not None  # noqa: S314  written by the line above
    if form in ("json", "sarif"):
        assert json.loads(text)
    if form == "github":
        assert "\n" not in text
    if form in ("text", "md", "junit", "json", "sarif"):
        assert "\x1b" not in text


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_found_is_said_in_every_form(form: str) -> None:
    text = FORMATS[form]([Outcome(RULE, ())], {})

    assert bool(text) is (form != "github")


@pytest.mark.parametrize("form", ["json", "sarif", "github", "junit"])
def test_what_a_policy_file_has_wrong_is_shown_there(form: str) -> None:
    outcome = Outcome(RULE, (finding(decided_by="governance/waivers.toml"),))

    text = FORMATS[form]([outcome], FILES)

    assert "governance/waivers.toml" in text
    assert "pipelines/w/t.sql" not in text
