"""The files of a memory: entries by table, in pieces that are read when asked for and replaced whole.

So readers and writers of several processes meet no half of one, and of two that write at once the later one's stands.
A piece begins with a mark, the edition that wrote it and a digest of the rest: one of another edition, one that is cut
off and one that anything else wrote are as if they were not there.
"""

import time
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from tempfile import NamedTemporaryFile
from zlib import crc32

import msgspec

PIECES = 64
MARK = b"headwater remembered 1\n"
DIGEST = 16
UNFINISHED = ".unfinished"
PATIENCE = 3600.0
"""Seconds after which a file that a writer left unfinished is nobody's."""


class Entry(msgspec.Struct, array_like=True, frozen=True):
    """What is kept of one pipeline: digest and value of its statement, and of its lineage where that was read."""

    text: bytes
    statement: msgspec.Raw
    inputs: bytes = b""
    lineage: msgspec.Raw = msgspec.Raw()


_DECODER = msgspec.msgpack.Decoder(dict[str, Entry])


def piece_of(table: str) -> int:
    """Return the number of the piece that has ``table``."""
    return crc32(table.encode()) % PIECES


def digest(data: bytes) -> bytes:
    """Return ``DIGEST`` bytes that tell ``data`` from all else."""
    return blake2b(data, digest_size=DIGEST).digest()


def read_piece(folder: Path, number: int, edition: bytes) -> Mapping[str, Entry]:
    """Return the entries of a piece that ``edition`` wrote whole; none where there is no such."""
    with suppress(msgspec.DecodeError):
        if (body := read_body(_file(folder, number), edition)) is not None:
            return _DECODER.decode(body)
    return {}


def read_body(file: Path, edition: bytes) -> bytes | None:
    """Return what ``edition`` wrote whole into ``file``, None where there is no such."""
    head = len(MARK) + 2 * DIGEST
    with suppress(OSError):
        data = file.read_bytes()
        if data[:head] == MARK + edition + digest(data[head:]):
            return data[head:]
    return None


def write_piece(folder: Path, number: int, edition: bytes, entries: Mapping[str, Entry]) -> None:
    """Replace a piece.

    Raises:
        OSError: the folder cannot be written to, or the disk is full; the piece is as it was.
    """
    write_body(_file(folder, number), edition, msgspec.msgpack.encode(entries))


def write_body(file: Path, edition: bytes, body: bytes) -> None:
    """Replace ``file`` by one of ``edition`` that has ``body``.

    Raises:
        OSError: as ``write_piece`` does.
    """
    folder = file.parent
    _make(folder)
    with NamedTemporaryFile(dir=folder, prefix=".", suffix=UNFINISHED, delete=False) as beside:
        place = Path(beside.name)
        try:
            beside.write(MARK + edition + digest(body) + body)
            beside.close()
            place.replace(file)
        except OSError:
            place.unlink(missing_ok=True)
            raise


def sweep(folder: Path, now: float | None = None) -> None:
    """Take away what writers that were killed left in ``folder``."""
    before = (time.time() if now is None else now) - PATIENCE
    for place in folder.glob(f".*{UNFINISHED}"):
        with suppress(OSError):
            if place.stat().st_mtime < before:
                place.unlink()


def _make(folder: Path) -> None:
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        # a state folder that version control does not leave out by itself would show them
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")


def _file(folder: Path, number: int) -> Path:
    return folder / f"{number:02x}.piece"
