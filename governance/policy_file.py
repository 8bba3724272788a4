"""One TOML file as sections that are read key by key, each error naming the file, the table and the key."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from governance.errors import PolicyError
from governance.project import elsewhere
from governance.toml_key import toml_key


@dataclass(frozen=True, slots=True)
class Section:
    """A table of a TOML file.

    file:   the file as it may be shown
    place:  the table's name as it is written in the file; empty for the file's top
    values: what the table holds
    """

    file: str
    place: str
    values: Mapping[str, Any]

    def wrong(self, key: str, problem: str, *, fix: str) -> PolicyError:
        """Return the error that says ``problem`` about ``key`` of this table."""
        return PolicyError(self.file, self._path(key), problem, fix=fix)

    def only(self, *known: str) -> None:
        """Raise PolicyError where the table holds a key that is not ``known``."""
        for key in self.values:
            if key not in known:
                raise self.wrong(key, "unknown key", fix=f"the keys here are {', '.join(known)}")

    def text(self, key: str) -> str:
        """Return a text that must be there and say something."""
        if key not in self.values:
            raise self.wrong(key, "it is missing", fix=f'add {key} = "…"')
        value = self.values[key]
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(key, f"a text is expected, not {_said(value)}", fix=f'write {key} = "…"')
        return value

    def optional_text(self, key: str) -> str | None:
        """Return a text, None where the key is left out."""
        return self.text(key) if key in self.values else None

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts that must be there, each once."""
        if key not in self.values:
            raise self.wrong(key, "it is missing", fix=f'add {key} = ["…"]')
        value = self.values[key]
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.wrong(key, f"a list of texts is expected, not {_said(value)}", fix=f'write {key} = ["…", "…"]')
        if len(set(value)) < len(value):
            raise self.wrong(key, "a text stands twice", fix="write each once")
        return tuple(value)

    def day(self, key: str) -> date:
        """Return a day that must be there, written as TOML's date or as a text of the same form."""
        value = self.values[key] if key in self.values else self.text(key)
        try:
            day = date.fromisoformat(value) if isinstance(value, str) else value
        except ValueError:
            day = None
        if not isinstance(day, date) or isinstance(day, datetime):
            raise self.wrong(key, f"a day is expected, not {_said(value)}", fix=f"write {key} = 2026-12-31")
        return day

    def sections(self) -> Iterator[tuple[str, "Section"]]:
        """Yield each key with the table under it; anything that is no table is an error."""
        for key in self.values:
            yield key, self.section(key)

    def section(self, key: str) -> "Section":
        """Return the table under ``key``, empty where the key is left out."""
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(key, f"a table is expected, not {_said(value)}", fix=f"write [{self._path(key)}]")
        return Section(self.file, self._path(key), value)

    def list_of_sections(self, key: str) -> tuple["Section", ...]:
        """Return the tables of ``[[key]]`` in their order, each placed by its number."""
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.wrong(key, f"[[{key}]] tables are expected, not {_said(value)}", fix=f"write [[{key}]]")
        return tuple(Section(self.file, f"{key} {number}", item) for number, item in enumerate(value, start=1))

    def _path(self, key: str) -> str:
        return f"{self.place}.{toml_key(key)}" if self.place else toml_key(key)


def read_section(path: Path, file: str, cache: Path | None = None) -> Section:
    """Return the whole of ``path``, called ``file`` in errors; what it says is remembered in the folder ``cache``.

    Raises:
        PolicyError: it is not there, not readable, or not TOML.
    """
    return section_of(policy_text(path, file), file, cache)


def policy_text(path: Path, file: str) -> str:
    """Return the text of ``path``, called ``file`` in errors.

    Raises:
        PolicyError: it is not there, or not readable.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise PolicyError(file, "", "there is no such file", fix=f"make it{elsewhere()}") from None
    except OSError as error:
        raise PolicyError(file, "", f"it cannot be read: {error.strerror}", fix="make it a readable file") from None
    except UnicodeDecodeError:
        raise PolicyError(file, "", "the text is not UTF-8", fix="save the file as UTF-8") from None


def section_of(text: str, file: str, cache: Path | None = None) -> Section:
    """Return the whole of ``file``, which has ``text``; see ``read_section``.

    Raises:
        PolicyError: it is not TOML.
    """
    try:
        return Section(file, "", _parsed(text, file, cache))
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(file, "", f"it is not TOML: {error}", fix="mend the syntax at that place") from None


@lru_cache(maxsize=8)
def _parsed(text: str, file: str, cache: Path | None) -> Mapping[str, Any]:
    """Return what ``text`` says as TOML, which nobody changes: one load asks several times for the same few files."""
    # what is remembered of pipelines knows what a pipeline is, and that knows policy
    from governance.remembered.documents import document  # noqa: PLC0415

    return document(text, file, cache)


def _said(value: object) -> str:
    """Return ``value`` short enough for one line of an error."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}…"  # noqa: PLR2004 -- one line of a terminal holds the rest
