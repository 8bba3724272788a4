"""Jinja, closed in: no attribute of Python's, no file but the macros', and a bound on everything."""

from collections.abc import Callable, Mapping, MutableMapping
from types import CodeType
from typing import Any, NoReturn

from jinja2 import BaseLoader, Environment, StrictUndefined, TemplateNotFound
from jinja2 import Template as Compiled
from jinja2.environment import TemplateModule
from jinja2.runtime import Context, Macro
from jinja2.sandbox import SandboxedEnvironment
from jinja2.utils import Namespace, pass_context

from governance.template.budget import Budget
from governance.template.filters import METHODS, allowed_tests, bounded_filters, joined, percent
from governance.template.growth import require_binary, require_method
from governance.template.refused import Refused
from governance.template.rewrite import MARK
from governance.template.written import written

CHEAP = frozenset({"append", "clear", "get", "pop", "setdefault"})
"""Methods that look at no more than their arguments."""

EXTENSIONS = ("jinja2.ext.do", "jinja2.ext.loopcontrols")


class Loader(BaseLoader):
    """Gives the files of macros, and nothing else; ``code_of`` compiles one."""

    def __init__(self, texts: Mapping[str, str], code_of: Callable[[str, str], CodeType]) -> None:
        self._texts = texts
        self._code_of = code_of

    def load(
        self,
        environment: Environment,
        name: str,
        globals: MutableMapping[str, Any] | None = None,  # noqa: A002
    ) -> Compiled:
        """Return the file ``name``, compiled."""
        if name not in self._texts:
            raise TemplateNotFound(name)
        return Compiled.from_code(environment, self._code_of(name, self._texts[name]), globals or {})


class Sandbox(SandboxedEnvironment):
    """The environment of one rendering; ``names`` are all that its template may use by name."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self, names: Mapping[str, Any], loader: BaseLoader | None = None) -> None:
        super().__init__(
            undefined=StrictUndefined,
            # each step is counted as it is made: none is made when the template is compiled
            optimized=False,
            finalize=self._written,
            keep_trailing_newline=True,
            extensions=EXTENSIONS,
            loader=loader,
            cache_size=400,
            auto_reload=False,
        )
        self.budget = Budget()
        ranges = self.globals["range"]
        self.globals = {"range": ranges, "dict": dict, "namespace": Namespace, **names}
        self.filters = bounded_filters(self.budget)
        self.tests = allowed_tests()
        # what rewritten templates call, by one identity each
        self.tick, self.kept, self.joined = self._tick, self._kept, self._joined

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:  # noqa: ARG002  # Jinja's signature
        """Whether ``attr`` may be asked of ``obj``: a method of a plain value, or a name of a namespace or module."""
        known = next((names for kind, names in METHODS.items() if isinstance(obj, kind)), None)
        if known is not None:
            return attr in known
        return isinstance(obj, Namespace | TemplateModule) and not attr.startswith("_")

    def unsafe_undefined(self, obj: Any, attribute: str) -> NoReturn:
        """Refuse an attribute that ``is_safe_attribute`` does not let through."""
        kind = "macro" if isinstance(obj, Macro) else type(obj).__name__
        raise Refused(f"the attribute {attribute} of a {kind} is not available in templates", "take it out")

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """Return ``str.format`` closed in; ``format_map`` is not available."""
        return super().wrap_str_format(value) if getattr(value, "__name__", "") == "format" else None

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Return ``left operator right``, bounded."""
        self.budget.look(left, right)
        require_binary(operator, left, right)
        if operator == "%" and isinstance(left, str):
            return self.budget.kept(percent(left, right))
        return self.budget.kept(super().call_binop(context, operator, left, right))

    # named as Jinja has it, so that a template's keyword arguments cannot be taken for these
    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805, PYI063
        """Call ``__obj``, bounded."""
        if __obj is __self.tick or __obj is __self.kept or __obj is __self.joined:
            return __obj(*args)
        budget = __self.budget
        budget.look(*args, *kwargs.values())
        # str.format stands in a function of the sandbox's
        method = getattr(__obj, "__wrapped__", __obj)
        owner, name = getattr(method, "__self__", None), getattr(method, "__name__", "")
        if isinstance(owner, str | list | dict | tuple):
            budget.look(*(() if name in CHEAP else (owner,)))
            budget.spend(len(owner) // 64)
            if isinstance(owner, str) and name == "join" and args:
                return budget.kept(joined(args[0], owner))
            require_method(name, owner, [*args, *kwargs.values()])
        return budget.kept(super().call(__context, __obj, *args, **kwargs))

    @pass_context
    def _written(self, _context: Context, value: Any) -> str:
        """Return ``value`` as it is written; it asks for the context so that it is never asked ahead of time."""
        self.budget.look(value)
        text = written(value)
        if MARK in text:
            raise Refused("a text has the character NUL", "take it out")
        self.budget.write(len(text))
        return text

    def _tick(self, characters: int) -> bool:
        self.budget.write(characters)
        return True

    def _kept(self, value: Any) -> Any:
        self.budget.look(value)
        return value

    def _joined(self, *values: Any) -> Any:
        self.budget.look(*values)
        return self.budget.kept(joined(values))
