"""The headwater_expressions facet as it is read (:mod:`governance.events.expressions` says what it holds)."""

import msgspec


class ExpressionPart(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """A piece of SQL and the line where it begins, and that of the template which wrote it, if one did."""

    text: str
    line: int
    template_line: int | None = None


class UsePart(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """One edge of the columnLineage facet and a piece of SQL that it goes through; no ``field`` means every row.

    ``expression`` is a place in the facet's ``expressions``, ``marks`` are ranges in its text in UTF-16 units.
    """

    namespace: str
    name: str
    input_field: str
    type: str
    subtype: str
    expression: int
    marks: tuple[tuple[int, int], ...] = ()
    field: str | None = None


class ExpressionsPart(msgspec.Struct, frozen=True, gc=False):
    """The facet; ``omitted`` where it would have been too large."""

    expressions: tuple[ExpressionPart, ...] = ()
    uses: tuple[UsePart, ...] = ()
    omitted: bool = False
