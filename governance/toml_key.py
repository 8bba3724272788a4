"""Names as keys of a TOML file, so that a line that a finding or an error suggests can be pasted as it stands."""

import json
import re

BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_key(name: str) -> str:
    """Return ``name`` as one key: bare where TOML allows it (https://toml.io/en/v1.0.0#keys), else quoted."""
    return name if BARE.fullmatch(name) else quoted(name)


def toml_column(name: str) -> str:
    """Return the dotted key of a column's line: ``columns.email``, ``columns."address.city"``."""
    return f"columns.{toml_key(name)}"


def toml_table(name: str) -> str:
    """Return the head under which ``metadata.toml`` speaks of a table: ``["crm.learners"]``."""
    return f"[{toml_key(name)}]"


def quoted(text: str) -> str:
    """Return ``text`` as a TOML string: JSON's escapes are TOML's too, and DEL must be one."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
