"""Which names have values that are secrets."""

import re

SECRET_NAME = re.compile(
    r"password|passwd|passphrase|token|secret|credential|authorization|keys?(?:_|\b)", re.IGNORECASE
)
"""Names whose value is a secret: of environment variables, of options, of columns compared with a literal."""
