"""Proposals written into ``metadata.toml`` for review: comments and layout stay, and no class is lowered."""

import tomllib
from collections.abc import Mapping, MutableMapping
from typing import Any

import tomlkit
from tomlkit import TOMLDocument
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable, Item, String, Table

from governance.classification import Proposal, declared
from governance.dataset import Field
from governance.errors import PolicyError
from governance.policy import Policy
from governance.report.table import plain
from governance.toml_key import quoted, toml_column, toml_key, toml_table

PROPOSED = "proposed "
"""How the comment of a line begins that a proposal wrote."""


def changes(proposals: Mapping[Field, Proposal], policy: Policy) -> Mapping[Field, str]:
    """Return the class to declare for each column that is declared none or less, of tables the policy speaks of.

    Of a declared and a proposed class that do not compare it is the one above both.
    """
    lattice = policy.lineage.lattice
    found: dict[Field, str] = {}
    for field, proposal in proposals.items():
        said = declared(policy, field)
        wanted = lattice.strictest((said, proposal.classification))
        if policy.lineage.owns(field.dataset) and wanted and wanted != said:
            found[field] = wanted
    return found


def written(text: str, proposals: Mapping[Field, Proposal], policy: Policy, file: str) -> str:
    """Return ``text``, the content of ``file``, with every proposal that says more than is declared.

    A column without class gets the proposed one, a column declared lower is raised to it; each line that changes says
    in a comment what decided it. Where nothing changes the text is the same to the byte; lines keep the ends they have.

    Raises:
        PolicyError: the text is not TOML, has something else where a table or a column should be, or is laid out so
            that an edit would make something else of it.
    """
    wanted = changes(proposals, policy)
    # the parser gives the lines that it adds the end "\n"
    carriage = text.count("\r\n") == text.count("\n") > 0
    before = _parsed(text, file)
    try:
        document = tomlkit.parse(text.replace("\r\n", "\n") if carriage else text)
        for field, classification in wanted.items():
            _declare(document, field, classification, proposals[field].reason, file)
        edited = tomlkit.dumps(document)
    except TOMLKitError as error:
        raise _unedited(file, f"it cannot be edited: {error}") from error
    _require_said(edited, before, wanted, file)
    return edited.replace("\n", "\r\n") if carriage else edited


def lapsed(text: str, proposals: Mapping[Field, Proposal], policy: Policy) -> Mapping[Field, str]:
    """Return the reason written beside each class that is declared by a proposal and that lineage no longer proposes.

    Nothing else tells a class that was once derived from one that a person declared by hand: both stay as declared.
    ``text`` is ``metadata.toml``, which the policy was read from.
    """
    if PROPOSED not in text:
        return {}
    lattice = policy.lineage.lattice
    document = tomlkit.parse(text)
    found: dict[Field, str] = {}
    for field, proposal in proposals.items():
        said, given = declared(policy, field), proposal.classification
        if said and given != said and (given is None or lattice.lower(given, said)):
            reason = _reason_beside(document, field)
            if reason:
                found[field] = reason
    return found


def _reason_beside(document: TOMLDocument, field: Field) -> str:
    table = document.get(field.dataset.name, {})
    columns = table.get("columns", {}) if isinstance(table, MutableMapping) else {}
    column = columns.get(field.name) if isinstance(columns, MutableMapping) else None
    if isinstance(columns, InlineTable):
        return _reason_in(columns, f"{field.name}: {PROPOSED}")
    written = column
    if isinstance(column, MutableMapping) and not isinstance(column, InlineTable):
        written = column.get("classification")
    return _reason_in(written, PROPOSED) if isinstance(written, Item) else ""


def _reason_in(item: Item, mark: str) -> str:
    """Return the last of the reasons in the comment of ``item``, where they are added, after ``mark``."""
    reasons = [part for part in item.trivia.comment.lstrip("# ").split("; ") if part.startswith(mark)]
    return reasons[-1].removeprefix(mark) if reasons else ""


