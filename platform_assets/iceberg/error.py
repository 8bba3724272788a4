"""What a catalog's own failures mean to a user: a driver that is missing, a place that does not answer, a full disk."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from urllib.parse import urlsplit

from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import NotInstalledError, RESTError
from requests.exceptions import RequestException
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from governance.errors import CatalogError
from governance.events.failure import reason
from governance.events.redact import MASK, passwords_of, redact_url

UNREACHED = (SQLAlchemyError, RESTError, RequestException, NotInstalledError)
"""What pyiceberg lets through where the catalog itself fails, whatever was asked of it."""

AWS = re.compile(r"AWS Error ([A-Z_]+)(?: \(HTTP status (\d{3})\))?")
_NO_OBJECT = re.compile(r"Path does not exist '([^']+)'")
_NO_REST = re.compile(r"RESTError (\d{3}): ")
_PHRASES = {status.value: status.phrase for status in HTTPStatus}


@contextmanager
def reaching(catalog: Catalog, *further: type[Exception]) -> Iterator[None]:
    """Raise a failure of the catalog, or one of the kinds ``further``, as what is wrong, where, and what to do.

    Raises:
        CatalogError: the catalog cannot be reached, read or written.
    """
    failures: tuple[type[Exception], ...] = (*UNREACHED, *further)
    try:
        yield
    except failures as error:
        raise unreached(error, catalog.name, catalog.properties.get("uri", "")) from None


def unreached(error: Exception, name: str, uri: str) -> CatalogError:
    """Return the error for the catalog ``name``; its URI is shown without passwords."""
    if isinstance(error, OSError) and AWS.search(str(error)):
        return store_failed(error, f"the storage of the catalog {name!r} cannot be used")
    absent = _NO_OBJECT.search(str(error))
    if isinstance(error, OSError) and absent:
        problem = f"the storage of the catalog {name!r} does not have {redact_url(absent[1])}, which the catalog names"
        return CatalogError(problem, fix="see that s3.endpoint and the bucket are those that the table was written to")
    at = f" ({shown(uri)})" if uri else ""
    words = _words(error, tuple(sorted(passwords_of(uri), key=len, reverse=True)))
    return CatalogError(f"the catalog {name!r}{at} cannot be used: {words}", fix=_fix(error, name, uri))


def shown(uri: str) -> str:
    """Return a catalog's URI as a message may have it: without its user, whatever signs the password has."""
    scheme, separator, rest = uri.partition("://")
    user, at, place = rest.rpartition("@")
    masked = f"{scheme}{separator}{MASK if user else ''}{at}{place}"
    # what follows a ? are limits of time that nobody wrote, and may be passwords
    return redact_url(masked.partition("?")[0])


def store_failed(error: OSError, problem: str) -> CatalogError:
    """Return the error for a store that holds tables' files: its own words have addresses, so that its code is told."""
    fix = "see that the store is reached from here, and what s3.endpoint and s3.access-key-id or AWS_… say"
    code = AWS.search(str(error))
    if code is None:
        return CatalogError(f"{problem}: {reason(error)}", fix=fix)
    if code[2] == "503" or code[1] == "SLOW_DOWN":
        fix = "it is too busy or down: run it again later"
    return CatalogError(f"{problem}: {_answered(int(code[2])) if code[2] else code[1]}", fix=fix)


def _answered(status: int) -> str:
    return f"it answers {status} {_PHRASES.get(status, '')}".rstrip()


def require_escaped(uri: str) -> None:
    """Raise CatalogError where the user or the password in ``uri`` has a sign that ends it before its @.

    The driver would then quote the rest of the password as the host, port or database that it does not find.
    """
    if uri.count("@") > 1:
        raise _unescaped(uri, "has more than one @, as if its password had one")
    if uri.startswith("http"):
        ended = "@" in uri and "@" not in _authority(uri)
    else:
        ended = _database(uri).username is None and "@" in uri
    if ended:
        raise _unescaped(uri, "has a user or password with a sign that ends it")


def _unescaped(uri: str, problem: str) -> CatalogError:
    fix = "write it percent-escaped (@ is %40, / is %2F), or leave the password out and set PGPASSWORD or ~/.pgpass"
    return CatalogError(f"the catalog's URI ({shown(uri)}) {problem}", fix=fix)


def _authority(uri: str) -> str:
    try:
        parts = urlsplit(uri)
        _ = parts.port  # a text that is no number raises
    except ValueError:
        raise _unreadable(uri) from None
    return parts.netloc


def _database(uri: str) -> URL:
    try:
        return make_url(uri)
    except (ArgumentError, ValueError):
        raise _unreadable(uri) from None


def _unreadable(uri: str) -> CatalogError:
    # the libraries' own words quote what they could not read
    scheme = uri.partition("://")[0] if "://" in uri else "…"
    fix = f"write it {scheme}://user:password@host:port/…, with the signs of a password percent-escaped (/ is %2F)"
    return CatalogError(f"the catalog's URI ({scheme}://{MASK}) cannot be read", fix=fix)


def unwritable_state(error: OSError | SQLAlchemyError, folder: object) -> CatalogError:
    """Return the error for the catalog that lies in the project's own state folder."""
    return CatalogError(f"the catalog in {folder} cannot be used: {_words(error)}", fix=STATE_FIX)


STATE_FIX = "make that folder writable, or set HEADWATER_STATE to one that is"


def _words(error: Exception, secrets: tuple[str, ...] = ()) -> str:
    # SQLAlchemy adds the statement and a link; what the driver said is enough
    if isinstance(error, DBAPIError):
        return reason(error.orig or error, secrets)
    # the body of an answer that is none of a catalog's may be a whole page, and says nothing of it
    strange = _NO_REST.match(str(error)) if isinstance(error, RESTError) else None
    if strange:
        return f"{_answered(int(strange[1]))}, and not as an Iceberg REST catalog does"
    if type(error).__module__.startswith("pydantic"):
        return "it answers, and not as an Iceberg REST catalog does"
    told = error.__cause__ or error if isinstance(error, NotInstalledError) else error
    return reason(told, secrets)


def _fix(error: Exception, name: str, uri: str) -> str:
    settings = f".pyiceberg.yaml or PYICEBERG_CATALOG__{name.upper()}__…"
    if isinstance(error, DBAPIError) and (own := getattr(error.orig, "fix", "")):
        return str(own)
    if isinstance(error, NotInstalledError | ImportError):
        if uri.startswith("postgresql"):
            # plain postgresql:// is another driver's since SQLAlchemy 2.1
            return "pip install 'headwater[postgres]', and begin its URI with postgresql+psycopg2://"
        named = re.search(r"pip install .*", str(error))
        install = named[0] if named else "pip install the package that it names"
        return f"install the driver ({install}), or name another catalog in {settings}"
    return f"check that it is there and may be written, or mend {settings}"
