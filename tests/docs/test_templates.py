"""docs/templates.md shows what its example writes, and names what there is."""

import re
from pathlib import Path

from governance.template.filters import FILTERS
from governance.template.model import MacroFile, Surroundings
from governance.template.render import SOURCE, TOKENS, render
from governance.template.words import WORDS

PAGE = (Path(__file__).parents[2] / "docs" / "templates.md").read_text("utf-8")


def test_the_example_writes_what_the_page_shows() -> None:
    (template, macros), (sql,) = (re.findall(f"```{kind}\n(.*?)```", PAGE, re.DOTALL) for kind in ("jinja", "sql"))
    around = Surroundings(
        sources=frozenset({"crm.orders"}),
        variables={"statuses": ("paid", "shipped")},
        macros=(MacroFile("money.j2", "platform_assets/blocks/money.j2", macros),),
    )
    assert render(template, "silver/orders.sql.j2", "silver.orders", around).sql == sql


def test_the_page_names_every_filter_word_and_bound() -> None:
    (listed,) = re.findall(r"The filters are `(.*?)`", PAGE, re.DOTALL)
    assert {*listed.split()} == {*FILTERS} - {"d"}
    assert all(f"`{word}`" in PAGE for word in WORDS)
    assert f"{SOURCE:,} characters and {TOKENS:,}" in PAGE
