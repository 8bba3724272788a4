"""No secret of the environment, of a connection string or of a marked literal leaves; names are never altered."""

# ruff: noqa: S608  the SQL here is text to be redacted, and never run

import json
import logging
import time
from pathlib import Path

import pytest

from governance import sqltext
from governance.events.redact import redact_error, redact_sql, redact_text, redact_url, secrets_of
from governance.events.run import (
    Attempt,
    Column,
    Input,
    JobFacts,
    Naming,
    Output,
    RunFacts,
    abort_event,
    complete_event,
    fail_event,
    start_event,
)
from governance.events.store import EventStore
from governance.lineage.model import ColumnLineage, InputField, OutputField, Transformation
from tests.events.night import DAGSTER_RUN, NIGHT

HIDDEN = "hunter2-ada@example.org"

SECRETIVE = (
    f"create secret s3 (type s3, key_id 'AKIA', secret '{HIDDEN}')",
    f"create or replace persistent secret x in local_file (type s3, secret $${HIDDEN}$$)",
    f"attach 'postgres:dbname=x password={HIDDEN}' as pg (type postgres)",
    f"attach '{HIDDEN}' as pg",
    f"copy t from 's3://bucket/file.csv' credentials '{HIDDEN}'",
    f"copy t to 's3://bucket/file.csv' (format csv, encryption_config '{HIDDEN}')",
    f"select * from read_parquet('https://host/x.parquet?token={HIDDEN}&v=1')",
    f"select * from read_parquet('s3://ada:{HIDDEN.partition('@')[0]}@host/x.parquet')",
    f"select * from postgres_scan('host=h password=''{HIDDEN}'' user=u', 'public', 't')",
    f"insert into t values (1, '{HIDDEN}'), (2, E'{HIDDEN}')",
    f"select * from (values (1), ($tag${HIDDEN}$tag$)) v(a)",
    f"select a, '{HIDDEN}' as b -- secret\nfrom t",
    f"select a from t where b = '{HIDDEN}' /* secret: the partner's key */",
    f"select a from t where email = '{HIDDEN}'",
    f"set s3_secret_access_key = '{HIDDEN}'",
    f"select f(password := '{HIDDEN}', x := {{'api_key': '{HIDDEN}'}})",
    f"create user ada identified by '{HIDDEN}'",
    f"select 1 -- was: attach 'x' with password={HIDDEN}",
    f"call enable_logging('{HIDDEN}')",
    f"explain select '{HIDDEN}'",
    f"select 'unterminated {HIDDEN}",
    f"select $$unterminated {HIDDEN}",
)


@pytest.mark.parametrize("sql", SECRETIVE)
def test_secret_literals_are_not_shown(sql: str) -> None:
    shown = redact_sql(sql, ())
    assert HIDDEN not in shown
    assert "hunter2" not in shown


ISSUED = (
    "AKIA" + "Z" * 16,
    "sk_live_" + "a1" * 12,
    "ghp_" + "a1" * 18,
    "xoxb-" + "12345-" * 4,
    "AIza" + "a-" * 17,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c2VyIn0.c2lnbmF0dXJl",
)


@pytest.mark.parametrize("key", ISSUED)
def test_keys_are_masked_by_the_shape_that_their_issuers_give_them(key: str) -> None:
    assert key not in redact_sql(f"select a from t where b = '{key}' and c = 'key:{key}'", ())
    assert key not in redact_text(f"found {key} in the way", ())


ORDINARY = (
    "select 'AKIA is a word', 'sk_live', 'eyJ.a.b', 'ghp_short' from t",
    "create table a.b as select password, token, \"secret key\" from c.d where status = 'active' and n > 12",
    "select 'it''s', E'a\\nb', $$plain$$, 1.5e3, date '2026-01-01' from t -- a comment\n",
    "-- owner: team:crm\nselect * from read_csv('landing/orders.csv', delim = ';')",
    "select count(*) filter (where kind = 'secretary') from t limit 10;",
    "copy t to 's3://bucket/file.csv'",
)


