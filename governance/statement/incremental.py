"""What an INSERT may read of files: it takes each once, and so must not need a file again beside those that are new."""

from collections.abc import Iterator, Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from governance.errors import UnreadConstruct
from governance.statement.files import file_reads
from governance.statement.reads import named_in
from governance.statement.text import Text
from governance.statement.through import reached


def require_one_dataset(text: Text, query: exp.Expr, tokens: Sequence[Token]) -> None:
    """Raise UnreadConstruct where rows are made of two datasets of files; branches of a UNION may have one each.

    A later run would join the new files of the one with none of the other, and take them all the same.
    """
    start = tokens[0].start
    for branch in _branches(query):
        files = file_reads(text, branch, tokens)
        reads = reached(named_in(text, branch, files, start), text.pipeline.blocks).reads
        first, *others = sorted({name.partition("#")[0] for name in reads if "/" in name}) or [""]
        if others:
            place = next((it.span[0] for it in files if it.path.partition("#")[0] == others[0]), start)
            problem = f"an insert takes each file once, and this makes rows of {first} and {others[0]}: a later run "
            problem += "has the new files of one beside none of the other"
            fix = "build a table of its own from one of them, with create table … as, and read that here"
            raise text.wrong(UnreadConstruct, place, problem, fix=fix, clause="insert")


def _branches(query: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the branches of a UNION, whose rows come from one of them each; anything else is one branch."""
    if isinstance(query, exp.Subquery) and not query.ctes:
        yield from _branches(query.this)
    elif isinstance(query, exp.Union) and not query.ctes:
        yield from _branches(query.this)
        yield from _branches(query.expression)
    else:
        yield query
