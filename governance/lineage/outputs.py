"""What the statements of a script wrote so far, and what is left as lineage in the end."""

from collections.abc import Callable, Sequence

from sqlglot import exp

from governance.lineage.columns import Column, ListedColumns, Query, TableColumns
from governance.lineage.edges import IDENTITY, Deps, add
from governance.lineage.model import ColumnLineage, OutputField
from governance.lineage.naming import output_name
from governance.lineage.session import Made, Session
from governance.lineage.target import Effect
from governance.lineage.write import together


class Outputs:
    """What the statements wrote so far, in order of first writing."""

    def __init__(self, session: Session) -> None:
        """Begin with nothing; ``passing`` says that the script drops again what the statement at hand makes."""
        self.session = session
        self.effects: list[Effect] = []
        self.passing = False

    def take(self, effect: Effect, tree: exp.Expr, *, temporary: bool) -> None:
        """Count one effect: into a temporary relation, or into the lineage of its output."""
        session, name = self.session, effect.output
        if name is None:
            self.effects.append(effect)
            return
        made = session.made.get(name.lower())
        if temporary or (made is not None and made.query is not None and made.temporary):
            query = effect.query if effect.replaces or made is None else _grown(made, effect.query)
            session.made[name.lower()] = Made(name, ListedColumns(query.columns), query, temporary=True)
            session.used.discard(name.lower())
            return
        self._persist(effect, made)
        if is_view(tree):
            session.made[name.lower()] = Made(name, ListedColumns(effect.query.columns), effect.query)
        elif effect.replaces and not name.startswith(("file:", "@")):
            session.made[name.lower()] = Made(name, stored(name, effect.query.columns, session))

    def _persist(self, effect: Effect, made: Made | None) -> None:
        """An effect on a table that was written before joins it; a new table under an old name takes its place."""
        del made
        for number, earlier in enumerate(self.effects):
            if earlier.output == effect.output:
                self.effects[number] = effect if effect.replaces else _joined(earlier, effect)
                return
        self.effects.append(effect)

    def rename(self, old: str, new: str) -> None:
        """Give a table its new name, in the lineage as well."""
        self.effects = [effect for effect in self.effects if effect.output != new]
        self.effects = [e._replace(output=new) if e.output == old else e for e in self.effects]
        made = self.session.made.pop(old.lower(), None)
        if made is not None:
            columns = made.columns if made.query is not None else stored(new, made.columns.all() or (), self.session)
            self.session.made[new.lower()] = Made(new, columns, made.query, temporary=made.temporary)

    def alter(self, name: str, change: Callable[[list[Column]], list[Column]]) -> None:
        """Change the columns of an output as ALTER TABLE changed the table."""
        for number, effect in enumerate(self.effects):
            if effect.output == name:
                query = effect.query._replace(columns=change(list(effect.query.columns)))
                self.effects[number] = effect._replace(query=query)

    def lineages(self) -> tuple[ColumnLineage, ...]:
        """Return the lineage of every output; a temporary table that nothing read is the result of its script."""
        made = self.session.made.items()
        unread = [
            Effect(m.name, m.query) for key, m in made if m.temporary and m.query and key not in self.session.used
        ]
        effects = [*self.effects, *(effect for effect in unread if effect.query.inputs or not self.effects)]
        return tuple(_lineage(effect, self.session) for effect in effects)


def _lineage(effect: Effect, session: Session) -> ColumnLineage:
    show = session.show
    fields = tuple([OutputField(output_name(c, session), show(c.deps)) for c in effect.query.columns])
    return ColumnLineage(effect.output, fields, show(effect.query.rows), tuple(sorted(effect.query.inputs)))


def _joined(one: Effect, other: Effect) -> Effect:
    rows: Deps = dict(one.query.rows)
    add(rows, other.query.rows, IDENTITY)
    columns = together([one.query.columns, other.query.columns])
    return one._replace(query=Query(columns, rows, one.query.inputs | other.query.inputs))


def _grown(made: Made, query: Query) -> Query:
    """A temporary table after one more INSERT, UPDATE, MERGE or DELETE: what its columns had and what they get."""
    before = made.query or Query([])
    return _joined(Effect(None, before), Effect(None, query)).query


def stored(name: str, columns: Sequence[Column], session: Session) -> TableColumns:
    """Return the columns of a table that the script made, as later statements find them."""
    return TableColumns(name, {column.name: column.type for column in columns}, session.rules)


def is_view(tree: exp.Expr) -> bool:
    """Tell whether a statement creates a view."""
    return tree.__class__ is exp.Create and (tree.args.get("kind") or "").upper() == "VIEW"
