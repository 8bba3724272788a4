"""The learning platform's source tables, made up: the same rows for the same scale, on every machine.

Each column draws from a stream of its own, seeded by table and column, so adding a column moves no other. Nobody in
here exists; addresses end in example.com (RFC 2606). Every instant lies before October 2026.
"""

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

from governance.errors import CatalogError
from governance.policy import Policy, Source
from platform_assets.engines.engine import Engine
from platform_assets.iceberg.catalog import Catalog, load_known
from platform_assets.iceberg.publish import Commit, replace, target
from platform_assets.tour import words

SEED = 20261001
DAY = timedelta(days=1)
END = pa.scalar(datetime(2026, 9, 30, 23, 59, 59, tzinfo=UTC).replace(tzinfo=None), pa.timestamp("us"))
"""The platform's last second: what would end later has not ended."""

Columns = dict[str, pa.Array]
"""A table being made: equally long columns by name."""


@dataclass(frozen=True, slots=True)
class Draw:
    """The random columns of one table with ``rows`` rows."""

    table: str
    rows: int

    def uniform(self, column: str) -> pa.Array:
        """Return floats in [0, 1)."""
        return pc.random(self.rows, initializer=zlib.crc32(f"{SEED}/{self.table}/{column}".encode()))

    def below(self, column: str, count: int, *, skew: int = 1) -> pa.Array:
        """Return integers in [0, count); a higher ``skew`` prefers the low ones."""
        places = pc.floor(pc.multiply(pc.power(self.uniform(column), skew), count))
        return pc.cast(places, pa.int64())

    def pick(self, column: str, values: Iterable[object]) -> pa.Array:
        """Return members of ``values``, each equally often; repeat one to weigh it."""
        choices = pa.array(values)
        return choices.take(self.below(column, len(choices)))

    def days(self, column: str, first: date, last: date) -> pa.Array:
        """Return dates from ``first`` to ``last``."""
        start = (first - date(1970, 1, 1)).days
        return pc.cast(pc.add(self.below(column, (last - first).days + 1), start), pa.int32()).cast(pa.date32())

    def instants(self, column: str, first: date, last: date) -> pa.Array:
        """Return timestamps in whole seconds from the day ``first`` to the day before ``last``."""
        start = int(datetime(first.year, first.month, first.day, tzinfo=UTC).timestamp())
        seconds = pc.add(self.below(column, (last - first).days * 86_400), start)
        return pc.cast(pc.multiply(seconds, 1_000_000), pa.timestamp("us"))

    def later(self, column: str, instants: pa.Array, most: timedelta) -> pa.Array:
        """Return each of ``instants`` plus up to ``most``."""
        seconds = self.below(column, int(most.total_seconds()))
        return pc.add(instants, pc.cast(pc.multiply(seconds, 1_000_000), pa.duration("us")))

    def keys(self) -> pa.Array:
        """Return 1, 2, 3 and so on."""
        return pa.array(range(1, self.rows + 1), pa.int64())


def platform(scale: float = 1.0) -> dict[str, Columns]:
    """Return the eight tables by name; at scale 1 there are 5,000 learners and exactly 3,000 reviews."""

    def draw(table: str, rows: int) -> Draw:
        return Draw(table, max(1, round(rows * scale)))

    learners = _learners(draw("crm.learners", 5_000))
    courses = _courses(draw("learning.courses", 40))
    enrollments = _enrollments(draw("learning.enrollments", 12_000), learners, courses)
    payments = _payments(draw("billing.payments", 12_000), enrollments, courses)
    return {
        "crm.learners": learners,
        "learning.courses": courses,
        "learning.enrollments": enrollments,
        "learning.events": _events(draw("learning.events", 40_000), enrollments),
        "learning.reviews": _reviews(draw("learning.reviews", 3_000), learners, enrollments),
        "billing.payments": payments,
        "billing.refunds": _refunds(payments),
        "support.tickets": _tickets(draw("support.tickets", 800), learners),
    }


def generate(
    catalog: Catalog, engine: Engine, sources: Iterable[Source], policy: Policy, scale: float = 1.0
) -> tuple[Commit, ...]:
    """Write every declared source that the demo platform has, replacing what is there; other sources are left alone.

    Raises:
        CatalogError: ``sources.toml`` declares a column that the demo platform does not make.

    """
    made = platform(scale)
    return tuple(_write(catalog, engine, s, policy, made[s.table]) for s in sources if s.table in made)


