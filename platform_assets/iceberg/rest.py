"""pyiceberg's REST catalog with limits of time: by itself it waits for an answer as long as that takes."""

from pyiceberg.catalog import rest
from requests import Response, Session
from requests.adapters import HTTPAdapter
from requests.models import PreparedRequest

SECONDS = (5.0, 60.0)
"""To connect, and between two bytes of an answer; a commit may take the latter."""


class RestCatalog(rest.RestCatalog):
    """The catalog; what it does not answer in time may have happened all the same, as ``publish.landed`` finds out."""

    def _create_session(self) -> Session:
        session = super()._create_session()
        for scheme in ("http://", "https://"):
            session.mount(scheme, _Bounded())
        return session


class _Bounded(HTTPAdapter):
    def send(self, request: PreparedRequest, *args: object, **options: object) -> Response:
        """Send ``request`` with the limits; pyiceberg gives none of its own."""
        return super().send(request, *args, **(options | {"timeout": SECONDS}))  # type: ignore[arg-type]
