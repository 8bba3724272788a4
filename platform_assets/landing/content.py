"""What is in a file, as a text that is another one for any other content."""

import hashlib
import os
from pathlib import Path

from governance.errors import LandingError
from platform_assets.landing import store
from platform_assets.landing.find import require_unchanged
from platform_assets.landing.landed import Landed

DIGEST = "sha256"
"""What processors compute by themselves: a second for a gigabyte."""


def digest_of(file: Landed) -> str:
    """Return the digest of the file where it landed.

    Raises:
        LandingError: it cannot be read, or is not the one that was listed.
    """
    digest = store.digest(file, DIGEST, os.environ) if "://" in file.path else digest_at(file.path, file.shown)
    require_unchanged([file])
    return digest


def digest_at(path: str, shown: str) -> str:
    """Return the digest of the file, which is called ``shown``, or of a copy of it, at ``path``.

    Raises:
        LandingError: it cannot be read.
    """
    try:
        with Path(path).open("rb") as content:
            return f"{DIGEST}:{hashlib.file_digest(content, DIGEST).hexdigest()}"
    except OSError as error:
        fix = "let whoever runs this read it"
        raise LandingError(f"{shown}: the file cannot be read: {error.strerror}", fix=fix) from None
