"""What a catalog's own failures mean to a user: a driver that is missing, a place that does not answer, a full disk."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import NotInstalledError, RESTError
from requests.exceptions import RequestException
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from governance.errors import CatalogError
from governance.events.failure import reason
from governance.events.redact import redact_url

UNREACHED = (SQLAlchemyError, RESTError, RequestException, NotInstalledError)
"""What pyiceberg lets through where the catalog itself fails, whatever was asked of it."""

AWS = re.compile(r"AWS Error ([A-Z_]+)")


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
    # what follows a ? are limits of time that nobody wrote, and may be passwords
    at = f" ({redact_url(uri.partition('?')[0])})" if uri else ""
    return CatalogError(f"the catalog {name!r}{at} cannot be used: {_words(error)}", fix=_fix(error, name, uri))


def store_failed(error: OSError, problem: str) -> CatalogError:
    """Return the error for a store that holds tables' files: its own words have addresses, so that its code is told."""
    code = AWS.search(str(error))
    fix = "see that the store is reached from here, and what s3.endpoint and s3.access-key-id or AWS_… say"
    return CatalogError(f"{problem}: {code[1] if code else reason(error)}", fix=fix)


def require_escaped(uri: str) -> None:
    """Raise CatalogError where the password in ``uri`` has an @, behind which everything would be taken for a host.

    The driver would then quote the rest of the password as the host that it does not find.
    """
    before = uri.partition("?")[0]
    if before.count("@") > 1:
        problem = f"the catalog's URI ({redact_url(before)}) has a password with an @ in it"
        raise CatalogError(problem, fix="write it %40, or leave the password out and set PGPASSWORD or ~/.pgpass")


def unwritable_state(error: OSError | SQLAlchemyError, folder: object) -> CatalogError:
    """Return the error for the catalog that lies in the project's own state folder."""
    return CatalogError(f"the catalog in {folder} cannot be used: {_words(error)}", fix=STATE_FIX)


STATE_FIX = "make that folder writable, or set HEADWATER_STATE to one that is"


def _words(error: Exception) -> str:
    # SQLAlchemy adds the statement and a link; what the driver said is enough
    if isinstance(error, DBAPIError):
        return reason(error.orig or error)
    return reason(error.__cause__ or error) if isinstance(error, NotInstalledError) else reason(error)


def _fix(error: Exception, name: str, uri: str) -> str:
    settings = f".pyiceberg.yaml or PYICEBERG_CATALOG__{name.upper()}__…"
    if isinstance(error, NotInstalledError | ImportError):
        if uri.startswith("postgresql"):
            # plain postgresql:// is another driver's since SQLAlchemy 2.1
            return "pip install 'headwater[postgres]', and begin its URI with postgresql+psycopg2://"
        named = re.search(r"pip install .*", str(error))
        install = named[0] if named else "pip install the package that it names"
        return f"install the driver ({install}), or name another catalog in {settings}"
    return f"check that it is there and may be written, or mend {settings}"
