"""``$doc``, the sections of a document, and the parameters of prepared statements, which nothing here fills."""

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from governance.errors import UnreadConstruct
from governance.lineage.written import DOCUMENT, documents
from governance.statement.text import Text

FIX = f"write the value itself; {DOCUMENT} alone is known, for the sections of a document"


def require_no_parameters(text: Text, query: exp.Expr, tokens: Sequence[Token]) -> None:
    """Check that the query, whose tokens are ``tokens``, has no parameter but ``$doc``.

    Raises:
        UnreadConstruct: there is one, with its place.
    """
    known = {*documents([*tokens])}
    for number, token in enumerate(tokens):
        signs = token.text == "$" and token.token_type is TokenType.PARAMETER and number not in known
        if signs or token.token_type is TokenType.PLACEHOLDER:
            raise text.wrong(UnreadConstruct, token.start, "a parameter is given no value here", fix=FIX)
    if query.find(exp.Placeholder) is not None:
        raise text.wrong(UnreadConstruct, tokens[0].start, "a parameter is given no value here", fix=FIX)


def quoted_documents(tokens: Sequence[Token]) -> list[tuple[int, int, str]]:
    """Return (first character, past the last, text) of each ``$doc`` as DuckDB reads a column of that name."""
    there = [*tokens]
    return [(there[at].start, there[at + 1].end + 1, f'"{DOCUMENT}"') for at in documents(there)]
