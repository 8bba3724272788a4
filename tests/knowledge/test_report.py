"""Findings, impact and proposals for people, also where names are hostile."""

from collections.abc import Callable
from datetime import date

from governance.classification import propose
from governance.events.model import Event
from governance.graph import Graph, build_graph, resolve
from governance.impact import impact
from governance.policy import Policy, Waiver
from governance.report.findings import findings_markdown, findings_text, outcome_markdown, outcome_text
from governance.report.impact import impact_markdown, impact_text
from governance.report.proposals import proposals_markdown, proposals_text
from governance.report.table import markdown, plain, text_table
from governance.rules import RULES, Outcome, Waived
from governance.rules.finding import Finding, Severity

Told = Callable[..., tuple[Event, ...]]
PolicyOf = Callable[..., Policy]

FINDING = Finding(
    "understated_classification", Severity.ERROR, "b.b", "email", "declared internal", "raise it", "a.a.email"
)


def test_a_finding_says_what_is_wrong_where_and_what_to_do() -> None:
    assert findings_text([FINDING]) == (
        "ERROR b.b.email  understated_classification\n  declared internal\n  decided by: a.a.email\n  fix: raise it"
    )
    assert findings_markdown([FINDING]).splitlines()[2] == (
        "| ERROR | b.b | email | declared internal | raise it | a.a.email |"
    )


def test_no_findings_are_said_to_be_none() -> None:
    assert findings_text([]) == "no findings"
    assert findings_markdown([]) == "No findings."


def test_waivers_stay_visible_in_an_outcome() -> None:
    until = date(2026, 12, 31)
    used = Waiver(FINDING.rule, "b.b", "email", "under review", "dpo@example.com", until)
    unused = Waiver(FINDING.rule, "b.c", None, "typo", "dpo@example.com", until)
    outcome = Outcome(RULES[2], (), (Waived(FINDING, used),), (unused,))

    assert outcome_text(outcome).splitlines() == [
        "understated_classification: no findings, 1 waived",
        "  accepted by dpo@example.com until 2026-12-31: b.b.email: declared internal",
        "    under review",
        "  The waiver of dpo@example.com for b.c (until 2026-12-31) matches no finding: take it out.",
    ]
    assert "| b.b | email | declared internal | under review | dpo@example.com | 2026-12-31 |" in outcome_markdown(
        outcome
    )


def test_markup_html_and_terminal_codes_in_names_are_shown_as_they_are() -> None:
    hostile = 'x|y`z`<img src=x onerror="a()">\n[l](http://e) \x1b[31mred\u202e *b* __init__ learner_id & $m$'

    assert markdown(hostile) == (
        r'x\|y\`z\`&lt;img src=x onerror="a()"&gt; '
        r"\[l\](http://e)  \[31mred  \*b\* \_\_init\_\_ learner_id &amp; \$m\$"
    )
    assert plain(hostile).isprintable()


def test_columns_are_aligned_and_lines_end_without_blanks() -> None:
    assert text_table(("a", "b"), [("long", ""), ("x", "y")]) == "a     b\nlong\nx     y"


def test_impact_as_text_and_markdown(whole_platform: Graph) -> None:
    found = impact(whole_platform, resolve(whole_platform, "crm.learners.marketing_consent"))

    text = impact_text(found)
    assert "columns whose values can change: 0" in text
    assert "tables whose rows can change: 3" in text
    assert "crm.learners.marketing_consent → marketing.audience, every row (INDIRECT FILTER)" in text
    assert "Tables reached by column: 3; derived from the table at all: 4." in text
    assert "| marketing.campaign_list | ROWS | 2 |" in impact_markdown(found)


def test_the_words_for_nothing_found_claim_no_more_than_was_read(whole_platform: Graph) -> None:
    found = impact(whole_platform, resolve(whole_platform, "marketing.campaign_list.email"))

    assert impact_text(found).endswith(
        "No consumers found among these sources over this window: the runs whose events were read."
    )


def test_proposals_as_text_and_markdown(told: Told, policy_of: PolicyOf) -> None:
    graph = build_graph(told("job b.b: a.a\nx: a.a.x IDENTITY, a.a.y CONDITIONAL\nn:\nz: a.a.y IDENTITY\n"))
    policy = policy_of({"a.a.x": "personal", "b.b.n": "internal"})
    proposals = propose(graph, policy)

    assert proposals_text(proposals, policy).splitlines() == [
        "Column  Declared  Proposed  Decided by",
        "b.b.x             personal  a.a.x (DIRECT IDENTITY); 1 input has no class",
        "b.b.n   internal  public    no column",
        "b.b.z             unknown   no input that lineage tells of is classified",
    ]
    assert r"| b.b.x |  | personal | a.a.x (DIRECT IDENTITY); 1 input has no class |" in proposals_markdown(
        proposals, policy
    )