def _parsed(text: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(file, "", f"it is not TOML: {error}", fix="mend the syntax at that place") from error


def _unedited(file: str, problem: str) -> PolicyError:
    return PolicyError(file, "", problem, fix="write its columns as columns.name = { classification = … } lines")


def _require_said(edited: str, before: dict[str, Any], wanted: Mapping[Field, str], file: str) -> None:
    """Check that the text says what was said before and the new classes, nothing else: a broken file stops everyone."""
    for field, classification in wanted.items():
        columns = before.setdefault(field.dataset.name, {}).setdefault("columns", {})
        columns.setdefault(field.name, {})["classification"] = classification
    try:
        said = tomllib.loads(edited)
    except tomllib.TOMLDecodeError as error:
        raise _unedited(file, f"its layout cannot be edited, the proposals would make it no TOML: {error}") from error
    if said != before:
        raise _unedited(file, "its layout cannot be edited, the proposals would change what else it says")


def _declare(document: TOMLDocument, field: Field, wanted: str, reason: str, file: str) -> None:
    table = _table(document, field.dataset.name, file)
    why = plain(f"{PROPOSED}{reason}")
    columns = table.get("columns", {})
    if not isinstance(columns, MutableMapping):
        place = f"{toml_key(field.dataset.name)}.columns"
        raise PolicyError(file, place, "a table is expected", fix="write columns.name = { … }")
    column = columns.get(field.name)
    if isinstance(columns, InlineTable):
        # the whole line is one value, so its only comment stands behind all of it
        columns[field.name] = _inline(_members(wanted, column), "")
        _note(columns, f"{field.name}: {why}")
    elif column is None:
        _add(table, field.name, _inline(_members(wanted, None), why))
    elif isinstance(column, InlineTable) and "classification" not in column:
        columns[field.name] = _inline(_members(wanted, column), _noted(column, why))
    elif isinstance(column, InlineTable):
        column["classification"] = wanted
        _note(column, why)
    elif isinstance(column, MutableMapping):
        column["classification"] = _text(wanted, column.get("classification"), why)
    else:
        place = f"{toml_key(field.dataset.name)}.{toml_column(field.name)}"
        raise PolicyError(file, place, "a table is expected", fix="write { classification = … }")


def _members(wanted: str, column: object) -> str:
    """Return an inline table with ``wanted`` as class and the other members of ``column`` as they are written."""
    if not isinstance(column, InlineTable):
        return f"{{ classification = {quoted(wanted)} }}"
    if "classification" not in column:
        members = column.as_string().strip()[1:].strip()
        return f"{{ classification = {quoted(wanted)}{',' if column else ''} {members}"
    column["classification"] = wanted
    return column.as_string().strip()


def _table(document: TOMLDocument, name: str, file: str) -> Table:
    if name not in document:
        document.append(tomlkit.key(name), tomlkit.table())
    table = document[name]
    if not isinstance(table, Table):
        raise PolicyError(file, name, "a table is expected", fix=f"write {toml_table(name)}")
    return table


def _add(table: Table, name: str, column: InlineTable) -> None:
    if "columns" in table and not _dotted(table):
        columns: Any = table["columns"]
        columns[name] = column
        return
    # the comment above the next table is this one's last line to the parser: the column goes before it
    body = table.value.body
    trailing = []
    while body and body[-1][0] is None:
        trailing.append(body.pop())
    table.append(tomlkit.key(["columns", name]), column)
    body.extend(reversed(trailing))


def _dotted(table: Table) -> bool:
    """Whether columns are written as ``columns.name = { … }`` lines."""
    return any(key is not None and key.is_dotted() for key, _ in table.value.body)


def _inline(text: str, comment: str) -> InlineTable:
    item = tomlkit.parse(f"it = {text}\n")["it"]
    if not isinstance(item, InlineTable):
        raise TypeError("an inline table parses as one")
    if comment:
        item.comment(comment)
    return item


def _text(wanted: str, before: object, why: str) -> String:
    item = tomlkit.string(wanted)
    item.comment(_noted(before, why) if isinstance(before, Item) else why)
    return item


def _note(item: Item, why: str) -> None:
    item.comment(_noted(item, why))
    item.trivia.comment_ws = " "


def _noted(item: Item, why: str) -> str:
    """Return the comment that the line has, with what decided added once."""
    comment = item.trivia.comment.lstrip("# ")
    return comment if why in comment else "; ".join(part for part in (comment, why) if part)
