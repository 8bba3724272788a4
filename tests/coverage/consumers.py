"""The payments and who reads them, as the tests of consumers ask about them."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from governance.consumers.declared import Declared
from governance.consumers.find import consumers_of
from governance.consumers.model import Consumer, Consumers
from governance.consumers.records import Records
from governance.dataset import Dataset, Field
from governance.queries.model import QueryRead

Read = Callable[..., QueryRead]
Make = Callable[..., Records]

NOON = datetime(2026, 9, 1, 12, tzinfo=UTC)
TABLE = Dataset("iceberg://platform", "fct.payments")
FLOWS = """
fct.payments: src.payments -> fct.payments amount<src.payments.amount status<src.payments.status
mart.revenue: fct.payments -> mart.revenue amount<fct.payments.amount
raw.copy: fct.payments -> raw.copy ?
"""
QUARTER = timedelta(days=90)
REPORT = Declared(
    "Quarterly report",
    "report",
    ("fct.payments.amount",),
    owner="team:finance",
    criticality="critical",
    period=QUARTER,
    accounts=("svc_report",),
)


def find(records: Records, asked: Dataset | Field = TABLE) -> Consumers:
    return consumers_of(asked, records, NOON)


def named(found: Consumers) -> dict[str, Consumer]:
    return {consumer.name: consumer for consumer in found.consumers}
