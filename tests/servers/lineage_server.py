"""A lineage server as a process of its own, on the standard library: ``python lineage_server.py [CERTIFICATE]``.

It prints its port. It answers 201, or what ``PUT /plan`` told it to for the next events: a list of ``{"status": …,
"headers": {…}, "seconds": …}``. ``GET /seen`` gives every POST it got since ``DELETE /seen``. Asked for a whole
address, as a proxy is, it answers for that server.
"""

import gzip
import json
import ssl
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PLAN: list[dict[str, Any]] = []
SEEN: list[dict[str, Any]] = []
LOCK = threading.Lock()


class Lineage(BaseHTTPRequestHandler):
    """One connection, kept alive."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self._body()
        zipped = self.headers["Content-Encoding"] == "gzip"
        event = json.loads(gzip.decompress(body) if zipped else body)
        with LOCK:
            planned = PLAN.pop(0) if PLAN else {}
            seen = {"path": self.path, "headers": {k.lower(): v for k, v in self.headers.items()}, "size": len(body)}
            SEEN.append({**seen, "event": event, "status": planned.get("status", 201)})
        time.sleep(planned.get("seconds", 0))
        self._answer(planned.get("status", 201), b"", planned.get("headers", {}))

    def do_PUT(self) -> None:
        with LOCK:
            PLAN[:] = json.loads(self._body())
        self._answer(204)

    def do_DELETE(self) -> None:
        with LOCK:
            SEEN.clear()
        self._answer(204)

    def do_GET(self) -> None:
        with LOCK:
            told = json.dumps(SEEN).encode()
        self._answer(200, told)

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers["Content-Length"]))

    def _answer(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the base class names it
        """Say nothing on stderr."""


class Server(ThreadingHTTPServer):
    """Says nothing of a sender that was killed."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


if __name__ == "__main__":
    server = Server(("127.0.0.1", 0), Lineage)
    if sys.argv[1:]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    server.serve_forever(0.01)
