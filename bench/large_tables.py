"""Synthetic platforms as values: tables in layers, each with its columns, its SQL and its column edges.

``tables(1_000, seed)`` is the platform of 1,000 pipelines: 250 sources, then bronze, silver and gold tables, each after
those that it reads. The same seed gives the same platform on every machine. A tenth of the columns of a real project
stand in a few wide tables, so one table in 25 is wide here; most tables read the layer below, a few their own.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from bench.large_forms import FORMS, body, columns_of
from bench.large_table import KEYS, Column, Table

LAYERS = {"bronze": 0.4, "silver": 0.35, "gold": 0.25}
"""The schemas of pipelines with their shares of these."""

SOURCES_PER_PIPELINE = 0.25
AREAS = ("sales", "crm", "billing", "stock", "web", "support", "hr", "risk")
THINGS = ("order", "customer", "invoice", "item", "visit", "ticket", "person", "claim", "payment", "shipment")
MEASURES = ("amount", "price", "quantity", "discount", "tax", "weight", "score", "balance", "duration", "cost")
TEXTS = ("email", "country", "city", "channel", "reason", "title", "category", "phone", "currency", "note")
WIDE = 25
"""One table in so many is wide."""


class Edge(NamedTuple):
    """One column edge; ``column`` is None where the input decides which rows there are."""

    source: str
    source_column: str
    table: str
    column: str | None
    type: str
    subtype: str


def tables(pipelines: int, seed: int = 1) -> tuple[Table, ...]:
    """Return the platform of so many ``pipelines``, a quarter more tables in all: sources first."""
    random = Random(seed)  # noqa: S311  a platform that anyone can make again, no secret
    made = [_source(place, random) for place in range(max(2, round(pipelines * SOURCES_PER_PIPELINE)))]
    below: Sequence[Table] = made
    left = pipelines
    for layer, share in LAYERS.items():
        count = left if layer == "gold" else min(left, max(1, round(pipelines * share)))
        left -= count
        own = [_pipeline(len(made) + number, layer, below, random) for number in range(count)]
        made += own
        below = own or below
    return tuple(made)


def edges(table: Table) -> Iterator[Edge]:
    """Yield the edges of one table, in no order, none twice."""
    said = body(table)
    for item in said.items:
        for source, column, kind, subtype in dict.fromkeys(item.inputs):
            yield Edge(source, column, table.name, item.name, kind, subtype)
    for source, column, kind, subtype in dict.fromkeys(said.rows):
        yield Edge(source, column, table.name, None, kind, subtype)


def _source(place: int, random: Random) -> Table:
    names = _columns(random.randint(80, 150) if place % WIDE == WIDE - 1 else random.randint(6, 24))
    return Table(place, f"raw.{_name(place, random)}", "", (*KEYS, *names))


def _pipeline(place: int, layer: str, below: Sequence[Table], random: Random) -> Table:
    form = random.choice(tuple(name for name, it in FORMS.items() if layer in it.layers))
    most = FORMS[form].inputs
    inputs = tuple(random.sample(below, min(len(below), random.randint(min(most, 2), most))))
    return Table(place, f"{layer}.{_name(place, random)}", form, columns_of(form, inputs), inputs)


def _name(place: int, random: Random) -> str:
    return f"{random.choice(AREAS)}_{random.choice(THINGS)}_{place}"


def _columns(count: int) -> Iterator[Column]:
    """Yield columns of which two in three are texts and the rest numbers, named alike in all tables."""
    for number in range(count):
        words, kind = (MEASURES, "double") if number % 3 == 0 else (TEXTS, "varchar")
        turn, word = divmod(number, len(words))
        yield (f"{words[word]}_{turn + 1}" if turn else words[word]), kind
