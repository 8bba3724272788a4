"""What may leave the process: no secret of the environment, of a connection string or of a marked literal."""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Any
from urllib.parse import quote, unquote

from governance.scrubbed import Stretch, scrubbed
from governance.secret_name import SECRET_NAME

MASK = "***"

# Repetitions are bounded where they could start at every character of a long word.
# A password may have any sign that nobody escaped: behind "user:" it goes up to the last @ before the next URL, unless
# what follows the colon is a port.
_USERINFO = re.compile(
    r"\b([A-Za-z][A-Za-z0-9+.\-]{0,30}://)"
    r"(?:[^\s/'\"?:@]{0,256}:(?!\d{1,5}[/?])(?:(?!\w://)[^\n]){0,256}|[^\s/'\"]+)@"
)
_QUERY = re.compile(
    r"([?&;][\w.\-]{0,60}(?:token|secret|passw|pwd|key|signature|sig|credential|auth)[\w.\-]{0,60}=)[^&\s'\"#]+",
    re.IGNORECASE,
)
_PAIR = re.compile(
    r"((?:passw(?:or)?d|pwd|secret|token|credential|api_?key|access_?key|account_?key)[\w.\-]{0,60}['\"]?\s{0,9}[=:]\s{0,9})"
    r"(?:''[^']*''|'[^']*'|\"[^\"]*\"|[^\s;,&'\"]+)",
    re.IGNORECASE,
)
_BEARER = re.compile(r"\b(bearer\s+)[\w.~+/=\-]{8,}", re.IGNORECASE)
_ISSUED = re.compile(
    r"\b(?:(?:AKIA|ASIA)[A-Z0-9]{16}\b|[rs]k_(?:live|test)_[A-Za-z0-9]{10,99}|gh[oprsu]_[A-Za-z0-9]{20,255}"
    r"|github_pat_\w{20,255}|glpat-[\w\-]{16,99}|xox[abeprs]-[\w\-]{10,255}|AIza[\w\-]{30,99}"
    r"|eyJ[\w\-]{10,4000}\.[\w\-]{10,4000}\.[\w\-]{0,4000})"
)
"""Keys by the shape that their issuers give them, for secret scanners to find: AWS, Stripe, GitHub, GitLab, Slack,
Google, and JSON Web Tokens (RFC 7519)."""
_URL_USER = re.compile(r"://((?:(?!\w://).)+)@", re.DOTALL)
_LAST_USER = re.compile(r"://(.+)@", re.DOTALL)
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")
# values are quoted, and so is the name of a catalog where Headwater itself says which one failed
_QUOTED = re.compile(r"(?<!\w)(?<!the catalog )'(?:[^'\n]|'')*'(?!\w)")
_ECHO = re.compile(r"^(LINE \d+):.*(?:\n[ \t]*\^[^\n]*)?", re.MULTILINE)
_KIND = re.compile(r"[A-Za-z ]{1,40}(?=:)")

# A setting called KEY or TOKEN may hold one of these; masking them would blot out ordinary words.
_ORDINARY = frozenset({"true", "false", "none", "null", "auto", "default"})
_SHORTEST = 4
_LONGEST_MESSAGE = 10_000

# The strings of an event that people wrote or engines said; names, ids and types are never touched.
_FREE_TEXT = frozenset({"message", "stackTrace", "description", "value", "url", "repoUrl"})


