"""What a text reads through building blocks: which it uses, and the tables and files at the end of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from governance.block import Block, BlockKind
from governance.errors import UnreadConstruct, UnreadStatement
from governance.landing.names import in_order
from governance.lineage.prelude import functions_among
from governance.pipeline import Pipeline
from governance.statement.edits import edited
from governance.statement.files import file_reads
from governance.statement.functions import require_functions
from governance.statement.model import FileRead
from governance.statement.parameters import quoted_documents, require_no_parameters
from governance.statement.parts import Parts, parts_of
from governance.statement.reads import Named, named_in
from governance.statement.text import Text


@dataclass(frozen=True, slots=True)
class Reached:
    """What a text reaches.

    reads:  tables and datasets of files that no block stands for, in order
    blocks: the macros and views on the way, each after those that it builds on
    files:  the datasets of files that these name, in order
    """

    reads: tuple[str, ...]
    blocks: tuple[Block, ...]
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """A block that was read: its text, placed as in its file, its tokens, its body with its parts, its names."""

    text: Text
    tokens: Sequence[Token]
    body: exp.Expr
    parts: Parts
    files: tuple[FileRead, ...]
    named: Named


def reached(named: Named, blocks: tuple[Block, ...]) -> Reached:
    """Return what a text that has the names ``named`` reaches, after ``blocks``.

    Raises:
        LineageError: a block on the way cannot be read.
    """
    functions, macros = functions_of(blocks), macros_of(blocks)
    place = {block.name: number for number, block in enumerate(blocks)}
    used: dict[int, Named] = {}
    reads: set[str] = set()
    waiting = [(named, len(blocks))]
    while waiting:
        names, seen = waiting.pop()
        hit = {number for name in names.all if (number := place.get(name, seen)) < seen}
        reads |= (names.tables | names.files) - {blocks[number].name for number in hit}
        for number in hit - used.keys():
            read = read_block(blocks[number], functions)
            require_functions(read.text, read.parts, macros)
            used[number] = read.named
            # a file's view is made of the datasets themselves
            waiting.append((used[number], 0 if blocks[number].kind is BlockKind.FILE else number))
    mine = [number for number in sorted(used) if blocks[number].kind is not BlockKind.FILE]
    files = {name for number in mine for name in used[number].files}
    declared = [block.name for block in blocks if block.kind is BlockKind.FILE]
    return Reached(in_order(reads, declared), tuple(blocks[it] for it in mine), in_order(files, declared))


def functions_of(blocks: Iterable[Block]) -> frozenset[str]:
    """Return the names of the macros among ``blocks`` that sqlglot has functions of its own for."""
    return functions_among(macros_of(blocks))


def macros_of(blocks: Iterable[Block]) -> frozenset[str]:
    """Return the names of the macros among ``blocks``."""
    return frozenset(block.name for block in blocks if block.kind is BlockKind.MACRO)


@lru_cache(maxsize=4096)
def read_block(block: Block, functions: frozenset[str]) -> Read:
    """Return the block as it was read, ``functions`` of which are macros.

    Raises:
        LineageError: it cannot be read, or reads in a way that no block may, with its place in its file.
    """
    text = Text(Pipeline(block.name, block.file, "\n" * (block.line - 1) + block.sql))
    start, end = block.line - 1, len(text.pipeline.sql)
    (tokens,) = text.statements()
    tree = text.tree(start, end, functions)
    body = tree.args.get("expression")
    if not isinstance(tree, exp.Create) or not isinstance(body, exp.Expr) or isinstance(body, exp.MacroOverloads):
        fix = "write create macro … as …, once for each name, or create view … as select …"
        raise text.wrong(UnreadStatement, tokens[0].start, f"{block.name} is no macro of one body and no view", fix=fix)
    parts = parts_of(body)
    require_no_parameters(text, parts, tokens)
    files = file_reads(text, parts, tokens)
    for it in files:
        if it.options:
            fix = "declare the options in sources.toml, or read the file in the pipeline itself"
            raise text.wrong(UnreadConstruct, it.span[0], f"{it.function} with options stands in no block", fix=fix)
    return Read(text, tokens, body, parts, files, named_in(text, parts, files, start))


def runnable(block: Block, functions: frozenset[str]) -> Block:
    """Return a macro or a view as an engine runs it: a path in place of each reading function, ``$doc`` in quotes."""
    read = read_block(block, functions)
    sql = read.text.pipeline.sql
    paths = [(*it.span, _path(it.path) + "\n" * sql.count("\n", *it.span)) for it in read.files if it.function]
    edits = sorted([*paths, *quoted_documents(read.tokens)])
    return replace(block, sql=edited(sql, block.line - 1, len(sql), edits))


def _path(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
