"""``$doc``, the sections of a document, and the parameters of prepared statements, which nothing here fills."""

import re
from collections.abc import Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from governance.errors import UnreadConstruct
from governance.lineage.written import DOCUMENT, documents
from governance.statement.parts import Parts
from governance.statement.text import Text

FIX = f"write the value itself; {DOCUMENT} alone is known, for the sections of a document"

SIGNS = re.compile(r"[$?]")
"""Without one of them a text has no parameter, and its tokens need no look."""


def require_no_parameters(text: Text, parts: Parts, tokens: Sequence[Token]) -> None:
    """Check that the query, whose parts are ``parts`` and whose tokens are ``tokens``, has no parameter but ``$doc``.

    Raises:
        UnreadConstruct: there is one, with its place.
    """
    known = {*documents(tokens)}
    for number, token in enumerate(tokens if SIGNS.search(text.pipeline.sql) else ()):
        signs = token.text == "$" and token.token_type is TokenType.PARAMETER and number not in known
        if signs or token.token_type is TokenType.PLACEHOLDER:
            raise text.wrong(UnreadConstruct, token.start, "a parameter is given no value here", fix=FIX)
    if any(isinstance(part, exp.Placeholder) for part in parts):
        raise text.wrong(UnreadConstruct, tokens[0].start, "a parameter is given no value here", fix=FIX)


def quoted_documents(tokens: Sequence[Token]) -> list[tuple[int, int, str]]:
    """Return (first character, past the last, text) of each ``$doc`` as DuckDB reads a column of that name."""
    return [(tokens[at].start, tokens[at + 1].end + 1, f'"{DOCUMENT}"') for at in documents(tokens)]