@pytest.mark.parametrize("sql", ORDINARY)
def test_ordinary_sql_is_shown_as_it_is_written(sql: str) -> None:
    assert redact_sql(sql, ()) == sql


def test_names_stay_even_where_the_environment_uses_them_as_a_secret() -> None:
    secrets = secrets_of({"DB_PASSWORD": "password"})
    assert redact_sql("select password from t where x = 'my password'", secrets) == (
        "select password from t where x = 'my ***'"
    )


def test_text_that_cannot_be_tokenised_is_withheld_whole() -> None:
    assert redact_sql("select 'x", ()) == sqltext.WITHHELD


def test_secrets_of_the_environment_are_found_by_name_url_and_json() -> None:
    env = {
        "PGPASSWORD": "pa ss/1",
        "MY_TOKEN": "tok-123",
        "CATALOG_URI": "postgresql+psycopg2://ada:l0velace@host/db",
        "OPENLINEAGE__TRANSPORT": json.dumps({"type": "http", "auth": {"type": "api_key", "apiKey": "deep-key"}}),
        "USE_KEY": "true",
        "HOME": "/root",
        "PIN_KEY": "12",
    }
    found = secrets_of(env)
    assert set(found) == {"pa ss/1", "pa%20ss%2F1", "tok-123", "l0velace", "deep-key"}
    for secret in found:
        assert secret not in redact_text(f"cannot log in with {secret} here", found)


def test_urls_lose_their_user_and_their_secret_parameters() -> None:
    assert redact_url("s3://bucket/key?X-Amz-Signature=abc&v=2") == "s3://bucket/key?X-Amz-Signature=***&v=2"
    assert redact_url("https://ada:pw@host/x") == "https://***@host/x"
    assert redact_url("crm.learners") == "crm.learners"


SIGNS = ("/", "?", " ", "'", '"', "#", "[", ":", "<", "@", "%", "?token=", "/x?pwd=a&")


@pytest.mark.parametrize("sign", SIGNS)
def test_a_password_of_a_url_may_have_any_sign_that_nobody_escaped(sign: str) -> None:
    uri = f"postgresql+psycopg2://ada:hush{sign}secret1@127.0.0.1:5432/lake"
    assert redact_url(uri) == "postgresql+psycopg2://***@127.0.0.1:5432/lake"
    said = redact_text(f"cannot open '{uri}' and https://bob:{sign}hush@other/x", ())
    assert said == "cannot open 'postgresql+psycopg2://***@127.0.0.1:5432/lake' and https://***@other/x"
    secrets = secrets_of({"CATALOG_URI": uri})
    assert f"hush{sign}secret1" in secrets
    assert redact_text(f"it is hush{sign}secret1 here", secrets).startswith("it is *** here")


def test_the_password_of_each_url_of_a_setting_is_found_as_written_and_decoded() -> None:
    secrets = secrets_of({"HOSTS": "http://ada:p%40ss@a,http://bob:se/cret@b"})
    assert {"p%40ss", "p@ss", "se/cret"} <= set(secrets)


@pytest.mark.parametrize("name", ["s3://bucket/a@b.csv", "http://host:9000/a@b.csv", "file:///x/a:b@c.csv"])
def test_an_at_in_a_path_is_no_password(name: str) -> None:
    assert redact_url(name) == name


SQL = f"insert into t select * from (values ('{HIDDEN}')) where token = 'zebra-crossing'"
ERRORS = (
    f'Parser Error: syntax error at or near "select"\n\nLINE 1: {SQL}\n          ^',
    f"Conversion Error: Could not convert string '{HIDDEN}' to INT32",
    "Invalid Input Error: zebra-crossing is not a token",
    f"IO Error: cannot open https://host/x?token={HIDDEN}",
)


@pytest.mark.parametrize("text", ERRORS)
def test_error_texts_do_not_echo_the_sql_or_the_data(text: str) -> None:
    shown = redact_error(text, SQL, ())
    assert HIDDEN not in shown
    assert "zebra" not in shown
    assert shown.startswith(text[:10])


