"""Answers as trees: in a terminal and as a page, whole, in order, and safe from names that nobody chose kindly."""

import io
from datetime import UTC, datetime

from rich.console import Console

from governance.dataset import Dataset, Field
from governance.graph import Edge, Flow, Graph, Write
from governance.impact import impact
from governance.lineage.model import Transformation
from governance.report.html import page_html
from governance.report.page import Listing
from governance.report.tree import Line, impact_lines, trace_lines
from governance.runs import Job
from governance.trace import trace
from platform_assets.commands.colour import counted, show_tree

AT = datetime(2026, 11, 30, tzinfo=UTC)
HOSTILE = "<img src=x onerror=alert(1)>[bold red]\x1b[31m\u202e\"'&"


def chain(*names: str, kinds: tuple[Transformation, ...]) -> Graph:
    """A chain of tables, each with one column ``x`` that comes from the one before it."""
    datasets = [Dataset("ns", name) for name in names]
    fields = {dataset: (Field(dataset, "x"),) for dataset in datasets}
    hops = list(zip(datasets, datasets[1:], kinds, strict=False))
    return Graph(
        edges=tuple(
            Edge(
                Field(source, "x"),
                Field(target, "x") if kind.direct else target,
                kind,
                masking=False,
                job=target.name,
                run_id="r",
                at=AT,
            )
            for source, target, kind in hops
        ),
        flows=tuple(Flow(source, target, target.name, "r", AT, traced=True, gaps=()) for source, target, _ in hops),
        writes=tuple(
            Write(
                Job("j", target.name),
                target,
                "r",
                AT,
                (source,),
                ("x",),
                traced=True,
                gaps=(),
                snapshot=None,
                owners=(),
            )
            for source, target, _ in hops
        ),
        fields=fields,
    )


def shown(lines: tuple[Line, ...]) -> list[str]:
    return [f"{'  ' * line.depth}{line.kind} {line.name} ({line.note})" for line in lines]


def test_impact_hangs_everything_under_what_it_is_reached_from() -> None:
    graph = chain("s.a", "s.b", "s.c", kinds=(Transformation.IDENTITY, Transformation.FILTER))
    found = impact(graph, Field(Dataset("ns", "s.a"), "x"))
    assert shown(tuple(impact_lines(found))) == [
        "start s.a.x ()",
        "  value s.b.x (DIRECT IDENTITY)",
        "    rows s.c (every row, INDIRECT FILTER)",
        "      population s.c.x (with its rows)",
    ]


def test_every_thing_reached_stands_in_the_tree_once() -> None:
    graph = chain(
        "s.a", "s.b", "s.c", "s.d", kinds=(Transformation.FILTER, Transformation.IDENTITY, Transformation.JOIN)
    )
    found = impact(graph, Dataset("ns", "s.a"))
    reached = [str(it.what) for it in (*found.values, *found.population, *found.tables, *found.unknown)]
    assert sorted(line.name for line in impact_lines(found) if line.depth) == sorted(reached)


def test_a_trace_has_a_line_a_step() -> None:
    graph = chain("s.a", "s.b", kinds=(Transformation.IDENTITY,))
    assert shown(tuple(trace_lines(trace(graph, Field(Dataset("ns", "s.b"), "x"))))) == [
        "start s.b.x (pass-through)",
        "  value s.a.x (source (no further lineage)  DIRECT IDENTITY)",
    ]


def test_a_chain_longer_than_a_stack_is_drawn() -> None:
    names = [f"s.t{n}" for n in range(3000)]
    graph = chain(*names, kinds=(Transformation.IDENTITY,) * 2999)
    lines = tuple(trace_lines(trace(graph, Field(Dataset("ns", names[-1]), "x"))))
    assert len(lines) == 3000
    assert page_html("deep", [lines]).count("<li") == 3000


def test_a_terminal_shows_names_as_they_are() -> None:
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=200, highlight=False)
    show_tree([Line(0, "start", HOSTILE), Line(1, "value", "b", "DIRECT"), Line(1, "rows", "c")], console)
    said = out.getvalue()
    assert "[bold red]" in said
    assert "\u202e" not in said
    assert "\x1b[31m" not in said
    assert "└── " in said


def test_a_page_is_whole_and_nothing_in_it_is_markup() -> None:
    lines = (
        Line(0, "start", HOSTILE),
        Line(1, "value", HOSTILE, HOSTILE, HOSTILE),
        Line(2, "rows", "x"),
        Line(1, "rows", "y"),
    )
    page = page_html(HOSTILE, [lines, Listing(HOSTILE, ("a",), [(HOSTILE,)]), HOSTILE])
    assert "<img" not in page
    assert page.count("<ul") == page.count("</ul>") == 3
    assert page.count("<li") == page.count("</li>") == 4
    assert "script" not in page


def test_progress_changes_nothing_that_is_counted() -> None:
    assert list(counted(range(5), "reading")) == [0, 1, 2, 3, 4]
