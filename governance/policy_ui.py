"""The ``[ui]`` table of ``lineage.toml``: where the page and Dagster are found, so that each can link to the other."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from governance.errors import HeadwaterError
from governance.policy_file import Section

KEYS = ("ui",)
"""The keys of the file that are read here."""


@dataclass(frozen=True, slots=True)
class UiPolicy:
    """Where people find what they look at, each without a slash at its end.

    page:    the page that ``headwater ui`` serves
    dagster: Dagster's UI
    reports: how many kept reports stay
    """

    page: str = "http://127.0.0.1:3001"
    dagster: str = "http://127.0.0.1:3000"
    reports: int = 50


def ui_policy(files: Sequence[Section]) -> UiPolicy:
    """Return what ``files`` say together; a later one replaces a setting of an earlier one.

    Raises:
        PolicyError: a setting is unknown, an address is none, or a count is not positive.
    """
    sections = [file.section("ui") for file in files]
    for section in sections:
        section.only("page", "dagster", "reports")
    default = UiPolicy()
    return UiPolicy(
        page=next((_address(it, "page") for it in reversed(sections) if "page" in it.values), default.page),
        dagster=next((_address(it, "dagster") for it in reversed(sections) if "dagster" in it.values), default.dagster),
        reports=next((_count(it, "reports") for it in reversed(sections) if "reports" in it.values), default.reports),
    )


def moved(ui: UiPolicy, *, page: str | None, dagster: str | None) -> UiPolicy:
    """Return ``ui`` with the page or Dagster at another address than the files say, where one is given.

    Raises:
        HeadwaterError: what is given is no address.
    """
    for name, text in (("HEADWATER_PAGE", page), ("HEADWATER_DAGSTER", dagster)):
        if text is not None and not _is_address(text):
            raise HeadwaterError(f"{name}: {text!r} is no address of a web page", fix=f"set {name}={UiPolicy().page}")
    return replace(ui, page=(page or ui.page).rstrip("/"), dagster=(dagster or ui.dagster).rstrip("/"))


def _address(section: Section, key: str) -> str:
    text = section.text(key).rstrip("/")
    fix = f'write {key} = "https://lineage.example.com", without query or fragment'
    if not _is_address(text):
        raise section.wrong(key, f"{text!r} is no address of a web page", fix=fix)
    return text


def _is_address(text: str) -> bool:
    try:
        address = urlsplit(text)
        known = address.scheme in {"http", "https"} and address.hostname and address.port != 0
    except ValueError:
        return False
    return bool(known) and not any(sign in text for sign in "?#@ ") and text.isprintable()


def _count(section: Section, key: str) -> int:
    value = section.values[key]
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise section.wrong(key, f"a number from 1 up is expected, not {value!r}", fix=f"write {key} = 50")
    return value
