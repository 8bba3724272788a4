"""No password of a catalog's URI is said, whatever signs it has; one that a sign would end is refused."""

import pytest

from governance.project import Project
from tests.catalogs.conftest import configure
from tests.catalogs.test_errors import PASSWORD, refused
from tests.postgres import Postgres, free_port


def test_an_at_in_a_password_is_to_be_escaped(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(monkeypatch, uri="postgresql+psycopg2://ada:first@lovelace-1815@db.example/lake")
    said = refused(project)
    assert "%40" in said
    assert "PGPASSWORD" in said


SIGNS = ("/", "?", " ", "'", '"', "#", "[", ":", "<", "%", "?password=", "/x?pwd=a&")


@pytest.mark.parametrize("sign", SIGNS)
def test_a_password_with_any_sign_in_it_is_taken_and_never_said(
    sign: str, postgres: Postgres, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    password = f"hush{sign}{PASSWORD}"
    configure(monkeypatch, uri=postgres.uri("postgres").replace(postgres.password, password))
    said = refused(project)
    assert f"(postgresql+psycopg2://***@127.0.0.1:{postgres.port}/postgres)" in said
    assert "password authentication failed" in said
    assert "hush" not in said


@pytest.mark.parametrize(
    "user", ["ada:se@hush", "ada:se?x@hush", "ada:se@x?hush", "ada:se/@hush", "a@da:se'@hush", "a/da:hush"]
)
def test_what_would_end_a_password_is_to_be_escaped(
    user: str, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(monkeypatch, uri=f"postgresql+psycopg2://{user}@db.example/lake")
    said = refused(project)
    assert "(postgresql+psycopg2://***@db.example/lake) has" in said
    assert "%40" in said
    assert "hush" not in said


@pytest.mark.parametrize("rest", ["ada:hush", "ada:hush/1", "ada:hush?x=1", "ada:first@db.example:hush/lake"])
def test_a_uri_that_cannot_be_read_is_not_quoted(rest: str, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(monkeypatch, uri=f"postgresql+psycopg2://{rest}")
    said = refused(project)
    assert "user:password@host:port/" in said
    assert "hush" not in said


@pytest.mark.parametrize("sign", ["/", "?", " ", "'", "#", "[", "@", "%"])
def test_a_rest_catalogs_password_is_never_said(sign: str, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(monkeypatch, uri=f"http://ada:hush{sign}{PASSWORD}@127.0.0.1:{free_port()}/api")
    assert "hush" not in refused(project)
