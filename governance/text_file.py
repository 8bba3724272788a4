"""One text file of a project, with errors that name it as it may be shown."""

from pathlib import Path

from governance.errors import PipelineError


def read_text(path: Path, file: str) -> str:
    """Return the text of ``path``, called ``file`` in errors, without a byte order mark.

    Raises:
        PipelineError: it is not UTF-8, or it cannot be read.
    """
    try:
        # as a text that is opened as such has them, at half of its time
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise PipelineError(file, line, "the text is not UTF-8", fix="save the file as UTF-8") from None
    except OSError as error:
        raise PipelineError(file, None, f"it cannot be read: {error.strerror}", fix="make it a readable file") from None
