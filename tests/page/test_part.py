"""The part of a large graph: whole levels while they fit, nothing by halves, and all that is left out is told."""

import json
from datetime import timedelta
from functools import partial
from random import Random

import pytest

from governance import followed as followed_store
from governance.dataset import Dataset
from governance.errors import UnknownField
from governance.events.compact import compact
from governance.events.store import EventStore
from governance.graph import Graph
from governance.page import tables as page_tables
from governance.page.document import document
from governance.page.part import Part, part_around
from governance.page.tables import Tables
from governance.project import Project
from platform_assets.pages import proposed
from platform_assets.pages import source as page_source
from tests.page.made import NAMESPACE, NOW, event, night, shown, standing, table
from tests.page.test_server import project

__all__ = ["project"]


def dataset(name: str) -> Dataset:
    return Dataset(NAMESPACE, name)


def names(found: object) -> list[str]:
    return sorted(it.name for it in found)  # type: ignore[attr-defined]  # datasets


def tables_of(graph: Graph) -> Tables:
    columns = {it: tuple(field.name for field in fields) for it, fields in graph.fields.items()}
    return Tables.of(graph.writes, columns, ())


def copy(target: str, *sources: str, at: str = "2026-11-01T02:00:00Z") -> dict:
    columns = {"x": [f"{it}.x IDENTITY" for it in sources]}
    return event(target, at, reads=sources, writes=[table(target, columns)])


def chain(length: int = 9) -> list[dict]:
    """``s.t0`` → ``s.t1`` → … , of which each also reads a source of its own."""
    return [copy(f"s.t{it}", f"s.t{it - 1}", f"raw.r{it}") for it in range(1, length)]


def nightly(day: int) -> list[dict]:
    """The chain's runs of one night, one of which fails, and one that says another thing each night."""
    at = f"2026-11-{day}T02:00:{{:02}}Z".format
    told = [copy(f"s.t{it}", f"s.t{it - 1}", f"raw.r{it}", at=at(it)) for it in range(1, 9) if it != 4]
    other = table("s.t4", {"x": [f"s.t3.x {'IDENTITY' if day % 2 else 'TRANSFORMATION'}"]})
    failed = event("s.t5", at(30), reads=["s.t4"], writes=[table("s.t5")], state="FAIL")
    return [*told, event("s.t4", at(20), reads=["s.t3"], writes=[other]), failed]


def around(name: str, most: int, told: list[dict] | None = None) -> Part:
    return part_around(tables_of(shown(told or chain()).graph), dataset(name), most)


def test_a_small_neighbourhood_is_whole() -> None:
    part = around("s.t4", 100)
    assert (len(part.tables), part.of, part.hops, part.cut) == (17, 17, None, 0)
    assert not part.outside


def test_whole_levels_are_taken_while_they_fit() -> None:
    part = around("s.t4", 7)
    # itself and what it reads, what that is made from and the next table; of the second hop only what has no inputs
    assert names(part.made) == ["raw.r3", "raw.r4", "s.t3", "s.t4", "s.t5"]
    assert names(part.tables) == ["raw.r3", "raw.r4", "raw.r5", "s.t2", "s.t3", "s.t4", "s.t5"]
    assert (part.hops, part.cut, part.of) == (1, 1, 17)


def test_what_is_left_out_next_to_a_table_is_counted() -> None:
    part = around("s.t4", 7)
    assert {it.name: beyond for it, beyond in part.outside.items()} == {"s.t2": (2, 0), "s.t5": (0, 1)}


def test_of_a_level_that_does_not_fit_some_is_taken_and_the_rest_counted() -> None:
    part = around("s.t0", 4, [copy(f"s.r{it}", "s.t0") for it in range(9)])
    assert (len(part.tables), part.hops, part.cut) == (4, 0, 6)
    assert part.outside == {dataset("s.t0"): (0, 6)}


def test_columns_count_too() -> None:
    wide = [
        event(f"s.w{it}", reads=["s.t0"], writes=[table(f"s.w{it}", {f"c{n}": [] for n in range(50)})])
        for it in range(5)
    ]
    found = part_around(tables_of(shown(wide).graph), dataset("s.t0"), columns=120)
    assert (len(found.tables), found.cut) == (3, 3)


def test_what_a_table_reads_is_there_however_much() -> None:
    part = around("s.t", 5, [copy("s.t", *(f"raw.r{it}" for it in range(20)))])
    assert len(part.tables) == 21


