"""A page above the bound, served: it says what it leaves out, and what is not in it is found and shown."""

import json
import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Literal

import pytest
import uvicorn
from click.testing import CliRunner
from playwright.sync_api import Browser, Page, expect

from governance import followed
from governance.page import html
from governance.page import tables as page_tables
from governance.page.document import document
from governance.page.names import Names
from governance.page.part import part_around
from governance.project import Project
from platform_assets import cli
from platform_assets.pages import source as page_source
from platform_assets.pages.pages import Pages
from platform_assets.pages.server import application
from tests.page.made import NOW, shown
from tests.page.test_accessible import broken
from tests.page.test_part import chain, copy, dataset, few, tables_of, written
from tests.page.test_server import ask, project
from tests.page.whole_page import address, selected

__all__ = ["few", "project"]
STATIC = html.STATIC


def test_words_find_tables_and_columns_the_nearest_first() -> None:
    names = Names.of(tables_of(shown(chain()).graph))
    assert [(it.dataset.name, it.column) for it in names.find("s.T4").best] == [("s.t4", None)]
    assert [(it.dataset.name, it.column) for it in names.find("s.t4.x").best] == [("s.t4", "x")]
    assert [(it.dataset.name, it.column) for it in names.find("t4 x").best] == [("s.t4", "x")]
    assert names.find("s.t4.y").best == ()
    assert names.find("  ").best == ()


def test_an_answer_is_bounded_and_counts_the_rest() -> None:
    names = Names.of(tables_of(shown(chain()).graph))
    found = names.find("x", 5)
    assert (len(found.best), found.more) == (5, 12)
    tables = names.find("s.t", 5)
    assert [it.dataset for it in tables.best] == [dataset(f"s.t{it}") for it in range(5)]
    assert tables.more == 4


@pytest.mark.usefixtures("few")
def test_the_server_gives_parts_by_name_and_answers_a_search(project: Project) -> None:
    written(project, chain())
    app = application(Pages(project, None, print))
    found = json.loads(ask(app, "/find", query="q=s.t8").body)
    assert found == {
        "found": [
            {"name": "s.t8", "around": "s.t8", "table": "s.t8", "namespace": dataset("s.t8").namespace, "column": None}
        ],
        "more": 0,
    }
    first = json.loads(ask(app, "/document.json").body)
    part = json.loads(ask(app, "/document.json", query="around=s.t8.x").body)
    assert part["datasets"][part["part"]["around"]]["name"] == "s.t8"
    assert max(len(it["datasets"]) for it in (first, part)) <= 7
    tags = {ask(app, "/", query=it).headers["etag"] for it in ("", "around=s.t8", "around=s.t8.x", "around=no.such")}
    assert len(tags) == 2
    assert ask(app, "/find", "POST").status == 405
    assert ask(app, "/find", host="evil.example.com").status == 421


def test_a_small_graph_is_whole_whatever_is_asked_around(project: Project) -> None:
    app = application(Pages(project, None, print))
    assert ask(app, "/", query="around=a.a").body == ask(app, "/").body
    assert json.loads(ask(app, "/find", query="q=b.b").body)["found"][0]["name"] == "b.b"


def report(project: Project, monkeypatch: pytest.MonkeyPatch, *words: str) -> str:
    monkeypatch.setenv("HEADWATER_ROOT", str(project.root))
    monkeypatch.setenv("HEADWATER_STATE", str(project.state))
    said = CliRunner().invoke(cli.main, ["report", "-o", "-", *words])
    return said.stdout if said.exit_code == 0 else said.output


