"""Pipelines → Statements in dependency order, and a statement's lineage; what is read, and what is refused by name."""

from governance.statement.model import Kind, Statement
from governance.statement.order import ordered
from governance.statement.parse import parse
from governance.statement.program import EMPTY, Program, read_program
from governance.statement.trace import explain, trace

__all__ = ["EMPTY", "Kind", "Program", "Statement", "explain", "ordered", "parse", "read_program", "trace"]
