"""A template's syntax tree, changed: each step is counted, and what is written says which line wrote it.

Marks stand only where text goes straight to the result. In a macro, a filter or a ``set`` block the text is a value
first, which the template may measure or cut: what it writes bears the mark of the place that writes the value.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from jinja2 import nodes
from jinja2.exceptions import TemplateSyntaxError
from jinja2.visitor import NodeTransformer

MARK = "\0"
"""What a mark begins and ends with; no text and no value of a template has it."""

REFUSED: Mapping[type[nodes.Node], str] = {
    nodes.Extends: "extends",
    nodes.Block: "block",
    nodes.EvalContextModifier: "autoescape",
    nodes.ScopedEvalContextModifier: "autoescape",
}


def bounded(tree: nodes.Template) -> nodes.Template:
    """Return ``tree`` with each step counted by the environment's ``tick``, and values looked at by its ``kept``.

    Raises:
        TemplateSyntaxError: it has a statement that is not available.
    """
    _Bounds().visit(tree)
    return tree


def marked(tree: nodes.Template) -> nodes.Template:
    """Return ``tree`` with a mark of its line before everything that is written.

    A mark is ``MARK d line line MARK`` for the template's own text, whose further lines follow it, and ``MARK f first
    last MARK`` for what was written by the template's lines from first to last.
    """
    tree.body = [*_marked(tree.body)]
    return tree


class _Bounds(NodeTransformer):
    """Statements get a tick before them; expressions that make or pass over much are looked at."""

    def visit(self, node: nodes.Node, *_args: Any, **_kwargs: Any) -> Any:
        """Change what is inside of ``node`` and then itself."""
        if type(node) in REFUSED:
            problem = f"{REFUSED[type(node)]} is not available: macros and include are"
            raise TemplateSyntaxError(problem, node.lineno, None, None)
        self.generic_visit(node)
        change = _CHANGES.get(type(node))
        return change(node) if change else node


def _written(node: Any) -> list[nodes.Node]:
    return [_tick(node, sum(len(it.data) for it in node.nodes if isinstance(it, nodes.TemplateData))), node]


def _loop(node: Any) -> nodes.Node:
    if node.test is not None:
        node.test = nodes.And(_call("tick", node, nodes.Const(0)), node.test, lineno=node.lineno)
    return _repeated(node)


def _repeated(node: Any) -> nodes.Node:
    node.body.insert(0, _tick(node, 0))
    return node  # type: ignore[no-any-return]  # a node of any class that has a body


def _loaded(node: Any) -> list[nodes.Node]:
    return [_tick(node, 0), node]


def _kept(node: Any) -> nodes.Node:
    return _call("kept", node, node)


def _kept_tuple(node: Any) -> nodes.Node:
    # one that is assigned to is no value
    return _kept(node) if node.ctx == "load" else node


def _joined(node: Any) -> nodes.Node:
    return _call("joined", node, *node.nodes)


def _compared(node: Any) -> nodes.Node:
    node.expr = _kept(node.expr)
    for operand in node.ops:
        operand.expr = _kept(operand.expr)
    return node  # type: ignore[no-any-return]  # a Compare


def _tested(node: Any) -> nodes.Node:
    node.node = _kept(node.node)
    return node  # type: ignore[no-any-return]  # a Test or a Getitem


def _item(node: Any) -> nodes.Node:
    return _tested(node) if isinstance(node.arg, nodes.Slice) else node


_CHANGES: Mapping[type[nodes.Node], Callable[[Any], nodes.Node | list[nodes.Node]]] = {
    nodes.Output: _written,
    nodes.For: _loop,
    nodes.Macro: _repeated,
    nodes.CallBlock: _repeated,
    nodes.Include: _loaded,
    nodes.Import: _loaded,
    nodes.FromImport: _loaded,
    nodes.List: _kept,
    nodes.Dict: _kept,
    nodes.Tuple: _kept_tuple,
    nodes.Concat: _joined,
    nodes.Compare: _compared,
    nodes.Test: _tested,
    nodes.Getitem: _item,
}
"""What becomes of each kind of syntax."""


def _tick(node: nodes.Node, characters: int) -> nodes.Node:
    return nodes.ExprStmt(_call("tick", node, nodes.Const(characters)), lineno=node.lineno)


def _call(name: str, at: nodes.Node, *args: nodes.Expr) -> nodes.Expr:
    # by the environment's attribute, which no name of a template can hide
    asked = nodes.EnvironmentAttribute(name, lineno=at.lineno)
    return nodes.Call(asked, [*args], [], None, None, lineno=at.lineno)


def _marked(body: Iterable[Any]) -> Iterator[Any]:
    for node in body:
        if isinstance(node, nodes.Output):
            node.nodes = [it for one in node.nodes for it in (_mark_of(one), one)]
        elif isinstance(node, nodes.With | nodes.Scope):
            node.body = [*_marked(node.body)]
        elif isinstance(node, nodes.If) or (isinstance(node, nodes.For) and not node.recursive):
            node.body, node.else_ = [*_marked(node.body)], [*_marked(node.else_)]
            if isinstance(node, nodes.If):
                node.elif_ = [*_marked(node.elif_)]
        elif isinstance(node, nodes.For | nodes.CallBlock | nodes.FilterBlock | nodes.Include):
            yield nodes.Output([_mark_of(node)], lineno=node.lineno)
        yield node


def _mark_of(node: nodes.Node) -> nodes.Expr:
    own = isinstance(node, nodes.TemplateData)
    inside = [node, *([] if own else node.find_all(nodes.Node))]
    last = max(it.lineno + (it.data.count("\n") if isinstance(it, nodes.TemplateData) else 0) for it in inside)
    first = min(it.lineno for it in inside)
    text = f"{MARK}d {first} {first}{MARK}" if own else f"{MARK}f {first} {last}{MARK}"
    return nodes.TemplateData(text, lineno=node.lineno)
