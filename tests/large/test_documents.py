"""Large TOML files are remembered: the same is read, nothing damaged or older is believed."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from governance.remembered import documents
from governance.remembered.documents import document

VALUES = st.recursive(
    st.booleans() | st.integers() | st.floats() | st.text() | st.dates() | st.datetimes() | st.times(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(documents, "LARGE", 1)
    (tmp_path / "state").mkdir()
    return tmp_path / "state" / "cache"


def kept(cache: Path) -> list[Path]:
    return sorted(cache.glob("*.document"))


def unread(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(_: str) -> None:
        raise AssertionError

    monkeypatch.setattr(tomllib, "loads", asked)


def test_what_was_read_once_is_not_read_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '["a.b"]\ncolumns.c = "bigint"\nnumbers = [1, 1.0, true]\n'
    said = tomllib.loads(text)
    assert document(text, "sources.toml", cache) == said
    unread(monkeypatch)
    again = document(text, "sources.toml", cache)
    assert repr(again) == repr(said)


def test_another_text_is_read_and_takes_its_place(cache: Path) -> None:
    document("a = 1", "sources.toml", cache)
    assert document("a = 2", "sources.toml", cache) == {"a": 2}
    assert len(kept(cache)) == 1
    document("a = 3", "metadata.toml", cache)
    assert len(kept(cache)) == 2


@pytest.mark.parametrize("text", ["day = 2026-01-01", "at = 07:30:00", "at = 2026-01-01T00:00:00"])
def test_what_would_not_come_back_as_it_was_is_read_each_time(cache: Path, text: str) -> None:
    for _ in range(2):
        assert repr(document(text, "lineage.toml", cache)) == repr(tomllib.loads(text))
    assert not kept(cache)


@pytest.mark.parametrize("damage", [b"", b"headwater remembered 1\n", bytes(200)])
def test_a_damaged_one_is_none(cache: Path, damage: bytes) -> None:
    document("a = 1", "sources.toml", cache)
    (file,) = kept(cache)
    whole = file.read_bytes()
    for data in (damage, whole[:-1], whole[:-1] + b"\x02", whole + b"\0"):
        file.write_bytes(data)
        assert document("a = 1", "sources.toml", cache) == {"a": 1}


def test_without_a_state_folder_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "LARGE", 1)
    assert document("a = 1", "sources.toml", tmp_path / "none" / "cache") == {"a": 1}
    assert document("a = 1", "sources.toml", None) == {"a": 1}
    assert not [*tmp_path.iterdir()]


def test_a_wrong_text_is_said_each_time(cache: Path) -> None:
    for _ in range(2):
        with pytest.raises(tomllib.TOMLDecodeError):
            document("a = ", "sources.toml", cache)


@settings(deadline=None)
@given(said=st.dictionaries(st.text(), VALUES, max_size=3))
def test_what_is_kept_comes_back_exactly(said: dict[str, object]) -> None:
    body = documents.kept_form(said)
    assert body is None or repr(documents.said_by(body)) == repr(said)
