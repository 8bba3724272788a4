"""Files that land in an object store."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from pyarrow import fs

from governance.errors import LandingError
from governance.landing.locations import is_glob
from governance.landing.model import FileSource
from governance.landing.patterns import fixed_parts, matches, parts_of
from platform_assets.landing.landed import Landed, landed, unlike

CHUNK = 4 << 20
"""Bytes that are copied at a time."""

TIMEOUTS = {"connect_timeout": 5.0, "request_timeout": 10.0}
"""Seconds without a byte after which a store is asked anew; after three times, it is given up."""

T = TypeVar("T")


def in_store(source: FileSource, env: Mapping[str, str]) -> tuple[Landed, ...]:
    """Return the files of an object store that ``source`` stands for, sorted by name.

    Raises:
        LandingError: the store does not answer, or refuses.
    """
    location, pattern = source.location, parts_of(source.name)
    filesystem, base = _opened(location.at, env)
    if is_glob(source.name):
        below = "/".join((base, *fixed_parts(pattern)))
        asked: Any = fs.FileSelector(
            below, allow_not_found=True, recursive=len(fixed_parts(pattern)) + 1 < len(pattern)
        )
    else:
        asked = ["/".join((base, *pattern))]
    infos = _asking(location.name, lambda: filesystem.get_file_info(asked))
    if not infos:
        # a listing does not tell a bucket that is empty from one that is not there
        bucket = base.partition("/")[0]
        if _asking(location.name, lambda: filesystem.get_file_info([bucket]))[0].type is fs.FileType.NotFound:
            fix = f"correct at of [locations.{location.name}] in sources.toml"
            raise LandingError(f"{location.name}: the location's bucket is not there", fix=fix)
    found = {it.shown: it for it in _matching(infos, source, base)}
    return tuple(found[shown] for shown in sorted(found))


def version_now(file: Landed, env: Mapping[str, str]) -> str | None:
    """Return the version that the file has now, None where there is none any more.

    Raises:
        LandingError: the store does not answer, or refuses.
    """
    filesystem, path = _opened(file.path, env)
    info = _asking(file.shown, lambda: filesystem.get_file_info([path]))[0]
    return _version(info) if info.is_file else None


def copy(file: Landed, target: Path, env: Mapping[str, str]) -> None:
    """Copy ``file`` to ``target``, byte for byte.

    Raises:
        LandingError: the store does not answer or refuses, or the file is not the one that was listed.
    """
    filesystem, path = _opened(file.path, env)
    copied = _asking(file.shown, lambda: _copied(filesystem, path, target))
    if copied != file.size or version_now(file, env) != file.version:
        raise unlike(file.shown)


def digest(file: Landed, algorithm: str, env: Mapping[str, str]) -> str:
    """Return the digest of what the file holds now, ``algorithm:hexadecimal``.

    Raises:
        LandingError: the store does not answer, or refuses.
    """
    filesystem, path = _opened(file.path, env)
    return _asking(file.shown, lambda: _hashed(filesystem, path, algorithm))


def _hashed(filesystem: fs.FileSystem, path: str, algorithm: str) -> str:
    hashed = hashlib.new(algorithm)
    with filesystem.open_input_stream(path, compression=None) as source:
        while chunk := source.read(CHUNK):
            hashed.update(chunk)
    return f"{algorithm}:{hashed.hexdigest()}"


def _copied(filesystem: fs.FileSystem, path: str, target: Path) -> int:
    """Return how many bytes were copied."""
    size = 0
    # by itself it would unpack what its name says is packed
    with filesystem.open_input_stream(path, compression=None) as source, target.open("wb") as copy_:
        while chunk := source.read(CHUNK):
            size += copy_.write(chunk)
    return size


def _matching(infos: Sequence[fs.FileInfo], source: FileSource, base: str) -> Iterator[Landed]:
    at, pattern = source.location.at, parts_of(source.name)
    for info in infos:
        below = info.path.removeprefix(f"{base}/")
        if info.is_file and matches(below.split("/"), pattern):
            shown = f"{source.location.name}/{below}"
            yield landed(shown, f"{at}/{below}", info.size, info.mtime_ns, _version(info))


def _version(info: fs.FileInfo) -> str:
    # a listing tells fractions of a second that the object itself does not
    return f"{info.size}-{info.mtime_ns // 1_000_000_000}"


def _opened(url: str, env: Mapping[str, str]) -> tuple[fs.FileSystem, str]:
    """Return the store of ``url``, and the path that it has there."""
    scheme, _, rest = url.partition("://")
    bucket, _, below = rest.partition("/")
    filesystem, base = _asking(bucket, lambda: _s3(bucket, env) if scheme == "s3" else _other(f"{scheme}://{bucket}"))
    return filesystem, f"{base}/{below}" if below else base


def _s3(bucket: str, env: Mapping[str, str]) -> tuple[fs.FileSystem, str]:
    endpoint = env.get("AWS_ENDPOINT_URL_S3") or env.get("AWS_ENDPOINT_URL") or None
    region = env.get("AWS_REGION") or env.get("AWS_DEFAULT_REGION") or ("us-east-1" if endpoint else None)
    return _client(bucket, endpoint, region), bucket


@lru_cache(maxsize=32)
def _client(bucket: str, endpoint: str | None, region: str | None) -> fs.FileSystem:
    """Return the client of a bucket; where nobody says its region, the store is asked, so that it is asked once."""
    region = region or fs.resolve_s3_region(bucket)
    return fs.S3FileSystem(endpoint_override=endpoint, region=region, **TIMEOUTS)


@lru_cache(maxsize=32)
def _other(url: str) -> tuple[fs.FileSystem, str]:
    filesystem, base = fs.FileSystem.from_uri(url)
    return filesystem, base.rstrip("/")


def _asking(shown: str, ask: Callable[[], T]) -> T:
    """Return what the store answers; its own words may hold keys and addresses, so that only their code is told."""
    try:
        return ask()
    except PermissionError:
        raise LandingError(f"{shown}: the store refuses to give it", fix="see which credentials are set") from None
    except FileNotFoundError:
        raise LandingError(
            f"{shown}: the store does not have it", fix="correct at and the name in sources.toml"
        ) from None
    except (OSError, ValueError) as error:
        code = re.search(r"AWS Error ([A-Z_]+)", str(error))
        said = f": {code[1]}" if code else ""
        fix = "see that at names it, that the store is reached from here, and which credentials are set"
        raise LandingError(f"{shown}: the store does not give it{said}", fix=fix) from None
