"""A port of this machine, and why it cannot be had."""

import errno
import socket

from governance.errors import HeadwaterError

REASONS = {errno.EADDRINUSE: "is in use", errno.EACCES: "is not allowed to you"}


def listening(host: str, port: int, option: str = "--port") -> socket.socket:
    """Return a socket that listens at ``port`` of ``host``; the caller closes it.

    option: by which a caller lets people choose another port

    Raises:
        HeadwaterError: it cannot be listened there.
    """
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=128)
    except socket.gaierror as error:
        raise HeadwaterError(f"{host!r} is no address of this machine", fix="choose one with --host") from error
    except OSError as error:
        reason = REASONS.get(error.errno or 0, f"cannot be listened at ({error.strerror})")
        fix = f"end what listens there, or choose another with {option}"
        raise HeadwaterError(f"port {port} of {host} {reason}", fix=fix) from error
