"""MERGE, read token by token: its source, its ON and what each WHEN does, every part as text at its place.

The parts are kept as they were written: what runs is made of them, and an error in it tells the file's line.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from governance.errors import LineageError, UnreadConstruct
from governance.statement.cursor import Cursor, names


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text, and the 1-based line and column where it begins."""

    text: str
    line: int
    column: int


class Side(Enum):
    """Which rows a WHEN is about."""

    BOTH = "WHEN MATCHED"
    SOURCE = "WHEN NOT MATCHED"
    TARGET = "WHEN NOT MATCHED BY SOURCE"


class Act(Enum):
    """What a WHEN does."""

    UPDATE = "UPDATE"
    INSERT = "INSERT"
    DELETE = "DELETE"
    NOTHING = "DO NOTHING"


class Whole(Enum):
    """How an UPDATE or INSERT without values takes the source's columns: ``*`` only where both ways are one."""

    STAR = "*"
    NAME = "BY NAME"
    POSITION = "BY POSITION"


ALLOWED = {
    Side.BOTH: (Act.UPDATE, Act.DELETE, Act.NOTHING),
    Side.SOURCE: (Act.INSERT, Act.NOTHING),
    Side.TARGET: (Act.UPDATE, Act.DELETE, Act.NOTHING),
}


@dataclass(frozen=True, slots=True)
class When:
    """One WHEN: the rows that it is about, and the first that applies to a row acts on it.

    columns: that are written, as spelt; empty for an INSERT of every column
    values:  one for each of the columns; empty where ``whole`` says which
    line, column: where it begins
    """

    side: Side
    condition: Piece | None
    act: Act
    line: int
    column: int
    columns: tuple[str, ...] = ()
    values: tuple[Piece, ...] = ()
    whole: Whole | None = None


@dataclass(frozen=True, slots=True)
class Merge:
    """A MERGE.

    ctes:   the text of WITH before it, None where there is none
    alias:  what it calls its table, None where that is the table's own name
    source: USING's relation with its alias
    joined: ``on`` or ``using``, and ``on`` is the condition or the list of columns
    """

    ctes: Piece | None
    alias: str | None
    source: Piece
    joined: str
    on: Piece
    whens: tuple[When, ...]
    line: int


def read_merge(cursor: Cursor) -> Merge:
    """Return the MERGE that the cursor's statement is; ``head.read_head`` looked at the table that it names.

    Raises:
        UnreadConstruct: a part is not read, or could never apply.
    """
    begin = cursor.until("MERGE")
    into = begin.moved(2)
    while into.word(1) == ".":
        into = into.moved(2)
    alias, using = _alias(into.moved(1))
    if using.word() != "USING":
        raise using.wrong(
            UnreadConstruct, f"USING is expected here, not {using.said}", fix="write using (select …) as s"
        )
    source = using.moved(1)
    on = source.until("ON", "USING")
    whens = on.until("WHEN")
    if on.word() not in ("ON", "USING") or whens.word() != "WHEN":
        raise on.wrong(UnreadConstruct, "ON and a WHEN are expected here", fix="write on …, and when matched then …")
    line, _ = begin.text.place(begin.start)
    return Merge(
        ctes=_piece(cursor, begin) if cursor.at != begin.at else None,
        alias=alias,
        source=_piece(source, on),
        joined=on.word().lower(),
        on=_piece(on.moved(1), whens),
        whens=tuple(_whens(whens)),
        line=line,
    )


def _alias(cursor: Cursor) -> tuple[str | None, Cursor]:
    named = cursor.after("AS") or cursor
    return (None, named) if named.word() == "USING" else (named.said, named.moved(1))


def _piece(first: Cursor, past: Cursor) -> Piece:
    """Return the text from the one cursor up to the other."""
    if first.at >= past.at:
        raise first.wrong(UnreadConstruct, f"an expression is expected here, not {first.said}", fix="write one")
    begin, end = first.start, first.tokens[past.at - 1].end + 1
    return Piece(first.text.pipeline.sql[begin:end], *first.text.place(begin))


def _whens(cursor: Cursor) -> Iterator[When]:
    always: set[Side] = set()
    while cursor.at < len(cursor.tokens):
        when, past = _when(cursor)
        if when.side in always:
            problem = f"an earlier {when.side.value} without a condition applies first, so that this never does"
            raise cursor.wrong(UnreadConstruct, problem, fix="give it AND and a condition, or take this one out")
        if when.condition is None:
            always.add(when.side)
        yield when
        cursor = past


SIDES = (
    (("WHEN", "MATCHED"), Side.BOTH),
    (("WHEN", "NOT", "MATCHED", "BY", "SOURCE"), Side.TARGET),
    (("WHEN", "NOT", "MATCHED", "BY", "TARGET"), Side.SOURCE),
    (("WHEN", "NOT", "MATCHED"), Side.SOURCE),
)


