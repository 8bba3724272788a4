"""What an INSERT or a MERGE may read of files: it takes each once, and so must not need a file beside new ones."""

from collections.abc import Iterator, Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from governance.errors import UnreadConstruct
from governance.statement.files import file_reads
from governance.statement.parts import parts_of
from governance.statement.reads import named_in
from governance.statement.text import Text
from governance.statement.through import reached


def require_one_dataset(text: Text, query: exp.Expr, tokens: Sequence[Token]) -> None:
    """Raise UnreadConstruct where rows are made of two datasets of files; branches of a UNION may have one each.

    A later run would join the new files of the one with none of the other, and take them all the same. A MERGE must
    not act on what is not in its source either: a row of a file that it took before is not in the new ones.
    """
    start = tokens[0].start
    if isinstance(query, exp.Merge):
        _require_only_what_is_there(text, query, tokens)
    for branch in _branches(query):
        parts = parts_of(branch)
        files = file_reads(text, parts, tokens)
        reads = reached(named_in(text, parts, files, start), text.pipeline.blocks).reads
        first, *others = sorted({name.partition("#")[0] for name in reads if "/" in name}) or [""]
        if others:
            place = next((it.span[0] for it in files if it.path.partition("#")[0] == others[0]), start)
            kind = "a merge" if isinstance(query, exp.Merge) else "an insert"
            problem = f"{kind} takes each file once, and this makes rows of {first} and {others[0]}: a later run "
            problem += "has the new files of one beside none of the other"
            fix = "build a table of its own from one of them, with create table … as, and read that here"
            raise text.wrong(UnreadConstruct, place, problem, fix=fix, clause="insert")


def _require_only_what_is_there(text: Text, query: exp.Merge, tokens: Sequence[Token]) -> None:
    start, parts = tokens[0].start, parts_of(query)
    reads = reached(named_in(text, parts, file_reads(text, parts, tokens), start), text.pipeline.blocks).reads
    file = next((name for name in reads if "/" in name), None)
    if file is not None and any(when.args.get("source") for when in query.args["whens"].expressions):
        problem = f"a merge takes each file of {file} once, and what only an earlier one has would be not matched by "
        problem += "the source"
        fix = "build a table of its own from the files, with create table … as, and merge that"
        raise text.wrong(UnreadConstruct, start, problem, fix=fix, clause="merge")


def _branches(query: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the branches of a UNION, whose rows come from one of them each; anything else is one branch."""
    if isinstance(query, exp.Subquery) and not query.ctes:
        yield from _branches(query.this)
    elif isinstance(query, exp.Union) and not query.ctes:
        yield from _branches(query.this)
        yield from _branches(query.expression)
    else:
        yield query
