"""Tokens → the pieces of SQL that people read at once: each item of a select list, each clause by its keyword.

One pass with a stack of brackets. Brackets that hold a query, a join or a row of VALUES have pieces of their own;
all others (calls, CASE, OVER …) belong to the piece around them.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlglot.tokenizer_core import Token, TokenType

from governance.lineage.model import Expression, Span

LONGEST = 400
"""Characters of a piece that are shown; a longer one is cut around what is marked."""

_MARGIN = 120
"""Characters before the first mark that a cut piece keeps."""


class Clauses:
    """The pieces of one text."""

    __slots__ = ("_breaks", "_known", "_of", "_places", "_sql", "_starts", "_tokens")

    def __init__(self, sql: str, tokens: Sequence[Token]) -> None:
        self._sql = sql
        self._tokens = tokens
        self._starts = [token.start for token in tokens]
        self._breaks = [place for place, letter in enumerate(sql) if letter == "\n"]
        self._of, self._places = _Pieces(tokens).all()
        self._known: dict[tuple[int, tuple[Span, ...]], tuple[Expression, tuple[Span, ...]]] = {}

    def holding(self, spans: Iterable[Span]) -> dict[int, tuple[Span, ...]]:
        """Return the pieces, by number in the text's order, that hold ``spans`` of the text, each with its own."""
        held: dict[int, tuple[Span, ...]] = {}
        for span in sorted(spans):
            piece = self._of[self._token(span[0])]
            held[piece] = (*held.get(piece, ()), span)
        return held

    def shown(self, piece: int, spans: tuple[Span, ...]) -> tuple[Expression, tuple[Span, ...]]:
        """Return a piece as it is shown, and the places of its ``spans`` in that; those cut off are left out."""
        known = self._known.get((piece, spans))
        if known is None:
            first, last = self._places[piece]
            marked = [(self._token(start), min(self._token(end - 1), last)) for start, end in spans]
            known = self._known[piece, spans] = self._cut(first, last, marked)
        return known

    def _token(self, place: int) -> int:
        return max(bisect_right(self._starts, place) - 1, 0)

    def _cut(self, first: int, last: int, marked: list[tuple[int, int]]) -> tuple[Expression, tuple[Span, ...]]:
        """Return the tokens from ``first`` to ``last``, from a little before the first mark where they are too many."""
        length = self._tokens[last].end - self._tokens[first].start
        begin = first
        if length > LONGEST:
            begin = max(first, self._token(self._tokens[marked[0][0]].start - _MARGIN))
        text = "" if begin == first else "… "
        at: dict[int, Span] = {}
        end = begin
        for end in range(begin, last + 1):
            token = self._words(end)
            gap = " " if end > begin and self._tokens[end - 1].end + 1 < self._tokens[end].start else ""
            if end > begin and len(text) + len(gap) + len(token) > LONGEST:
                text += " …"
                break
            at[end] = len(text) + len(gap), len(text) + len(gap) + len(token)
            text += gap + token
        marks = tuple((at[one][0], at[other][1]) for one, other in marked if one in at and other in at)
        line = bisect_right(self._breaks, self._tokens[begin].start) + 1
        return Expression(text, line), marks

    def _words(self, number: int) -> str:
        """Return a token as it is written; a keyword of two words on one line."""
        token = self._tokens[number]
        text = self._sql[token.start : token.end + 1]
        return " ".join(text.split()) if token.token_type in _CLAUSES else text


def _kinds(names: str) -> frozenset[TokenType]:
    return frozenset(TokenType[name] for name in names.split())


_OPEN = _kinds("L_PAREN L_BRACKET L_BRACE CASE")
_CLOSE = {
    TokenType.R_PAREN: TokenType.L_PAREN,
    TokenType.R_BRACKET: TokenType.L_BRACKET,
    TokenType.R_BRACE: TokenType.L_BRACE,
    TokenType.END: TokenType.CASE,
}
_QUERIES = _kinds("SELECT WITH FROM VALUES PIVOT UNPIVOT")
_JOINED = _kinds("LEFT RIGHT FULL INNER OUTER CROSS NATURAL ASOF SEMI ANTI POSITIONAL")
"""Words that may stand before JOIN."""

_LISTS = _kinds("SELECT SET VALUES RETURNING")
"""Keywords that are no part of their items; commas part these."""

_SOURCES = _kinds("FROM JOIN STRAIGHT_JOIN APPLY LATERAL ON USING") | _JOINED
"""Keywords that begin a piece, which a comma ends."""

_CLAUSES = _kinds(
    "WHERE PREWHERE HAVING QUALIFY GROUP_BY ORDER_BY ORDER_SIBLINGS_BY SORT_BY CLUSTER_BY DISTRIBUTE_BY "
    "LIMIT OFFSET FETCH WINDOW WHEN PIVOT UNPIVOT CONNECT_BY START_WITH"
)
"""Keywords that begin a piece, which runs up to the next keyword."""

_ENDS = _kinds("UNION EXCEPT INTERSECT SEMICOLON THEN")
_KEYWORDS = _LISTS | _SOURCES | _CLAUSES | _ENDS
_WITHIN = _kinds("DOT EQ COMMA")
"""After these a keyword is a name."""