@pytest.mark.usefixtures("few")
def test_a_file_is_of_a_part_that_is_named(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    written(project, chain())
    assert "19 tables are more than one page shows; name the table" in report(project, monkeypatch)
    assert "no table here is called 's.t99'" in report(project, monkeypatch, "--around", "s.t99")
    found = json.loads(report(project, monkeypatch, "--around", "s.t4", "--format", "json"))
    assert (found["part"]["tables"], found["part"]["of"]) == (7, 19)
    assert "part" not in json.loads(report(project, monkeypatch, "--format", "json"))


@pytest.fixture
def address_of(project: Project, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Where a server of the page of a chain listens; a part has seven tables."""
    monkeypatch.setattr(html, "STATIC", STATIC)
    monkeypatch.setattr(page_tables, "WHOLE_TABLES", 10)
    monkeypatch.setattr(page_source, "part_around", partial(part_around, most=7))
    written(project, chain())
    with socket.create_server(("127.0.0.1", 0)) as listening:
        app = application(Pages(project, None, print))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off", ws="none"))
        running = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        running.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        server.should_exit = True
        running.join(60)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(300_000)
    opened = context.new_page()
    wrong: list[str] = []
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    yield opened
    context.close()
    assert wrong == []


def test_a_table_that_is_not_in_the_part_is_found_and_shown(page: Page, address_of: str) -> None:
    page.goto(f"{address_of}#s.t2")
    expect(page.locator("#part")).to_have_text(
        "7 of 19 tables: all that is within 1 hop of s.t2, and some of what is 2 hops away: 1 table there is left out,"
        " and all beyond. The search box finds all tables."
    )
    assert selected(page) == "s.t2"
    page.keyboard.press("/")
    page.keyboard.type("t7")
    expect(page.locator("#matches [role=option]").first).to_contain_text("s.t7")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?around=s.t7#s.t7")
    expect(page.locator("#part strong")).to_have_text("7 of 19 tables: ")
    assert selected(page) == "s.t7"
    expect(page.locator("#summary")).to_contain_text("in this part, and may go on beyond it")
    page.go_back()
    page.wait_for_url("**/?around=s.t2#s.t2")
    expect(page.locator("#part")).to_contain_text("of s.t2")


def test_the_rim_says_what_is_beyond_it_and_leads_there(page: Page, address_of: str) -> None:
    page.goto(f"{address_of}?around=s.t4")
    assert selected(page) == "s.t4"
    page.evaluate("location.hash = 's.t2'")
    note = page.locator("#details .outside")
    expect(note).to_contain_text("Not in this part: 2 tables that it reads.")
    note.get_by_text("Show the part around it").click()
    page.wait_for_url("**/?around=s.t2#s.t2")
    expect(page.locator("#part")).to_contain_text("of s.t2")
    expect(page.locator("#details .outside")).to_have_count(0)


def test_the_runs_of_the_last_days_are_shown_where_they_are_asked_for(
    page: Page, address_of: str, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(followed, "LONG", 0)
    # of now, as the server has its own clock
    night = datetime.now(UTC) - timedelta(days=1)
    written(project, [copy("s.t4", "s.t3", "raw.r4", at=(night + timedelta(hours=it)).isoformat()) for it in range(3)])
    page.goto(f"{address_of}#s.t4")
    page.wait_for_selector("body[data-ready]")
    expect(page.locator("#part")).to_contain_text("Of each job its latest run alone is here.")
    expect(page.locator("#time")).to_have_text("now: 3 runs")
    page.goto(f"{address_of}?at=1#s.t4?at=2026-01-01T00:00:00Z")
    expect(page.locator("#notices")).to_contain_text("What stood at 2026-01-01 00:00:00 UTC is not in this part")
    page.locator("#part").get_by_role("link", name="7 days").click()
    page.wait_for_url(lambda url: "past=7" in url)
    page.wait_for_selector("body[data-ready]")
    expect(page.locator("#part")).to_contain_text("All runs since ")
    slider = page.get_by_role("slider", name="As of")
    expect(slider).to_have_attribute("max", "3")
    page.keyboard.press("[")
    expect(page.locator("#when")).to_contain_text("s.t4")


def test_what_is_in_another_part_is_found_and_reached_by_keys_alone(page: Page, address_of: str) -> None:
    page.goto(f"{address_of}#s.t2")
    page.keyboard.press("/")
    page.keyboard.type("s.t x")
    # as many as all parts have together
    expect(page.locator("#matches [role=option]")).to_have_count(9)
    expect(page.locator("#match-0")).to_have_attribute("aria-selected", "true")
    # before the first is the last
    page.keyboard.press("ArrowUp")
    expect(page.locator("#match-8")).to_contain_text("s.t8")
    expect(page.locator("#match-8")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#query")).to_have_attribute("aria-activedescendant", "match-8")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?around=s.t8#s.t8.x")
    page.wait_for_selector("body[data-ready]")
    page.wait_for_function("document.activeElement.closest('#graph .field') !== null")
    assert selected(page) == "x"
    page.reload()
    page.wait_for_selector("body[data-ready]")
    expect(page.locator("body")).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_a_part_and_what_is_found_beyond_it(
    browser: Browser, address_of: str, scheme: Literal["light", "dark"]
) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800}, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(f"{address_of}#s.t2")
    page.wait_for_selector("body[data-ready]")
    assert broken(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for typed in ("s.t8", "zzz"):
        page.locator("#query").fill(typed)
        expect(page.locator("#matches")).not_to_contain_text("Looking among all tables")
        assert broken(page) == []
    context.close()


def test_a_name_that_no_table_has_is_said_once_all_were_asked(page: Page, address_of: str) -> None:
    page.goto(f"{address_of}#no.such")
    page.wait_for_url("**/?around=no.such#no.such")
    expect(page.locator("#notices")).to_contain_text("No table or column here is called no.such")
    assert address(page) == "#no.such"
    page.locator("#query").fill("zzz")
    expect(page.locator("#matches .none")).to_have_text("No table or column has these letters")


def test_a_file_says_how_to_see_the_rest(page: Page, project: Project, tmp_path: Path, address_of: str) -> None:
    assert address_of
    source = page_source.page_source(project, None, NOW)
    file = tmp_path / "part.html"
    file.write_text(html.report_html(document(source.around(dataset("s.t2")))).text, "utf-8")
    page.goto(file.as_uri())
    expect(page.locator("#part")).to_contain_text("headwater report --around TABLE shows those around another.")
    page.locator("#query").fill("t8")
    expect(page.locator("#matches .none")).to_have_text("No table or column of this part has these letters")


def test_every_word_is_in_the_table_or_its_column_or_across_their_dot() -> None:
    names = Names.of(tables_of(shown(chain()).graph))

    def brute(typed: str) -> set[tuple[str, str]]:
        everything = {(it.name, column) for column, having in names.columns.items() for it in having}
        return {(table, column) for table, column in everything if all(w in f"{table}.{column}" for w in typed.split())}

    for typed in ("t4 x", "4.x", "s x", "w.r3.x", "x", "r3 x .x"):
        assert {(it.dataset.name, it.column) for it in names.find(typed, 99).best if it.column} == brute(typed)


@pytest.mark.usefixtures("few")
def test_a_large_graph_is_shown_as_it_was_until_it_is_read_anew(project: Project) -> None:
    written(project, chain())
    pages = Pages(project, None, print)
    app = application(pages)
    before = json.loads(ask(app, "/document.json", query="around=s.t8").body)
    written(project, [copy("s.t9", "s.t8", at="2026-11-02T02:00:00Z")])
    during = json.loads(ask(app, "/document.json", query="around=s.t8").body)
    assert during["state"] == before["state"] != json.loads(ask(app, "/version").body)["state"]
    assert pages._renewing
    pages._renewing.join(60)
    after = json.loads(ask(app, "/document.json", query="around=s.t9").body)
    assert after["state"] == json.loads(ask(app, "/version").body)["state"]
    assert after["datasets"][after["part"]["around"]]["name"] == "s.t9"


@pytest.mark.usefixtures("few")
def test_what_is_wrong_with_the_new_state_is_told_after_all(project: Project) -> None:
    written(project, chain())
    pages = Pages(project, None, print)
    app = application(pages)
    assert ask(app, "/").status == 200
    (project.root / "governance/lineage.toml").write_text("order = 1")
    assert ask(app, "/").status == 200
    assert pages._renewing
    pages._renewing.join(60)
    assert ask(app, "/").status == 500