def secrets_of(env: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Return the secret values of ``env``, longest first, each also as a URL and as an SQL literal would spell it.

    Secret is the value of a variable called like PASSWORD, TOKEN, SECRET, KEY or CREDENTIAL, and the user part of a URL
    under any name. Values shorter than four characters cannot be told from ordinary text and are left alone.
    """
    return _secrets_among(tuple(env.items()))


@lru_cache(maxsize=1)
def _secrets_among(settings: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """Return the secret values of ``settings``, which are the same from event to event."""
    found = {value for name, text in settings for value in _secret_values(name, text)}
    kept = {value for value in found if len(value) >= _SHORTEST and value.lower() not in _ORDINARY}
    spelt = {form for value in kept for form in (value, quote(value, safe=""), value.replace("'", "''"))}
    return tuple(sorted(spelt, key=lambda value: (-len(value), value)))


def _secret_values(name: str, text: str) -> Iterator[str]:
    if SECRET_NAME.search(name):
        yield text
    yield from passwords_of(text)
    if text.startswith(("{", "[")):
        yield from _secret_members(text)


def passwords_of(text: str) -> frozenset[str]:
    """Return the passwords of the URLs in the value of a setting, as they stand there and decoded.

    Each goes up to the last @ before the next URL, and up to the last of all: a password may have any sign in it.
    """
    users = (*_URL_USER.findall(text), *_LAST_USER.findall(text))
    found = {user.partition(":")[2] for user in users}
    return frozenset(found | {unquote(password) for password in found}) - {""}


def _secret_members(text: str) -> Iterator[str]:
    """Settings given as JSON (``OPENLINEAGE__TRANSPORT``) hold their secrets some levels down."""
    try:
        settings = json.loads(text)
    except ValueError:
        return
    yield from _members_called_secret(settings)


def _members_called_secret(settings: Any) -> Iterator[str]:
    if isinstance(settings, dict):
        for key, value in settings.items():
            if isinstance(value, str) and SECRET_NAME.search(key):
                yield value
            yield from _members_called_secret(value)
    elif isinstance(settings, list):
        for member in settings:
            yield from _members_called_secret(member)


def _headers(settings: Any) -> Iterator[str]:
    for key, value in settings.items() if isinstance(settings, dict) else enumerate(settings):
        if key == "custom_headers" and isinstance(value, dict):
            yield from map(str, value.values())
        elif isinstance(value, dict | list):
            yield from _headers(value)


def secret_values(settings: Any) -> tuple[str, ...]:
    """Return what no message may show of the settings of a transport, longest first.

    That is the value of every member called like PASSWORD, TOKEN, SECRET, KEY or CREDENTIAL, and of every header.
    """
    found = {*_members_called_secret(settings), *_headers(settings)}
    # read from a file it may end in a line break, which an error that quotes it spells out
    bare = {value.strip() for value in found}
    kept = {value for value in bare if len(value) >= _SHORTEST and value.lower() not in _ORDINARY}
    return tuple(sorted(kept, key=lambda value: (-len(value), value)))


def redact_text(text: str, secrets: tuple[str, ...]) -> str:
    """Return ``text`` without the secrets given, URL users, secret parameters, passwords, bearers and known keys."""
    # one that holds a = or : is no ordinary word, and a part of it may look like a parameter
    for secret in secrets:
        if "=" in secret or ":" in secret:
            text = text.replace(secret, MASK)
    text = redact_url(text)
    for pattern in (_PAIR, _BEARER):
        text = pattern.sub(rf"\g<1>{MASK}", text)
    text = _ISSUED.sub(MASK, text)
    for secret in secrets:
        text = text.replace(secret, MASK)
    return text


def redact_url(text: str) -> str:
    """Return ``text`` with the user part and the secret query parameters of its URLs masked; for dataset names too."""
    if "@" not in text and "=" not in text:
        # as most names are: there are hundreds of thousands of them
        return text
    # a password first, for it may look like a parameter
    return _QUERY.sub(rf"\g<1>{MASK}", _USERINFO.sub(rf"\g<1>{MASK}@", text))


@lru_cache(maxsize=256)
def redact_sql(sql: str, secrets: tuple[str, ...]) -> str:
    """Return SQL as it may be sent (see :func:`governance.sqltext.redact`); names in it are never altered."""
    from governance import sqltext  # noqa: PLC0415  # the SQL parser is slow to start, and not all that is sent is SQL

    return sqltext.redact(sql, partial(redact_text, secrets=secrets))


def redact_stretches(sql: str, stretches: Iterable[Stretch], secrets: tuple[str, ...]) -> str:
    """Return what :func:`redact_sql` does of a text whose ``stretches`` are known, without reading it."""
    return scrubbed(sql, stretches, partial(redact_text, secrets=secrets))


def redact_error(text: str, sql: str, secrets: tuple[str, ...]) -> str:
    """Return an error text without data: engines echo the SQL, and quote the values that they could not convert.

    Lines that echo the SQL (``LINE 1: …`` and its caret) lose their text; single-quoted strings, mail addresses and
    secret literals of ``sql`` are masked; double-quoted names stay. Where ``sql`` cannot be tokenised only the kind of
    error is kept.
    """
    from governance import sqltext  # noqa: PLC0415  # as above

    literals = sqltext.secret_literals(sql)
    if literals is None:
        kind = _KIND.match(text)
        return f"{kind[0] if kind else 'Error'}: {sqltext.WITHHELD.removeprefix('-- ')}"
    text = _ECHO.sub(r"\g<1>", text)
    for literal in sorted((value for value in literals if len(value) >= _SHORTEST), key=len, reverse=True):
        text = text.replace(literal, MASK)
    text = _EMAIL.sub(MASK, _QUOTED.sub(f"'{MASK}'", redact_text(text, secrets)))
    return text[:_LONGEST_MESSAGE]


def redact_event(event: Any, secrets: tuple[str, ...]) -> Any:
    """Return a serialised event with the text in it redacted; what names a field, dataset, job or run stays."""
    scrubs: dict[str, Callable[[str], str]] = dict.fromkeys(_FREE_TEXT, partial(redact_text, secrets=secrets))
    return _walk(event, "", scrubs | {"query": partial(redact_sql, secrets=secrets)})


def _walk(value: Any, key: str, scrubs: Mapping[str, Callable[[str], str]]) -> Any:
    if isinstance(value, dict):
        return {name: _walk(member, name, scrubs) for name, member in value.items()}
    if isinstance(value, list):
        return [_walk(member, key, scrubs) for member in value]
    return scrubs[key](value) if isinstance(value, str) and key in scrubs else value
