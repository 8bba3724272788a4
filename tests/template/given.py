from governance.template.model import MacroFile, Rendered, Surroundings
from governance.template.render import render

MACROS = MacroFile(
    "money.j2",
    "platform_assets/blocks/money.j2",
    "{% macro cents(column) %}({{ column }} * 100){% endmacro %}\n"
    "{% macro twice(column) %}{{ cents(column) }} * 2{% endmacro %}\n"
    "{% macro ping() %}{{ pong() }}{% endmacro %}\n"
    "{% macro broken() %}\n{{ nothing_here }}\n{% endmacro %}\n",
)
MORE = MacroFile(
    "finance/tax.j2", "platform_assets/blocks/finance/tax.j2", "{% macro pong() %}{{ ping() }}{% endmacro %}"
)

AROUND = Surroundings(
    tables=frozenset({"silver.orders", "gold.orders", "gold.daily"}),
    sources=frozenset({"crm.people", "landing/orders.csv", "landing/it's.csv"}),
    variables={"statuses": ("paid", "it's"), "least": 3, "strict": True, "day": "2024-01-01"},
    macros=(MACROS, MORE),
)


def made(text: str, table: str | None = None) -> Rendered:
    return render(text, "pipelines/gold/daily.sql.j2", table, AROUND)


def sql(text: str) -> str:
    return made(text).sql