def _write(catalog: Catalog, engine: Engine, source: Source, policy: Policy, made: Columns) -> Commit:
    missing = [name for name, _ in source.columns if name not in made]
    if missing:
        raise CatalogError(
            f"the demo platform makes no column {source.table}.{missing[0]}",
            fix="take it out of sources.toml, or add it to platform_assets/tour/demo.py",
        )
    schema = engine.schema(source.columns)
    data = pa.table({field.name: pc.cast(made[field.name], field.type) for field in schema}, schema=schema)
    docs = {name: policy.column(source.table, name).description or "" for name in schema.names}
    at = target(source.table, load_known(catalog, [source.table]).get(source.table))
    return replace(catalog, at, data.to_reader(), {"headwater.demo": str(SEED)}, docs)


def _join(separator: str, *parts: pa.Array | str) -> pa.Array:
    return pc.binary_join_element_wise(*parts, separator)


def _at(keys: pa.Array, table: Columns, column: str) -> pa.Array:
    """Return ``table``'s ``column`` for 1-based ``keys``."""
    return table[column].take(pc.subtract(keys, 1))


def _learners(draw: Draw) -> Columns:
    keys = draw.keys()
    first, last = draw.pick("first_name", words.FIRST_NAMES), draw.pick("last_name", words.LAST_NAMES)
    mailbox = _join("", pc.utf8_lower(_join(".", first, last)), pc.cast(keys, pa.string()), "@example.com")
    return {
        "learner_id": keys,
        "full_name": _join(" ", first, last),
        "email": mailbox,
        "country": draw.pick("country", words.COUNTRIES),
        "date_of_birth": draw.days("date_of_birth", date(1958, 1, 1), date(2006, 12, 31)),
        "marketing_consent": pc.less(draw.uniform("marketing_consent"), 0.44),
        "status": draw.pick("status", ["active"] * 84 + ["paused"] * 9 + ["closed"] * 7),
        "signed_up_at": draw.instants("signed_up_at", date(2022, 3, 1), date(2026, 9, 28)),
    }


def _courses(draw: Draw) -> Columns:
    keys = draw.keys()
    place = pc.subtract(keys, 1)
    titles = pa.array([title for title, _ in words.COURSES])
    turn = pc.divide(place, len(titles))
    titled = titles.take(pc.subtract(place, pc.multiply(turn, len(titles))))
    edition = _join("", titled, ", part ", pc.cast(pc.add(turn, 1), pa.string()))
    categories = dict(words.COURSES)
    return {
        "course_id": keys,
        "title": pc.if_else(pc.equal(turn, 0), titled, edition),
        "category": pa.array([categories[title] for title in titled.to_pylist()]),
        "level": draw.pick("level", ["beginner"] * 3 + ["intermediate"] * 2 + ["advanced"]),
        "price_usd": draw.pick(
            "price_usd", [Decimal(price) for price in ("29.00", "49.00", "79.00", "129.00", "249.00")]
        ),
        "published_on": draw.days("published_on", date(2021, 1, 11), date(2025, 12, 15)),
    }


def _enrollments(draw: Draw, learners: Columns, courses: Columns) -> Columns:
    start = draw.instants("enrolled_at", date(2024, 1, 1), date(2026, 9, 28))
    end = draw.later("completed_at", pc.add(start, pa.scalar(3 * DAY, pa.duration("us"))), 120 * DAY)
    finished = pc.and_(pc.less(draw.uniform("finished"), 0.62), pc.less(end, END))
    return {
        "enrollment_id": draw.keys(),
        "learner_id": pc.add(draw.below("learner_id", len(learners["learner_id"])), 1),
        "course_id": pc.add(draw.below("course_id", len(courses["course_id"]), skew=2), 1),
        "enrolled_at": start,
        "completed_at": pc.if_else(finished, end, None),
    }


def _events(draw: Draw, enrollments: Columns) -> Columns:
    enrollment = pc.add(draw.below("enrollment", len(enrollments["enrollment_id"])), 1)
    kinds = ["video_played"] * 11 + ["lesson_completed"] * 5 + ["quiz_taken"] * 3 + ["forum_posted"]
    return {
        "event_id": draw.keys(),
        "learner_id": _at(enrollment, enrollments, "learner_id"),
        "course_id": _at(enrollment, enrollments, "course_id"),
        "event_type": draw.pick("event_type", kinds),
        "occurred_at": draw.instants("occurred_at", date(2026, 3, 1), date(2026, 10, 1)),
    }