@dataclass(slots=True)
class _Level:
    """What is open.

    own:    whether what it holds has pieces of its own
    piece:  the one at hand, None between two
    list:   whether a comma ends it; ``values``: whether brackets hold rows
    ends:   whether the closing bracket ends the piece around it
    """

    bracket: TokenType | None
    own: bool
    piece: int | None = None
    list: bool = False
    values: bool = False
    ends: bool = False


class _Pieces:
    """The pass over the tokens."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._kinds = [token.token_type for token in tokens]
        self._joins = self._with_joins()
        self._places: list[list[int]] = []
        self._levels = [_Level(None, own=True)]
        self._of: list[int] = []

    def all(self) -> tuple[list[int], list[list[int]]]:
        """Return the piece of each token, and the first and last token of each piece."""
        for number, kind in enumerate(self._kinds):
            ends = kind in _CLOSE and self._close(_CLOSE[kind])
            level = self._levels[-1]
            if level.own and kind in _KEYWORDS and self._is_keyword(number, kind):
                self._begin(level, kind, number)
            elif level.own and kind is TokenType.COMMA and level.list:
                self._lone(number)
                level.piece = None
            elif level.own and self._is_modifier(number, kind):
                self._lone(number)
            else:
                self._take(level, number)
            if ends:
                level.piece = None
            if kind in _OPEN:
                self._open(number, kind)
        return self._of, self._places

    def _with_joins(self) -> set[int]:
        """The brackets that hold a JOIN themselves."""
        open_: list[int] = []
        found: set[int] = set()
        for number, kind in enumerate(self._kinds):
            if kind in _OPEN:
                open_.append(number)
            elif kind in _CLOSE and open_:
                open_.pop()
            elif kind is TokenType.JOIN and open_:
                found.add(open_[-1])
        return found

    def _take(self, level: _Level, number: int) -> None:
        if level.piece is None:
            self._lone(number)
            level.piece = self._of[-1]
        else:
            self._of.append(level.piece)
            self._places[level.piece][1] = number

    def _lone(self, number: int) -> None:
        self._of.append(len(self._places))
        self._places.append([number, number])

    def _begin(self, level: _Level, kind: TokenType, number: int) -> None:
        level.list = kind in _LISTS or kind in _SOURCES
        level.values = kind is TokenType.VALUES
        level.piece = None
        if kind in _SOURCES or kind in _CLAUSES:
            self._take(level, number)
        else:
            self._lone(number)

    def _open(self, number: int, kind: TokenType) -> None:
        above = self._levels[-1]
        row = above.values and kind is TokenType.L_PAREN
        own = row or (kind is TokenType.L_PAREN and (number in self._joins or self._first(number) in _QUERIES))
        keys = self._kinds[max(number - 2, 0) : number] == [TokenType.DISTINCT, TokenType.ON]
        level = _Level(kind, own=own, list=row, ends=keys)
        if not own:
            level.piece = self._of[-1]
        self._levels.append(level)

    def _first(self, number: int) -> TokenType | None:
        """The first token within a bracket and those that follow it at once."""
        while self._at(number) is TokenType.L_PAREN:
            number += 1
        return self._at(number)

    def _close(self, opened_by: TokenType) -> bool:
        """Close the innermost bracket of the kind; tell whether a piece ends with it."""
        levels = self._levels
        if opened_by is TokenType.CASE and levels[-1].bracket is not TokenType.CASE:  # BEGIN … END
            return False
        if not any(level.bracket is opened_by for level in levels):
            return False
        while levels[-1].bracket is not opened_by:
            levels.pop()
        return levels.pop().ends

    def _is_modifier(self, number: int, kind: TokenType) -> bool:
        """``SELECT DISTINCT``, ``SELECT ALL``: no part of the first item."""
        return (
            kind in {TokenType.DISTINCT, TokenType.ALL}
            and self._at(number - 1) is TokenType.SELECT
            and self._at(number + 1) is not TokenType.ON
        )

    def _is_keyword(self, number: int, kind: TokenType) -> bool:
        before = self._at(number - 1)
        if before in _WITHIN or self._at(number + 1) is TokenType.DOT or before is _EXCEPTIONS.get(kind, _NEVER):
            return False
        if kind in _JOINED:
            return before not in _JOINED and self._joins_at(number)
        return before not in _JOINED and before is not TokenType.JOIN

    def _joins_at(self, number: int) -> bool:
        """Whether the words from ``number`` on lead to JOIN; LEFT may be a function as well."""
        while self._at(number) in _JOINED:
            number += 1
        return self._at(number) in {TokenType.JOIN, TokenType.APPLY}

    def _at(self, number: int) -> TokenType | None:
        return self._kinds[number] if 0 <= number < len(self._kinds) else None


_NEVER = TokenType.SENTINEL

_EXCEPTIONS: dict[TokenType, TokenType] = {
    TokenType.FROM: TokenType.DISTINCT,  # a IS DISTINCT FROM b
    TokenType.EXCEPT: TokenType.STAR,  # * EXCEPT (a)
    TokenType.ON: TokenType.DISTINCT,  # DISTINCT ON (a)
    TokenType.OFFSET: TokenType.WITH,  # UNNEST(a) WITH OFFSET
}
"""Keyword → the token after which it is none."""
