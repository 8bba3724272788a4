"""The HTML around the document: it is complete, asks nobody for anything, and no name in it is ever markup."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from governance.page import html
from governance.page.document import document
from governance.page.html import document_json, modules, report_html, script, served_html
from tests.page.made import event, shown, static, table

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>",
    "<img src=x onerror=alert(1)>",
    "\"quoted\" 'twice' `thrice` ${x}",
    "\u202eright to left\u2066",
    "\u2028line\u2029paragraph",
    "x" * 300,
    "\\u003c/script>\\",
    "🜁 été \u0000",
)


class Scripts(HTMLParser):
    """The page as a browser splits it: each script and style with its text."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None], str]] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in {"script", "style"}:
            self.found.append((tag, dict(attrs), ""))

    def handle_data(self, data: str) -> None:
        if self.cdata_elem:
            tag, attributes, text = self.found.pop()
            self.found.append((tag, attributes, text + data))


def parsed(page: str) -> Scripts:
    reader = Scripts()
    reader.feed(page)
    reader.close()
    return reader


def embedded(page: str) -> Any:
    (text,) = [text for _, attributes, text in parsed(page).found if attributes.get("id") == "document"]
    return json.loads(text)


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = static(tmp_path / "static")
    monkeypatch.setattr(html, "STATIC", folder)
    return folder


@pytest.mark.usefixtures("bare")
def test_the_document_is_in_it_whole() -> None:
    made = document(shown([event("a.a", writes=[table("a.a", {"x": ["b.b.x IDENTITY"]})])]))
    assert embedded(report_html(made).text) == made


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_stays_text(name: str) -> None:
    plain, hostile = (
        document(shown([event("a.a", writes=[table("a.a", {it: ["b.b.x IDENTITY"]}, schema=[it])])]))
        for it in ("x", name)
    )
    page = report_html(hostile).text
    assert embedded(page) == hostile
    assert parsed(page).tags == parsed(report_html(plain).text).tags


@pytest.mark.usefixtures("bare")
def test_half_a_surrogate_pair_is_no_reason_to_fail() -> None:
    page = report_html({"title": "x\ud800<y"}).text
    assert embedded(page.encode().decode()) == {"title": "x\ufffd<y"}
    assert document_json({"title": "\udfff"}) == '{"title":"\ufffd"}'


def digests(page: str, tag: str) -> set[str]:
    running = [text for name, attributes, text in parsed(page).found if name == tag and attributes.get("type") in RUNS]
    return {base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in running}


RUNS = ("module", "text/javascript", None)


def directives(policy: str) -> Mapping[str, str]:
    return dict(part.split(" ", 1) for part in policy.split("; "))


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(("make", "connect"), [(report_html, "'none'"), (served_html, "'self'")])
def test_its_policy_allows_its_own_scripts_and_styles_and_nothing_else(make: Any, connect: str) -> None:
    made = make({"title": "t"})
    said = directives(made.policy)
    assert said["default-src"] == said["base-uri"] == said["form-action"] == "'none'"
    assert said["script-src"] == " ".join(f"'sha256-{it}'" for it in digests(made.text, "script"))
    assert said["style-src"] == " ".join(f"'sha256-{it}'" for it in digests(made.text, "style"))
    assert said["connect-src"] == connect
    assert f'<meta http-equiv="Content-Security-Policy" content="{made.policy}">' in made.text


@pytest.mark.usefixtures("bare")
def test_the_policy_comes_before_everything_that_it_governs() -> None:
    tags = [tag for tag, _ in parsed(report_html({}).text).tags]
    assert tags[:3] == ["html", "head", "meta"]
    assert "served" not in report_html({}).text
    assert 'name="headwater-served"' in served_html({}).text


def test_a_module_comes_after_what_it_imports(bare: Path) -> None:
    (bare / "app" / "app.js").write_text("import { b } from './b.js';\nimport { a } from './a.js';\nb(a);\n")
    (bare / "app" / "b.js").write_text("import { a } from './a.js';\nexport const b = () => a;\n")
    (bare / "app" / "a.js").write_text("export const a = 1;\n")
    assert modules() == ("a.js", "b.js", "app.js")
    assert script() == "const a = 1;\nconst b = () => a;\nb(a);\n"


def sources() -> Iterator[tuple[str, str]]:
    for name in modules():
        yield name, html.STATIC.joinpath("app", name).read_text("utf-8")


def test_the_pages_own_modules_can_be_joined() -> None:
    declared: dict[str, str] = {}
    for name, text in sources():
        imports = [line for line in text.splitlines() if line.startswith("import ")]
        assert all(re.fullmatch(r"import \{[^}]* \} from '\./[\w-]+\.js';", line) for line in imports), name
        assert not any(" as " in line for line in imports), name
        assert "export default" not in text, name
        for top in re.findall(r"^(?:export )?(?:async )?(?:const|let|class|function\*?) (\w+)", text, re.MULTILINE):
            assert top not in declared, f"{top} stands in {declared[top]} and {name}"
            declared[top] = name


def test_nothing_in_the_page_ends_its_script_or_asks_for_another_site() -> None:
    page = report_html(document(shown([])))
    reader = parsed(page.text)
    scripts = [text for tag, _, text in reader.found if tag == "script"]
    assert len(scripts) == 3
    assert not any(re.search(r"</script|<!--", text, re.IGNORECASE) for text in scripts)
    asked = [value for _, attributes in reader.tags for name, value in attributes.items() if name in {"src", "href"}]
    assert not [it for it in asked if it and it.startswith(("http:", "https:", "//"))]
    assert not [
        name for _, attributes in reader.tags for name in attributes if name == "style" or name.startswith("on")
    ]
    own, style = script(), "".join(text for tag, _, text in reader.found if tag == "style")
    assert not re.search(r"\b(fetch|import)\(\s*['\"`]https?:|XMLHttpRequest|WebSocket|sendBeacon|\beval\(", own)
    assert not re.search(r"@import|url\(\s*['\"]?(https?:)?//", style)
