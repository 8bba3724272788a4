"""A folder and an object store, which is listed whole, find the same files by the same name."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from governance.landing.model import FileSource, Format, Location
from governance.landing.patterns import fixed_parts, matches, parts_of
from platform_assets.landing.folder import in_folder

NAMES = st.sampled_from(["a", "b", "ab", "a[1]", ".h", "_temporary", "x.tmp", "*"])
PARTS = st.sampled_from(["a", "b", "*", "?", "**", "[ab]", "[!a]", "a[1]", ".h", ".*", "*.tmp", "_temporary", "a*"])
TREES = st.sets(st.lists(NAMES, min_size=1, max_size=4).map(tuple), max_size=12)


@settings(max_examples=300, deadline=None)
@given(TREES, st.lists(PARTS, min_size=1, max_size=4).filter(lambda it: it[-1] != "**"))
def test_a_walk_finds_what_matches(tree: set[tuple[str, ...]], pattern: list[str]) -> None:
    source = FileSource("/".join(("landing", *pattern)), Location("landing", "."), Format.CSV)
    files = {it for it in tree if not any(other[: len(it)] == it and other != it for other in tree)}
    with TemporaryDirectory() as folder:
        for file in files:
            path = Path(folder, *file)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        # a plain name that is a folder is an error there, and so is a pattern below what is no folder
        if not Path(folder, *pattern).is_dir() and Path(folder, *fixed_parts(pattern)).is_dir():
            found = {tuple(it.shown.split("/")[1:]) for it in in_folder(Path(folder), source)}
            assert found == {it for it in files if matches(it, parts_of(source.name))}
            assert all(it[: len(fixed_parts(pattern))] == fixed_parts(pattern) for it in found)
