"""Random values of a declared SQL type, as literals.

A ``near`` domain is small, so that joins meet and groups gather; a ``far`` one does not meet it.
"""

import random
import re
from collections.abc import Callable, Iterator
from typing import Literal

Domain = Literal["near", "far"]
WORDS = ("kelp", "reef", "tide", "w01")


def literal(rng: random.Random, kind: str, domain: Domain = "near") -> str:
    """A literal of the type."""
    kind = kind.strip()
    if kind.endswith("[]"):
        return f"[{', '.join(literal(rng, kind[:-2], domain) for _ in range(rng.randint(0, 3)))}]::{kind}"
    base, _, inside = kind.partition("(")
    base = base.strip().lower()
    if base in NESTED:
        return NESTED[base](rng, inside.rsplit(")", 1)[0], domain)
    return SCALARS[base](rng, domain)


def _integer(rng: random.Random, domain: Domain) -> str:
    return str(rng.randint(0, 3) if domain == "near" else rng.randint(40, 99))


def _word(rng: random.Random, domain: Domain) -> str:
    return f"'{rng.choice(WORDS)}{'' if domain == 'near' else rng.randint(3, 99)}'"


def _date(rng: random.Random, domain: Domain) -> str:
    return f"20{'24' if domain == 'near' else '31'}-{rng.randint(1, 12):02}-{rng.randint(1, 3):02}"


def _day(rng: random.Random, domain: Domain) -> str:
    return f"DATE '{_date(rng, domain)}'"


def _moment(rng: random.Random, domain: Domain) -> str:
    return f"TIMESTAMP '{_date(rng, domain)} 0{rng.randint(0, 9)}:00:00'"


def _truth(rng: random.Random, _domain: Domain) -> str:
    return rng.choice(("true", "false"))


def _amount(rng: random.Random, domain: Domain) -> str:
    return f"{_integer(rng, domain)}.5"


def _document(rng: random.Random, domain: Domain) -> str:
    word = _word(rng, domain).strip("'")
    number, item = _integer(rng, domain), _integer(rng, domain)
    return f"""'{{"a": {number}, "b": {{"c": "{word}"}}, "xs": [{item}]}}'"""


def _struct(rng: random.Random, inside: str, domain: Domain) -> str:
    members = (re.split(r"\s+", part.strip(), maxsplit=1) for part in split(inside))
    return "{" + ", ".join(f"'{name}': {literal(rng, kind, domain)}" for name, kind in members) + "}"


def _map(rng: random.Random, inside: str, domain: Domain) -> str:
    key, value = split(inside)
    pairs = {literal(rng, key, domain): literal(rng, value, domain) for _ in range(rng.randint(1, 2))}
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


SCALARS: dict[str, Callable[[random.Random, Domain], str]] = {
    **dict.fromkeys(("int", "integer", "bigint", "smallint", "tinyint", "hugeint"), _integer),
    **dict.fromkeys(("varchar", "text", "string"), _word),
    **dict.fromkeys(("double", "decimal", "numeric", "float", "real"), _amount),
    **dict.fromkeys(("timestamp", "timestamptz"), _moment),
    "boolean": _truth,
    "date": _day,
    "json": _document,
}
NESTED: dict[str, Callable[[random.Random, str, Domain], str]] = {"struct": _struct, "map": _map}
