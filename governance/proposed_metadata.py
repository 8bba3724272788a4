"""Proposals written into ``metadata.toml`` for review: comments and layout stay, and no class is lowered."""

from collections.abc import Mapping, MutableMapping
from typing import Any

import tomlkit
from tomlkit import TOMLDocument
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable, Table

from governance.classification import Proposal, declared
from governance.dataset import Field
from governance.errors import PolicyError
from governance.policy import Policy
from governance.toml_key import toml_column, toml_key, toml_table


def changes(proposals: Mapping[Field, Proposal], policy: Policy) -> Mapping[Field, str]:
    """Return the class to declare for each column that is declared none or less, of tables the policy speaks of.

    Of a declared and a proposed class that do not compare it is the one above both.
    """
    lattice = policy.lineage.lattice
    found: dict[Field, str] = {}
    for field, proposal in proposals.items():
        said = declared(policy, field)
        wanted = lattice.strictest((said, proposal.classification))
        if field.dataset.namespace == policy.lineage.namespace and wanted and wanted != said:
            found[field] = wanted
    return found


def written(text: str, proposals: Mapping[Field, Proposal], policy: Policy, file: str) -> str:
    """Return ``text``, the content of ``file``, with every proposal that says more than is declared.

    A column without class gets the proposed one, a column declared lower is raised to it; each line that changes says
    in a comment what decided it. Where nothing changes the text is the same to the byte.

    Raises:
        PolicyError: the text is not TOML, or has something else where a table or a column should be.
    """
    try:
        document = tomlkit.parse(text)
    except TOMLKitError as error:
        raise PolicyError(file, "", f"it is not TOML: {error}", fix="mend the syntax at that place") from error
    for field, classification in changes(proposals, policy).items():
        _declare(document, field, classification, proposals[field].reason or "from no column", file)
    return tomlkit.dumps(document)


def _declare(document: TOMLDocument, field: Field, wanted: str, reason: str, file: str) -> None:
    table = _table(document, field.dataset.name, file)
    why = f"proposed {reason}"
    columns = table.get("columns", {})
    if not isinstance(columns, MutableMapping):
        place = f"{toml_key(field.dataset.name)}.columns"
        raise PolicyError(file, place, "a table is expected", fix="write columns.name = { … }")
    column = columns.get(field.name)
    if column is None:
        _add(table, field.name, _inline(f'{{ classification = "{wanted}" }}', why))
    elif isinstance(column, InlineTable) and "classification" not in column:
        members = column.as_string().strip()[1:].strip()
        both = f'{{ classification = "{wanted}"{"," if column else ""} {members}'
        columns[field.name] = _inline(both, _noted(column, why))
    elif isinstance(column, (InlineTable, Table)):
        column["classification"] = wanted
        column.comment(_noted(column, why))
        column.trivia.comment_ws = " "
    else:
        place = f"{toml_key(field.dataset.name)}.{toml_column(field.name)}"
        raise PolicyError(file, place, "a table is expected", fix="write { classification = … }")


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
    item.comment(comment)
    return item


def _noted(column: InlineTable | Table, why: str) -> str:
    """Return the comment that the line has, with what decided added once."""
    comment = column.trivia.comment.lstrip("# ")
    return comment if why in comment else "; ".join(part for part in (comment, why) if part)