def _when(cursor: Cursor) -> tuple[When, Cursor]:
    side, past = next(((side, past) for words, side in SIDES if (past := cursor.after(*words))), (None, cursor))
    then = past.until("THEN")
    if side is None or then.word() != "THEN" or (then.at != past.at and past.word() != "AND"):
        fix = "write when [not] matched [by source] [and …] then …"
        raise past.wrong(UnreadConstruct, f"this is no WHEN of a MERGE that is read: {past.said}", fix=fix)
    condition = _piece(past.moved(1), then) if then.at != past.at else None
    action = then.moved(1)
    end = action.until("WHEN", "RETURNING")
    act = _act(action, side)
    place = cursor.text.place(cursor.start)
    columns, values, whole = _written(action.moved(1), end, act, side)
    if end.word() == "RETURNING":
        fix = "leave it out: a run gives no rows back"
        raise end.wrong(UnreadConstruct, "RETURNING is not read", fix=fix, clause="RETURNING")
    return When(side, condition, act, *place, columns, values, whole), end


def _act(action: Cursor, side: Side) -> Act:
    word = "DO NOTHING" if action.after("DO", "NOTHING") else action.word()
    act = next((it for it in ALLOWED[side] if it.value == word), None)
    if act is None:
        said = ", ".join(it.value for it in ALLOWED[side])
        problem = f"{side.value} THEN {word or action.said} is not read"
        raise action.wrong(UnreadConstruct, problem, fix=f"write one of {said}", clause=side.value)
    return act


Written = tuple[tuple[str, ...], tuple[Piece, ...], Whole | None]


def _written(cursor: Cursor, end: Cursor, act: Act, side: Side) -> Written:
    """Return the columns and values of what stands behind the action's word."""
    if act in (Act.DELETE, Act.NOTHING):
        past = cursor.moved(1) if act is Act.NOTHING else cursor
        if past.at != end.at:
            raise past.wrong(UnreadConstruct, f"WHEN or the end is expected here, not {past.said}", fix="take it out")
        return (), (), None
    whole = _whole(cursor, end, act)
    if whole is None:
        return _set(cursor, end) if act is Act.UPDATE else _values(cursor, end)
    if side is Side.TARGET:
        fix = "write update set column = …: no row of the source is there"
        raise cursor.wrong(UnreadConstruct, "an UPDATE of rows that the source has not lists its columns", fix=fix)
    return (), (), whole


WHOLES = (
    (("SET", "*"), Whole.STAR),
    (("*",), Whole.STAR),
    (("BY", "NAME"), Whole.NAME),
    (("BY", "POSITION"), Whole.POSITION),
    ((), Whole.STAR),
)


def _whole(cursor: Cursor, end: Cursor, act: Act) -> Whole | None:
    for words, whole in WHOLES:
        past = cursor.after(*words)
        if past and past.at == end.at:
            if act is Act.UPDATE and whole is not Whole.STAR:
                fix = "list the columns: update set a = s.a, …"
                raise cursor.wrong(UnreadConstruct, f"UPDATE {whole.value} is not read", fix=fix, clause=whole.value)
            return whole
    if cursor.after("DEFAULT", "VALUES"):
        raise _default(cursor)
    return None


def _set(cursor: Cursor, end: Cursor) -> Written:
    """Return what SET assigns."""
    at = cursor.after("SET")
    if at is None:
        raise cursor.wrong(UnreadConstruct, f"SET is expected here, not {cursor.said}", fix="write update set a = …")
    columns: list[str] = []
    values: list[Piece] = []
    while at.at < end.at:
        if at.word(1) != "=":
            fix = "write each column by its name alone: update set a = …, b = …"
            raise at.wrong(UnreadConstruct, f"SET of {at.said} is not read", fix=fix, clause="SET")
        columns.append(at.said)
        past = at.moved(2).until(",", "WHEN", "RETURNING")
        values.append(_value(at.moved(2), past))
        at = past.after(",") or past
    return _once(cursor, columns), tuple(values), None


def _values(cursor: Cursor, end: Cursor) -> Written:
    """Return what an INSERT of values writes."""
    columns: tuple[str, ...] = ()
    at = cursor
    if at.word() == "(":
        columns, at = names(at.moved(1))
    opened = at.after("VALUES", "(")
    if opened is None:
        raise at.wrong(UnreadConstruct, f"VALUES is expected here, not {at.said}", fix="write values (…)")
    values: list[Piece] = []
    at = opened
    while at.word(-1) != ")":
        past = at.until(",", ")")
        values.append(_value(at, past))
        at = past.moved(1)
    if at.at != end.at:
        raise at.wrong(UnreadConstruct, f"WHEN or the end is expected here, not {at.said}", fix="insert one row")
    return _once(cursor, columns), tuple(values), None


def _value(first: Cursor, past: Cursor) -> Piece:
    if first.word() == "DEFAULT" and past.at == first.at + 1:
        raise _default(first)
    return _piece(first, past)


def _default(at: Cursor) -> LineageError:
    fix = "write the value itself, or null"
    return at.wrong(UnreadConstruct, "DEFAULT is not read: these tables have none", fix=fix, clause="DEFAULT")


def _once(cursor: Cursor, columns: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for name in columns:
        if name.lower() in found:
            raise cursor.wrong(UnreadConstruct, f"{name} is written twice", fix="write each column once")
        found[name.lower()] = name
    return tuple(found.values())
