"""Random values of a declared SQL type, as literals: small domains, so that joins meet and groups gather."""

import random
import re
from collections.abc import Callable, Iterator

WORDS = ("kelp", "reef", "tide", "w01")


def literal(rng: random.Random, kind: str, *, wide: bool = False) -> str:
    """A literal of the type; ``wide`` draws from a domain that the narrow one does not meet."""
    kind = kind.strip()
    if kind.endswith("[]"):
        return f"[{', '.join(literal(rng, kind[:-2], wide=wide) for _ in range(rng.randint(0, 3)))}]::{kind}"
    base, _, inside = kind.partition("(")
    base = base.strip().lower()
    if base in NESTED:
        return NESTED[base](rng, inside.rsplit(")", 1)[0], wide)
    return SCALARS[base](rng, wide)


def _integer(rng: random.Random, wide: bool) -> str:
    return str(rng.randint(40, 99) if wide else rng.randint(0, 3))


def _word(rng: random.Random, wide: bool) -> str:
    return f"'{rng.choice(WORDS)}{rng.randint(3, 99) if wide else ''}'"


def _day(rng: random.Random, wide: bool) -> str:
    return f"DATE '20{'31' if wide else '24'}-{rng.randint(1, 12):02}-{rng.randint(1, 3):02}'"


def _moment(rng: random.Random, wide: bool) -> str:
    return f"TIMESTAMP '20{'31' if wide else '24'}-{rng.randint(1, 12):02}-0{rng.randint(1, 3)} 0{rng.randint(0, 9)}:00:00'"


def _truth(rng: random.Random, _wide: bool) -> str:
    return rng.choice(("true", "false"))


def _amount(rng: random.Random, wide: bool) -> str:
    return f"{rng.randint(40, 99) if wide else rng.randint(0, 5)}.5"


def _document(rng: random.Random, wide: bool) -> str:
    return f"""'{{"a": {_integer(rng, wide)}, "b": {{"c": "{_word(rng, wide).strip("'")}"}}, "xs": [{_integer(rng, wide)}]}}'"""


def _struct(rng: random.Random, inside: str, wide: bool) -> str:
    members = (re.split(r"\s+", part.strip(), maxsplit=1) for part in split(inside))
    return "{" + ", ".join(f"'{name}': {literal(rng, kind, wide=wide)}" for name, kind in members) + "}"


def _map(rng: random.Random, inside: str, wide: bool) -> str:
    key, value = split(inside)
    pairs = {literal(rng, key, wide=wide): literal(rng, value, wide=wide) for _ in range(rng.randint(1, 2))}
    return f"MAP {{{', '.join(f'{k}: {v}' for k, v in pairs.items())}}}::MAP({inside})"


def split(text: str) -> Iterator[str]:
    """The parts between the commas outside parentheses."""
    depth, start = 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            yield text[start:at]
            start = at + 1
    yield text[start:]


SCALARS: dict[str, Callable[[random.Random, bool], str]] = {
    **dict.fromkeys(("int", "integer", "bigint", "smallint", "tinyint", "hugeint"), _integer),
    **dict.fromkeys(("varchar", "text", "string"), _word),
    **dict.fromkeys(("double", "decimal", "numeric", "float", "real"), _amount),
    **dict.fromkeys(("timestamp", "timestamptz"), _moment),
    "boolean": _truth,
    "date": _day,
    "json": _document,
}
NESTED: dict[str, Callable[[random.Random, str, bool], str]] = {"struct": _struct, "map": _map}