def test_a_circle_ends() -> None:
    part = around("s.a", 10, [copy("s.a", "s.b"), copy("s.b", "s.a"), copy("s.a2", "s.a2")])
    assert (names(part.tables), part.hops) == (["s.a", "s.b"], None)


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_made_by_halves_and_every_rim_is_told(seed: int) -> None:
    random = Random(seed)  # noqa: S311  figures, no secrets
    told = [copy(f"s.t{it}", *(f"s.t{random.randrange(60)}" for _ in range(3))) for it in range(60)]
    found = tables_of(shown(told).graph)
    part = part_around(found, dataset("s.t30"), 20)
    for it in part.tables:
        reads, readers = found.inputs.get(it, ()), found.readers.get(it, ())
        above, below = part.outside.get(it, (0, 0))
        assert set(reads) <= part.tables if it in part.made else above == len(reads)
        assert below == len(set(readers) - part.made)
    assert len(part.tables) <= 20


def test_names_lead_to_tables_and_the_projects_own_comes_first() -> None:
    other = Dataset("elsewhere", "s.t")
    found = Tables.of((), {other: (), dataset("s.t"): ("x",)}, {dataset("s.t")})
    for name in ("s.t", "s.t.x", f"{NAMESPACE}/s.t", "s.t.no.such"):
        assert found.named(name) == dataset("s.t")
    assert found.named("elsewhere/s.t") == other
    assert [found.address(it) for it in found.names] == ["elsewhere/s.t", "s.t"]
    with pytest.raises(UnknownField, match=r"no table here is called 's'"):
        found.named("s")
    with pytest.raises(UnknownField, match=r"perhaps s\.t or "):
        found.named("q.t")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds that a made-up graph is above."""
    monkeypatch.setattr(page_tables, "WHOLE_TABLES", 10)
    monkeypatch.setattr(page_source, "part_around", partial(part_around, most=7))


def written(project: Project, told: list[dict]) -> None:
    for it in told:
        file = project.events / f"events-{it['eventTime'][:10]}.ndjson"
        with file.open("a") as opened:
            opened.write(json.dumps(it) + "\n")


def without_past(made: dict) -> dict:
    """What two documents of a part have in common whichever way the store was read."""
    left = {"runs", "versions", "part"}
    tables = [
        it | {"fields": [field | {"proposed": None, "decided": []} for field in it["fields"] if "gone" not in field]}
        for it in made["datasets"]
    ]
    return {key: value for key, value in made.items() if key not in left} | {"datasets": tables}


def classes(made: dict) -> dict[str, dict]:
    """What is proposed for each column."""
    return {
        f"{table['name']}.{field['name']}": {key: field[key] for key in ("proposed", "decided")}
        for table in made["datasets"]
        for field in table["fields"]
        if "gone" not in field
    }


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("compacted", [False, True])
def test_a_store_that_is_followed_shows_what_one_that_is_read_shows(
    project: Project, monkeypatch: pytest.MonkeyPatch, *, compacted: bool
) -> None:
    described = table("s.t4", {"x": ["s.t3.x IDENTITY"]}, schema=[{"name": "x", "type": "int", "description": "told"}])
    (project.events / "events-2026-11-02.ndjson").write_text("no event\n{}\n")
    # which leads to the part from beyond it
    (project.root / "governance/metadata.toml").write_text('["raw.r1"]\ncolumns.x = { classification = "personal" }\n')
    written(project, [*chain(), event("s.t4", "2026-11-03T02:00:00Z", reads=["s.t3", "raw.r4"], writes=[described])])
    if compacted:
        compact(EventStore(project.events, clock=lambda: NOW + timedelta(days=9)), retention=timedelta(0))
    whole = page_source.page_source(project, None, NOW)
    monkeypatch.setattr(followed_store, "LONG", 0)
    followed = page_source.page_source(project, None, NOW)
    assert (whole.graph is None, followed.graph is None) == (True, False)
    assert set(whole.tables.names) == set(followed.tables.names)
    assert whole.problems == followed.problems != ()
    found = [document(it.around(dataset("s.t4"))) for it in (whole, followed)]
    assert without_past(found[0]) == without_past(found[1])
    assert standing(found[0]) == standing(found[1])
    assert found[1]["part"] == found[0]["part"] | {"latest": True}
    assert [classes(it) for it in found] == [classes(found[0])] * 2
    assert any(it["proposed"] == "personal" for it in classes(found[1]).values())
    monkeypatch.setattr(proposed, "MOST_WRITTEN", 3)
    less = document(followed.around(dataset("s.t4")))
    assert less["part"] == found[1]["part"] | {"proposed": False}
    assert not any(it["proposed"] for it in classes(less).values())
    field = next(it for it in found[1]["datasets"] if it["name"] == "s.t4")["fields"][0]
    assert (field["type"], field["description"]) == ("int", "told")


ALIAS = {"identifiers": [{"namespace": NAMESPACE, "name": "s.other", "type": "TABLE"}]}


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("compacted", [False, True])
@pytest.mark.parametrize("linked", [False, True])
def test_the_past_of_a_part_that_is_followed_is_that_of_one_that_is_read(
    project: Project, monkeypatch: pytest.MonkeyPatch, *, compacted: bool, linked: bool
) -> None:
    # NOW is the 30th; of five nights the last three are asked for
    written(project, [it for day in range(24, 29) for it in nightly(day)])
    if linked:
        facets = {"symlinks": ALIAS}
        written(project, [event("s.x", reads=["s.t0"], writes=[table("s.x", {"x": ["s.t0.x IDENTITY"]}, **facets)])])
    if compacted:
        compact(EventStore(project.events, clock=lambda: NOW + timedelta(days=9)), retention=timedelta(0))
    whole = page_source.page_source(project, None, NOW)
    monkeypatch.setattr(followed_store, "LONG", 0)
    source = page_source.page_source(project, None, NOW)
    assert source.graph
    assert bool(source.graph.known.aliases) == linked
    read = document(whole.around(dataset("s.t4")))
    followed, latest = (document(source.around(dataset("s.t4"), it)) for it in (4, 0))
    since = "2026-11-26T00:00:00.000Z"
    assert (followed["part"]["since"], followed["part"]["latest"]) == (since, False)
    assert "since" not in latest["part"]
    runs = [(it["at"], it["run"]) for it in read["runs"] if it["at"] >= since]
    assert [(it["at"], it["run"]) for it in followed["runs"] if it["at"] >= since] == runs
    assert len(runs) == 3 * len(latest["runs"]) > 0
    assert all(standing(followed, at) == standing(read, at) for at, _ in runs)
    assert len({str(standing(read, at)) for at, _ in runs}) > 1


@pytest.mark.usefixtures("few")
def test_a_part_has_every_run_and_edge_of_what_it_makes_and_no_other(project: Project) -> None:
    written(project, night(3, 60))
    source = page_source.page_source(project, None, NOW)
    first = source.tables.most_read()
    assert first
    made = document(source.around(first))
    part = part_around(source.tables, first, 7)
    all_edges, _ = standing(document(source.shown))
    edges, _ = standing(made)
    assert edges == {it for it in all_edges if it[0] in names(part.made)}


@pytest.mark.usefixtures("few")
def test_a_rim_says_that_its_making_is_elsewhere(project: Project) -> None:
    written(project, chain())
    made = document(page_source.page_source(project, None, NOW).around(dataset("s.t4")))
    rim = next(it for it in made["datasets"] if it["name"] == "s.t2")
    assert rim["outside"] == [2, 0]
    assert rim["fields"][0]["word"] == "outside"
    assert made["datasets"][made["part"]["around"]]["name"] == "s.t4"


@pytest.mark.usefixtures("few")
def test_findings_of_other_tables_are_counted(project: Project) -> None:
    (project.root / "governance/metadata.toml").write_text(
        '["raw.r4"]\ncolumns.x = { classification = "personal" }\n'
        + "".join(f'["s.t{it}"]\ncolumns.x = {{ classification = "public" }}\n' for it in (4, 8))
    )
    written(project, chain())
    source = page_source.page_source(project, None, NOW)
    made = document(source.around(dataset("s.t4")))
    here = [it["table"] for it in made["findings"]]
    assert "s.t4" in here
    assert "s.t8" not in here
    assert made["part"]["findings"] == len(source.shown.findings) - len(here) > 0


def test_a_small_graph_is_whole_and_says_nothing_of_parts(project: Project) -> None:
    written(project, chain())
    source = page_source.page_source(project, None, NOW)
    made = document(source.opening())
    assert len(made["datasets"]) == 19
    assert "part" not in made
    assert not any("outside" in it for it in made["datasets"])