def test_error_texts_keep_names_and_places() -> None:
    text = 'Binder Error: Referenced column "emial" not found\n\nLINE 3: select emial\n               ^'
    assert redact_error(text, "select 1", ()) == 'Binder Error: Referenced column "emial" not found\n\nLINE 3'


def test_an_error_of_a_catalog_keeps_its_name() -> None:
    text = "the catalog 'default' (http://h:1) cannot be used: no row 'zebra'"
    assert redact_error(text, "select 1", ()) == "the catalog 'default' (http://h:1) cannot be used: no row '***'"
    assert "hunter2" not in redact_error("the catalog 'hunter2' cannot be used", "select 1", ("hunter2",))


def test_an_error_of_sql_that_cannot_be_tokenised_keeps_its_kind_alone() -> None:
    shown = redact_error(f'Parser Error: unterminated quoted string at or near "\'{HIDDEN}"', f"select '{HIDDEN}", ())
    assert HIDDEN not in shown
    assert shown.startswith("Parser Error: withheld")


@pytest.mark.parametrize("sql", SECRETIVE)
def test_n24_no_event_holds_a_secret_and_columns_keep_their_names(
    store: EventStore, sql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THE_SECRET", HIDDEN)
    monkeypatch.setenv("DB_PASSWORD", "password")
    facts = RunFacts(Attempt("a.b", NIGHT, DAGSTER_RUN), Naming("n", "j"), JobFacts(sql), secrets=secrets_of())
    file = f"https://host/x.parquet?token={HIDDEN}"
    inputs = (InputField(file, "password", Transformation.IDENTITY),)
    lineage = ColumnLineage("a.b", (OutputField("password", inputs),), (), (file,))
    store.append(start_event(facts, NIGHT, [file], ["a.b"]))
    written = Output("a.b", (Column("password", "string", description=f"as in {HIDDEN}"),), lineage)
    store.append(complete_event(facts, NIGHT, [Input(file)], [written]))
    store.append(fail_event(facts, NIGHT, f"Parser Error: near {HIDDEN}\nLINE 1: {sql}"))
    store.append(abort_event(facts, NIGHT, f"terminated, {HIDDEN}"))
    (path,) = store.files()
    assert HIDDEN not in path.read_text()
    complete = json.loads(path.read_text().splitlines()[1])
    (column,) = complete["outputs"][0]["facets"]["columnLineage"]["fields"].items()
    assert (column[0], column[1]["inputFields"][0]["field"]) == ("password", "password")
    assert column[1]["inputFields"][0]["name"] == complete["inputs"][0]["name"]


def test_environment_variables_that_the_client_collects_are_redacted(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DB_PASSWORD", "hunter2-hunter2")
    monkeypatch.setenv("REGION", "eu")
    Path("openlineage.yml").write_text("facets: {environment_variables: [DB_PASSWORD, REGION]}\n")
    store.append(start_event(RunFacts(Attempt("a.b", NIGHT, DAGSTER_RUN), Naming("n", "j")), NIGHT, [], []))
    text = store.files()[0].read_text()
    assert "hunter2" not in text
    assert '"value": "eu"' in text


def test_the_client_does_not_log_secrets(
    store: EventStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__AUTH", '{"type": "api_key", "apiKey": "tok-hunter2"')
    monkeypatch.setenv("MY_TOKEN", "tok-hunter2")
    monkeypatch.setenv("OPENLINEAGE_CLIENT_LOGGING", "DEBUG")
    with caplog.at_level(logging.DEBUG):
        store.append(start_event(RunFacts(Attempt("a.b", NIGHT, DAGSTER_RUN), Naming("n", "j")), NIGHT, [], []))
    assert "failed to parse" in caplog.text
    assert "tok-hunter2" not in caplog.text


@pytest.mark.parametrize("word", ["a", "password", "'", "a@", "://", "&key", "secret ="])
def test_long_texts_are_redacted_in_linear_time(word: str) -> None:
    began = time.process_time()
    redact_error(word * (200_000 // len(word)), "select 1", ("hunter2",))
    assert time.process_time() - began < 5
