"""One reading of a query's tree, for ``meaning``: what each relation's columns and rows are made of."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sqlglot import exp

from governance.lineage.inlining import Called, Given
from governance.lineage.rows import aggregates
from governance.statement.aggregates import aggregated
from governance.statement.clauses import ALL, CLAUSES, HIDDEN, JOIN, LISTED, LISTS, PLAIN, only_passes
from governance.statement.items import called, cast_to
from governance.statement.relations import Relation, Scope
from governance.statement.respelt import Respelt
from governance.statement.shape import Resolve, Shape, bare, sealed, shape
from governance.statement.standing import Schemas, Standing, options_of, path_of

Ctes = Mapping[str, Relation]


class Reader:
    """One reading of a query's tree; ``schemas`` by table, columns in order."""

    def __init__(self, schemas: Schemas, respelt: Respelt, standing: Standing, seen: int) -> None:
        self._schemas = schemas
        self._respelt = respelt
        self._standing = standing
        self._seen = seen
        # where the calls of macros stand, by number
        self._callers: dict[int, tuple[Scope, Ctes]] = {}

    def query(self, tree: exp.Expr, ctes: Ctes, outer: Scope | None) -> Relation:
        """Return what a query computes."""
        ctes = self._with(tree, ctes, outer)
        if isinstance(tree, exp.Subquery):
            inner = self.query(tree.this, ctes, outer)
            scope = Scope((("", inner),), outer)
            rows = self._clauses(tree, scope, ctes, ())
            return Relation(inner.columns, (inner.rows, rows) if rows else inner.rows, inner.open, inner.types)
        if isinstance(tree, exp.SetOperation):
            return self._set_operation(tree, ctes, outer)
        if isinstance(tree, exp.Select):
            return self._select(tree, ctes, outer)
        return Relation((), ("as written", self._shape(tree, Scope((), outer), ctes)), open=True)

    def _with(self, tree: exp.Expr, ctes: Ctes, outer: Scope | None) -> Ctes:
        clause = tree.args.get("with_")
        if clause is None:
            return ctes
        known = dict(ctes)
        for cte in clause.expressions:
            name = cte.alias.lower()
            if clause.recursive:
                # what it reads of itself is told by what it reads of others, and by its text
                known[name] = Relation((), ("itself",), open=True)
            names = [it.name.lower() for it in cte.args["alias"].columns]
            known[name] = self.query(cte.this, known, outer).renamed(names)
        return known

    def _set_operation(self, tree: exp.SetOperation, ctes: Ctes, outer: Scope | None) -> Relation:
        left, right = self.query(tree.left, ctes, outer), self.query(tree.right, ctes, outer)
        how = type(tree).__name__
        if tree.args.get("by_name"):
            names = dict.fromkeys(name for name, _ in (*left.columns, *right.columns))
            columns = tuple((name, (how, left.column(name), right.column(name))) for name in names)
        else:
            pairs = zip(left.columns, right.columns, strict=False)
            columns = tuple((name, (how, column, other)) for (name, column), (_, other) in pairs)
        compared = not isinstance(tree, exp.Union) or tree.args.get("distinct") or left.open or right.open
        scope = Scope((("", Relation(columns, ())),), outer)
        clauses = self._clauses(tree, scope, ctes, [column for _, column in columns])
        said = bool(tree.args.get("distinct")), bool(tree.args.get("by_name")), clauses
        rows = how, said, left.rows, right.rows, columns if compared else ()
        return Relation(columns, sealed(rows), left.open or right.open, left.types)

    def _select(self, tree: exp.Select, ctes: Ctes, outer: Scope | None) -> Relation:
        scope, sources = self._from(tree, ctes, outer)
        columns, types = self._columns(tree, scope, ctes)
        known = [column for _, column in columns]
        hidden = any(name == "*" for name, _ in columns)
        if len(scope.relations) == 1 and only_passes(tree):
            # a SELECT that takes rows as they come is as if it were not there
            return Relation(tuple(columns), sources[0][0], hidden, types)
        # whether it has one row however many it reads
        single = any(map(aggregated, tree.expressions))
        rows: Shape = ("select", sources, self._clauses(tree, scope, ctes, known), single)
        if any(item.find(exp.Unnest, exp.Explode) for item in tree.expressions):
            rows = rows, tuple(known)
        return Relation(tuple(columns), sealed(rows), hidden, types)

    def _from(self, tree: exp.Select, ctes: Ctes, outer: Scope | None) -> tuple[Scope, tuple[tuple[Shape, Shape], ...]]:
        first = tree.args.get("from_")
        scope = Scope((), outer)
        told: list[tuple[Shape, Shape]] = []
        parts: list[tuple[exp.Expr, exp.Join | None]] = [(first.this, None)] if first else []
        parts += [(join.this, join) for join in tree.args.get("joins") or ()]
        parts += [(lateral, None) for lateral in tree.args.get("laterals") or ()]
        for part, join in parts:
            relation = self._relation(part, ctes, scope)
            alias = (part.alias_or_name or "").lower()
            before, scope = scope, Scope((*scope.relations, (alias, relation)), outer)
            # how it is joined, with what it joins in scope by then
            told.append((relation.rows, self._join(join, before, scope, ctes) if join else ()))
            if join is not None and join.kind in HIDDEN:
                scope = replace(scope, hidden=scope.hidden | {len(before.relations)})
        return scope, tuple(told)

    def _join(self, join: exp.Join, before: Scope, scope: Scope, ctes: Ctes) -> Shape:
        said: list[Shape] = [join.method, join.side, "" if join.kind in PLAIN else join.kind]
        condition = join.args.get("on")
        if condition is not None and not (isinstance(condition, exp.Boolean) and condition.this):
            said.append(self._shape(condition, scope, ctes))
        using = join.args.get("using") or ()
        if using:
            joined = scope.relations[-1][1]
            said += [(joined.column(it.name.lower()), before.column(exp.column(it.name))) for it in using]
        if join.method == "NATURAL":
            said.append(tuple(relation.columns for _, relation in scope.relations))
        rest = {name: part for name, part in join.args.items() if name not in JOIN and isinstance(part, exp.Expr)}
        return *said, *((name, self._shape(part, scope, ctes)) for name, part in sorted(rest.items()))

    def _relation(self, part: exp.Expr, ctes: Ctes, scope: Scope) -> Relation:
        alias = part.args.get("alias")
        names = [it.name.lower() for it in alias.columns] if isinstance(alias, exp.TableAlias) else []
        modified = [part.args[name] for name in ("pivots", "sample", "joins") if part.args.get(name)]
        rows = self._called(part.this, scope) if isinstance(part.this, exp.Func) else None
        if rows is not None:
            base = rows
        elif isinstance(part, exp.Table) and isinstance(part.this, exp.Identifier):
            base = self._table(".".join(it.name for it in part.parts), ctes)
        elif isinstance(part, exp.Subquery):
            # only LATERAL sees what stands before it, and saying so changes nothing for one that does not look
            base = self.query(part, ctes, scope)
        else:
            return self._written(part, scope, ctes, names)
        if modified:
            said = tuple(
                self._shape(it, scope, ctes) for them in modified for it in (them if isinstance(them, list) else [them])
            )
            return Relation((), (said, base.all), open=True)
        return base.renamed(names)

    def _written(self, part: exp.Expr, scope: Scope, ctes: Ctes, names: list[str]) -> Relation:
        """Return VALUES, UNNEST and functions: what they are decides rows and values alike, not how they are called."""
        rows: Shape = "as written", bare(part, self._resolve(scope, ctes))
        columns = tuple((name, ("of", rows, at)) for at, name in enumerate(names))
        return Relation(columns, rows, open=True)

    def _called(self, call: exp.Func, scope: Scope) -> Relation | None:
        """Return what a table macro or a reading function stands for; None for any other function."""
        rows = self._standing.rows(call)
        if rows is not None:
            return self.query(rows, {}, scope)
        path = path_of(call)
        if path is None:
            return None
        base = self._table(path, {})
        read = [self._shape(it, Scope((), None), {}) for it in options_of(call)]
        return base.within(("read", tuple(sorted(read, key=repr)))) if read else base

    def _table(self, name: str, ctes: Ctes) -> Relation:
        # a file's name keeps its case
        name = name if "/" in name else name.lower()
        if name in ctes:
            return ctes[name]
        view = self._standing.view(name, self._seen)
        if view is not None:
            if name not in self._standing.read:
                reader = Reader(self._schemas, self._respelt, self._standing, view[1])
                self._standing.read[name] = reader.query(view[0], {}, None)
            return self._standing.read[name]
        schema = self._schemas.get(name)
        known = self._respelt.table(name)
        columns = tuple(
            (column.lower(), ("source", known, self._respelt.column(name, column).lower())) for column in schema or ()
        )
        kinds = {column.lower(): kind.upper() for column, kind in (schema or {}).items() if kind != "unknown"}
        return Relation(columns, ("table", known), schema is None, kinds)

    def _columns(self, tree: exp.Select, scope: Scope, ctes: Ctes) -> tuple[list[tuple[str, Shape]], dict[str, str]]:
        columns: list[tuple[str, Shape]] = []
        types: dict[str, str] = {}
        for item in tree.expressions:
            if item.is_star:
                columns += self._star(item, scope, ctes)
                types |= {name: kind for _, relation in scope.relations for name, kind in relation.types.items()}
                continue
            name = called(item)
            found = self._shape(item, scope, ctes)
            if item.find(exp.Window):
                found = found, tuple(self._shape(it, scope, ctes) for it in tree.args.get("windows") or ())
            found = sealed(found)
            columns.append((name, found))
            scope.items.setdefault(name, found)
            types[name] = cast_to(item.unalias()) or scope.kind(item.unalias())
        return columns, types

    def _star(self, item: exp.Expr, scope: Scope, ctes: Ctes) -> list[tuple[str, Shape]]:
        star = item.this if isinstance(item, exp.Column) else item
        wanted = item.table.lower() if isinstance(item, exp.Column) else ""
        if not isinstance(star, exp.Star) or any(it.open for alias, it in scope.relations if wanted in ("", alias)):
            everything = tuple(relation.all for _, relation in scope.relations)
            return [("*", (self._shape(item, scope, ctes), everything))]
        dropped = {it.name.lower() for it in star.args.get("except_") or ()}
        replaced = {it.alias.lower(): self._shape(it, scope, ctes) for it in star.args.get("replace") or ()}
        renamed = {it.this.name.lower(): it.alias.lower() for it in star.args.get("rename") or ()}
        return [
            (renamed.get(name, name), replaced.get(name, scope.placed(0, at, column)))
            for at, (alias, relation) in enumerate(scope.relations)
            if wanted in ("", alias) and at not in scope.hidden
            for name, column in relation.columns
            if name not in dropped
        ]

    def _clauses(self, tree: exp.Expr, scope: Scope, ctes: Ctes, columns: Iterable[Shape]) -> Shape:
        """Return what a query's clauses say of its rows; positions in lists mean its ``columns``."""
        own = tuple(columns)
        said: list[Shape] = []
        for name in (*CLAUSES, *LISTS):
            part = tree.args.get(name)
            if name == "group" and part is not None and part.args.get("all"):
                # GROUP BY ALL groups by what is no aggregate, as if it were listed
                keys = [it for it, item in zip(own, tree.expressions, strict=False) if not aggregates(item)]
                said.append((name, ("Group", (("expressions", tuple(keys)),))))
            elif isinstance(part, exp.Order) and any(it.this == ALL for it in part.expressions):
                said.append((name, self._shape(part, scope, ctes), own))
            elif isinstance(part, exp.Expr):
                said.append((name, self._shape(part, scope, ctes, own if name in LISTS else ())))
        return tuple(said), own if tree.args.get("distinct") else ()

    def _shape(self, part: exp.Expr, scope: Scope, ctes: Ctes, positions: tuple[Shape, ...] = ()) -> Shape:
        return shape(part, self._resolve(scope, ctes, positions))

    def _resolve(self, scope: Scope, ctes: Ctes, positions: tuple[Shape, ...] = ()) -> Resolve:
        def resolve(it: exp.Expr) -> Shape | None:
            if isinstance(it, exp.Column) and not isinstance(it.this, exp.Star):
                return scope.column(it)
            if isinstance(it, Called):
                self._callers[it.args["number"]] = scope, ctes
                return self._shape(it.this, scope, ctes)
            if isinstance(it, Given):
                return "given", self._shape(it.this, *self._callers[it.args["number"]])
            if isinstance(it, exp.Query):
                inner = self.query(it, ctes, scope)
                # what its columns are called is nobody's business here
                return "query", tuple(column for _, column in inner.columns), inner.rows
            if isinstance(it, exp.Literal) and it.is_int and isinstance(it.parent, LISTED):
                return positions[int(it.name) - 1] if 0 < int(it.name) <= len(positions) else None
            return None

        return resolve
