"""The project's building blocks: ``platform_assets/blocks/**/*.sql``, and the files that have several datasets."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType

from governance.block import Block, BlockKind
from governance.errors import PipelineError
from governance.landing.views import file_blocks
from governance.pipeline import Pipeline
from governance.project import Project
from governance.sources import load_sources
from governance.text_file import read_text

FOLDER = "blocks"

BETWEEN = r"(?:\s|/\*.*?\*/|--[^\n]*\n)*"
"""What may stand between the tokens of a name."""


@dataclass(frozen=True, slots=True)
class Library:
    """The building blocks of a project.

    blocks: those that stand, each after those that it builds on
    broken: by name, why one does not
    """

    blocks: tuple[Block, ...]
    broken: Mapping[str, PipelineError] = field(default_factory=lambda: MappingProxyType({}))

    def named_by(self, pipeline: Pipeline) -> tuple[Block, ...]:
        """Return the blocks that the pipeline's text may name, and those that they build on, in order.

        Raises:
            PipelineError: it names one that does not stand, or a view has its table's name.
        """
        for name, error in self.broken.items():
            if _use_of(name).search(pipeline.sql):
                # the same error may be raised by every pipeline: it keeps none of their frames
                raise error.with_traceback(None)
        chosen: set[int] = set()
        waiting = [pipeline.sql] if self.blocks else []
        while waiting:
            text = waiting.pop()
            words = _words(text)
            more = {
                number
                for number, block in enumerate(self.blocks)
                if number not in chosen and _may_name(text, words, block)
            }
            chosen |= more
            waiting += (self.blocks[number].sql for number in more if self.blocks[number].kind is not BlockKind.FILE)
        return tuple(self.blocks[number] for number in sorted(chosen))


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))


def _may_name(text: str, words: frozenset[str], block: Block) -> bool:
    if block.kind is BlockKind.FILE:
        # its kinds of record come along, so that they can be told in order
        return block.name.partition("#")[0] in text
    return words.issuperset(block.name.split("."))


@lru_cache(maxsize=4096)
def _use_of(name: str) -> re.Pattern[str]:
    """Return what a use of the macro or view ``name`` looks like."""
    schema, dot, view = name.rpartition(".")
    form = rf'"?{schema}"?{BETWEEN}\.{BETWEEN}"?{view}(?!\w)' if dot else rf'{view}"?{BETWEEN}\('
    return re.compile(rf'(?<![\w"])"?{form}', re.IGNORECASE | re.DOTALL)


def load_library(project: Project, tables: frozenset[str]) -> Library:
    """Return the project's building blocks; ``tables`` are those that pipelines write.

    Raises:
        PolicyError: ``sources.toml`` is wrong.
        PipelineError: a file of blocks cannot be read, or is wrong and names none.
    """
    sources = load_sources(project) if project.sources.exists() else ()
    files = file_blocks(sources)
    texts = [*_texts(project)]
    if not texts:
        return Library(files)
    taken = {**dict.fromkeys(tables, "a pipeline"), **dict.fromkeys((it.table for it in sources), "a declared source")}
    return _library(files, texts, taken)


def _texts(project: Project) -> Iterator[tuple[str, str]]:
    """Yield name and text of each file of blocks, by their paths."""
    folder = project.root / "platform_assets" / FOLDER
    for path in sorted(folder.rglob("*.sql")):
        inside = path.resolve().is_relative_to(folder.resolve())
        if inside and path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts):
            yield project.relative(path), read_text(path, project.relative(path))


def _library(files: tuple[Block, ...], texts: Iterable[tuple[str, str]], taken: Mapping[str, str]) -> Library:
    # a project without blocks does not wait for the parser
    from governance.statement.blocks import Broken, blocks_in  # noqa: PLC0415
    from governance.statement.building import in_order  # noqa: PLC0415

    found: dict[str, Block] = {}
    broken: dict[str, PipelineError] = {}
    for block in (block for file, sql in texts for block in blocks_in(file, sql)):
        if isinstance(block, Broken):
            broken.setdefault(block.name, block.error)
        elif block.name in found:
            first = found[block.name]
            problem = f"{block.name} is a block already, in {first.file}:{first.line}"
            broken[block.name] = PipelineError(block.file, block.line, problem, fix="keep one of the two")
        elif block.name in taken:
            problem = f"{block.name} is {taken[block.name]} already"
            broken[block.name] = PipelineError(block.file, block.line, problem, fix="name the view otherwise")
        else:
            found[block.name] = block
    ordered, more = in_order([*files, *(it for it in found.values() if it.name not in broken)], broken)
    return Library(ordered, MappingProxyType({**broken, **more}))
