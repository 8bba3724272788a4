"""MERGE statements drawn at random, over a table and a source with NULLs and duplicates."""

from dataclasses import dataclass

from hypothesis import strategies as st

COLUMNS = {"id": "integer", "order": "bigint", "a b": "varchar", "x": "decimal(6, 2)"}
NAMES = ["id", '"order"', '"a b"', "x"]
CREATE = f"({', '.join(f'{name} {kind}' for name, kind in zip(NAMES, COLUMNS.values(), strict=True))})"

KEYS = st.sampled_from([1, 1, 1, 2, 2, 3, None])
SMALL = st.sampled_from([1, 2, 3, None])
ROWS = st.lists(
    st.tuples(KEYS, SMALL, st.sampled_from([None, "", "it's", "n"]), st.sampled_from([None, "0.50", "7.25"])),
    min_size=1,
    max_size=6,
)

ON = st.sampled_from([
    "on t.id = s.id",
    'on (t.id = s.id and t."order" = s."order")',
    "on t.id is not distinct from s.id",
    "on t.id < s.id",
    "on t.id = s.id or s.x > 1",
    'on t.id = s.id and exists (select 1 from m.t k where k.id = s.id and k."order" > t."order")',
    "on false",
    "using (id)",
    'using (id, "a b")',
])  # fmt: skip
EQUAL = st.just("on t.id = s.id")
SOURCE = st.sampled_from([
    "s.u as s",
    "s.u s",
    "(select * from s.u) as s",
    '(from s.u where id > 0) as s(id, "order", "a b", x)',
    '(select id, max("order") as "order", max("a b") as "a b", sum(x) as x from s.u group by id) s',
    '(select id, "order" + 1 as "order", "a b", x from m.t) as s',
    "given as s",
])  # fmt: skip
BOTH = st.sampled_from([
    "t.x < s.x",
    's.x is null\n  and t."order" > 0',
    'exists (select 1 from s.u k where k.id = t."order")',
    'case when s.id = 1 then t.x > 1 else s."order" > 1 end',
    "(select max(x) from m.t) > s.x",
    "s.\"a b\" = 'it''s' /* then */ -- when\n",
])  # fmt: skip
OF_SOURCE = st.sampled_from(["s.id > 1", '"order" > 0', '"a b" is null', "id in (select k.id from m.t k)"])
OF_TABLE = st.sampled_from(["t.id > 1", '"order" > 0', '"a b" is null', "id in (select k.id from s.u k)"])
VALUES = {
    "id": ["s.id", "s.id + 1", "7", 's."order"'],
    '"order"': ['s."order"', "s.x", 'coalesce(s."order", 0)', "null"],
    '"a b"': ['s."a b"', "s.\"a b\" || 'x'", "s.id", "case when s.x > 1 then 'big' end"],
    "x": ["s.x", "s.id", "s.x + 1", "(select sum(k.x) from m.t k)"],
}
KEPT = {
    "id": ["t.id + 1", "3"],
    '"order"': ["t.x", '"order" + 1'],
    '"a b"': ["'gone'", 'upper(t."a b")'],
    "x": ["null", "x + 1"],
}


@dataclass(frozen=True)
class Drawn:
    """A MERGE of ``m.t``: its text, and of its WHEN MATCHED the condition and whether it changes a row."""

    sql: str
    source: str
    on: str
    matched: tuple[tuple[str, bool], ...]
    ctes: str


def some(values: dict[str, list[str]]) -> st.SearchStrategy[dict[str, str]]:
    picked = st.fixed_dictionaries({}, optional={name: st.sampled_from(them) for name, them in values.items()})
    return picked.filter(bool)


def sets(values: dict[str, list[str]]) -> st.SearchStrategy[str]:
    return some(values).map(lambda it: "update set " + ",\n ".join(f"{name} = {value}" for name, value in it.items()))


def insert(values: dict[str, str]) -> str:
    return f"insert ({', '.join(values)}) values ({', '.join(values.values())})"  # noqa: S608  # nothing of it comes from outside


MATCHED = st.one_of(
    sets(VALUES | {"x": [*VALUES["x"], "t.x * 2"]}),
    st.sampled_from(["delete", "do nothing", "update", "update set *"]),
)
INSERTED = st.one_of(
    some(VALUES).map(insert),
    st.sampled_from(["insert", "insert *", "insert by name", "insert by position", "do nothing",
                     "insert values (s.id, 1, 'n', s.x)"]),
)  # fmt: skip
UNMATCHED = st.one_of(sets(KEPT), st.sampled_from(["delete", "do nothing"]))


@st.composite
def whens(
    draw: st.DrawFn, words: str, condition: st.SearchStrategy[str], action: st.SearchStrategy[str]
) -> list[tuple[str, str, str]]:
    made = [(words, draw(condition), draw(action)) for _ in range(draw(st.integers(0, 2)))]
    return [*made, (words, "", draw(action))] if draw(st.booleans()) else made


@st.composite
def merges(draw: st.DrawFn) -> Drawn:
    source, on = draw(SOURCE), draw(EQUAL | ON)
    matched = draw(whens("when matched", BOTH, MATCHED))
    rest = draw(whens("when not matched", OF_SOURCE, INSERTED))
    gone = draw(whens("when not matched by source", OF_TABLE, UNMATCHED))
    order = draw(st.permutations([matched, rest, gone]))
    every = [it for group in order for it in group] or [("when matched", "", "do nothing")]
    clauses = "\n".join(f"{words}{' and ' + test if test else ''} then\n  {act}" for words, test, act in every)
    ctes = "with given as (select * from s.u where x is not null)\n" if source.startswith("given") else ""
    sql = f"{ctes}merge into m.t as t\nusing {source}\n{on}\n{clauses}"
    acts = tuple((test, act != "do nothing") for _, test, act in matched)
    return Drawn(sql, source, on, acts, ctes)
