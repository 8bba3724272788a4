"""A small project in a git repository of its own, its rows as fixtures: what a pull request changes is a commit."""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from platform_assets.cli import main

LINEAGE = """
order = ["public", "internal", "personal"]
propagate_through = ["DIRECT", "INDIRECT"]
masking_functions = []
namespace = "iceberg://platform"
job_namespace = "headwater"
"""
SOURCES = """
["crm.people"]
columns = { id = "bigint", email = "varchar", country = "varchar", active = "boolean" }

["shop.orders"]
columns = { id = "bigint", person_id = "bigint", amount = "double", status = "varchar" }
"""
METADATA = """
["crm.people"]
owner = "team:crm"
columns.id = { classification = "internal" }
columns.email = { classification = "personal" }
columns.country = { classification = "internal" }
columns.active = { classification = "public" }

["shop.orders"]
owner = "team:shop"

["mart.list"]
owner = "team:mart"
columns.email = { classification = "personal" }
"""
PIPELINES = {
    "mart/list": """-- owner: team:mart
-- grain: id
create table mart.list as
select p.id, p.email, p.country
from crm.people p
where p.active
""",
    "mart/spend": """-- owner: team:mart
-- grain: country
create table mart.spend as
select l.country, sum(o.amount) as amount, count(*) as orders
from mart.list l
join shop.orders o on o.person_id = l.id
where o.status = 'paid'
group by l.country
""",
    "mail/sent": """-- owner: team:mail
create table mail.sent as
select l.email from mart.list l
""",
}
PEOPLE = "id,email,country,active\n" + "".join(
    f"{n},p{n}@x.org,{'DE' if n % 3 else 'FR'},{'true' if n % 4 else 'false'}\n" for n in range(1, 41)
)
ORDERS = "id,person_id,amount,status\n" + "".join(
    f"{n},{n % 40 + 1},{n * 1.5},{'paid' if n % 5 else 'open'}\n" for n in range(1, 201)
)


@dataclass(frozen=True, slots=True)
class Repository:
    """The project's folder, its git, and the command run in it."""

    root: Path
    rows: Path
    run: Callable[..., Result]

    def git(self, *arguments: str) -> str:
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        identity = ("-c", "user.name=t", "-c", "user.email=t@x.org", "-c", "commit.gpgsign=false")
        done = subprocess.run(
            ("git", *identity, *arguments), cwd=self.root, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "change")

    def pipeline(self, name: str) -> Path:
        return self.root / "platform_assets" / "pipelines" / f"{name}.sql"

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.pipeline(name)
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def validate(self, *arguments: str) -> Result:
        return self.run("validate", *arguments, "--fixtures", str(self.rows))


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    if shutil.which("git") is None:
        pytest.fail("git is not installed")
    root, rows = tmp_path / "project", tmp_path / "rows"
    (root / "governance").mkdir(parents=True)
    rows.mkdir()
    (root / "governance" / "lineage.toml").write_text(LINEAGE)
    (root / "governance" / "metadata.toml").write_text(METADATA)
    (root / "platform_assets").mkdir()
    (root / "platform_assets" / "sources.toml").write_text(SOURCES)
    (root / ".gitignore").write_text(".headwater\n")
    for name, text in PIPELINES.items():
        path = root / "platform_assets" / "pipelines" / f"{name}.sql"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (rows / "crm.people.csv").write_text(PEOPLE)
    (rows / "shop.orders.csv").write_text(ORDERS)
    monkeypatch.setenv("HEADWATER_ROOT", str(root))
    monkeypatch.delenv("HEADWATER_STATE", raising=False)
    found = Repository(root, rows, lambda *arguments: CliRunner().invoke(main, [*arguments], catch_exceptions=False))
    found.git("init", "-q", "-b", "main")
    found.commit()
    return found


LANDED = """
[locations.landing]
at = "landing"

["landing/orders.csv"]
options = { delim = ";" }
max_rejects = 5
columns.id = "bigint"
columns.amount = "decimal(10, 2)"
columns.status = "varchar"
columns.paid_on = { type = "date", format = "%d.%m.%Y" }

["landing/payments/*.txt"]
format = "fixed"
record_type = [1, 1]
filename = "source_file"
records.header = { value = "H", columns = { batch = { type = "bigint", at = [2, 4] } } }

["landing/payments/*.txt".records.detail]
value = "D"
parent = "header"
join_key = "batch"
columns.batch = { type = "bigint", at = [2, 4] }
columns.cents = { type = "bigint", at = [5, 8] }

["landing/batch.json"]
rows = "body"
columns.id = "bigint"
columns.fee = "decimal(10, 2)"
sections.header.day = "date"
sections.trailer.status = "varchar"
"""
READERS = {
    "bronze/orders": """-- owner: team:shop
-- grain: id
create table bronze.orders as
select id, amount, status, paid_on from 'landing/orders.csv'
""",
    "bronze/payments": """-- owner: team:finance
create table bronze.payments as
select d.batch, d.cents, d.source_file
from 'landing/payments/*.txt#detail' d
join 'landing/payments/*.txt#header' h on h.batch = d.batch
""",
    "bronze/lines": """create table bronze.lines as
select record_type, count(*) as lines, sum(cents) as cents
from 'landing/payments/*.txt'
group by record_type
""",
    "bronze/fees": """-- grain: id
create table bronze.fees as
select id, fee, $doc.header.day as day from 'landing/batch.json' where $doc.trailer.status = 'final'
""",
    "gold/paid": """create table gold.paid as
select sum(o.amount) as amount from bronze.orders o where o.status = 'paid'
""",
}
FILES = {
    "landing/orders.csv": "id;amount;status;paid_on\n"
    + "".join(f"{n};{n}.50;{'paid' if n % 3 else 'open'};{n:02}.09.2026\n" for n in range(1, 21))
    + "21;n/a;paid;21.09.2026\n",
    "landing/payments/01.txt": "H001\nD0010100\nD0010200\n",
    "landing/payments/02.txt": "H002\nD0020300\n",
    "landing/batch.json": '{"header": {"day": "2026-09-30"}, "body": [{"id": 1, "fee": 0.5}, {"id": 2, "fee": 0.7}],'
    ' "trailer": {"status": "final"}}',
}


@pytest.fixture
def landing(repository: Repository) -> Repository:
    """The project with pipelines over files, which lie where they land."""
    sources = repository.root / "platform_assets" / "sources.toml"
    sources.write_text(SOURCES + LANDED)
    for name, text in FILES.items():
        path = repository.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name, text in READERS.items():
        path = repository.pipeline(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    repository.commit()
    return repository
