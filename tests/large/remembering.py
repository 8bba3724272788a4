"""A project at hand and a memory that counts what it has to read."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from bench.large_project import write_project
from bench.large_tables import tables
from governance.lineage.model import ColumnLineage
from governance.load import load_pipelines
from governance.pipeline import Pipeline
from governance.policy import load_policy, load_sources
from governance.project import Project, project_at
from governance.remembered import open_memory
from governance.statement import Program, Statement, read_program
from governance.statement.reading import PLAIN, Reading, Schemas


@dataclass(frozen=True, slots=True)
class Read:
    """What one load read anew: tables parsed and tables traced, each with how often."""

    parsed: Counter[str] = field(default_factory=Counter)
    traced: Counter[str] = field(default_factory=Counter)

    def reading(self) -> Reading:
        def parse(pipeline: Pipeline) -> Statement:
            self.parsed[pipeline.table] += 1
            return PLAIN.parse(pipeline)

        def trace(statement: Statement, schema: Schemas, *, masking_functions: frozenset[str]) -> ColumnLineage:
            self.traced[statement.pipeline.table] += 1
            return PLAIN.trace(statement, schema, masking_functions=masking_functions)

        return Reading(parse, trace)


def large(root: Path, pipelines: int, seed: int = 1) -> Project:
    write_project(root, tables(pipelines, seed))
    return project_at(root)


def loaded(project: Project, *, masking: frozenset[str] = frozenset()) -> tuple[Program, Read]:
    """Load by a memory of its own, as a new process does, and keep it."""
    assert project.cache
    memory, read = open_memory(project.cache), Read()
    program = _program(project, memory.reading(read.reading()), masking)
    memory.keep()
    return program, read


def plain(project: Project, *, masking: frozenset[str] = frozenset()) -> Program:
    return _program(project, PLAIN, masking)


def read_by(project: Project, reading: Reading) -> Program:
    return _program(project, reading, frozenset())


def _program(project: Project, reading: Reading, masking: frozenset[str]) -> Program:
    policy = load_policy(project)
    masking = masking | policy.lineage.masking_functions
    return read_program(load_pipelines(project), load_sources(project), masking_functions=masking, reading=reading)