def _reviews(draw: Draw, learners: Columns, enrollments: Columns) -> Columns:
    enrollment = pc.add(draw.below("enrollment", len(enrollments["enrollment_id"])), 1)
    learner = _at(enrollment, enrollments, "learner_id")
    rating = draw.pick("rating", [5] * 9 + [4] * 6 + [3] * 3 + [2] + [1])
    texts = [text for stars in sorted(words.REVIEWS) for text in words.REVIEWS[stars]]
    each = len(texts) // len(words.REVIEWS)
    place = pc.add(pc.multiply(pc.subtract(rating, 1), each), draw.below("body", each))
    text = pa.array(texts).take(place)
    return {
        "review_id": draw.keys(),
        "course_id": _at(enrollment, enrollments, "course_id"),
        "learner_id": learner,
        "rating": rating,
        "body": _signed(draw.uniform("signed"), text, learner, learners),
        "created_at": draw.instants("created_at", date(2024, 2, 1), date(2026, 10, 1)),
    }


def _signed(draw: pa.Array, text: pa.Array, learner: pa.Array, learners: Columns) -> pa.Array:
    """Return the texts, one in twelve with its writer's name or address in it, as people write them."""
    named = _join("", text, " Regards, ", _at(learner, learners, "full_name"))
    mailed = _join("", text, " Write to me at ", _at(learner, learners, "email"), ".")
    return pc.case_when(pc.make_struct(pc.less(draw, 0.05), pc.less(draw, 0.085)), named, mailed, text)


def _payments(draw: Draw, enrollments: Columns, courses: Columns) -> Columns:
    price = _at(enrollments["course_id"], courses, "price_usd")
    share = draw.pick("discount", [Decimal("1.00")] * 6 + [Decimal("0.80"), Decimal("0.50")])
    amount = pc.cast(pc.round(pc.multiply(price, share), 2), pa.decimal128(10, 2))
    made = {
        "enrollment_id": enrollments["enrollment_id"],
        "learner_id": enrollments["learner_id"],
        "amount": amount,
        "status": draw.pick("status", ["succeeded"] * 89 + ["failed"] * 7 + ["refunded"] * 4),
        "paid_at": draw.later("paid_at", enrollments["enrolled_at"], timedelta(hours=2)),
    }
    # a tenth of the enrolments came with a voucher and were never paid for
    paid = pc.less(draw.uniform("paid"), 0.9)
    kept = {name: column.filter(paid) for name, column in made.items()}
    return {"payment_id": Draw(draw.table, len(kept["amount"])).keys(), **kept}


def _refunds(payments: Columns) -> Columns:
    back = pc.equal(payments["status"], "refunded")
    of = {name: column.filter(back) for name, column in payments.items()}
    draw = Draw("billing.refunds", len(of["payment_id"]))
    return {
        "refund_id": draw.keys(),
        "payment_id": of["payment_id"],
        "amount": of["amount"],
        "reason_code": draw.pick("reason_code", words.REASONS),
        "refunded_at": pc.min_element_wise(draw.later("refunded_at", of["paid_at"], 21 * DAY), END),
    }


def _tickets(draw: Draw, learners: Columns) -> Columns:
    learner = pc.add(draw.below("learner_id", len(learners["learner_id"])), 1)
    subject = draw.below("subject", len(words.TICKETS))
    opened = draw.instants("opened_at", date(2025, 6, 1), date(2026, 9, 20))
    status = draw.pick("status", ["closed"] * 17 + ["waiting"] * 2 + ["open"])
    text = pa.array([body for _, body in words.TICKETS]).take(subject)
    return {
        "ticket_id": draw.keys(),
        "learner_id": learner,
        "subject": pa.array([title for title, _ in words.TICKETS]).take(subject),
        "body": _signed(pc.divide(draw.uniform("signed"), 4.0), text, learner, learners),
        "status": status,
        "opened_at": opened,
        "closed_at": pc.if_else(pc.equal(status, "closed"), draw.later("closed_at", opened, 9 * DAY), None),
    }
