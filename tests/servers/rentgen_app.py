"""Data.Rentgen in one process: its own REST API, and its own consumer fed by HTTP where a Kafka topic would feed it.

Runs in an environment that has data-rentgen, as ``python rentgen_app.py PORT KEY``. The schema is brought up to date
first, by its own migrations; partitions are made for the years around now, by its own script. As with Kafka an event is
taken at once and saved later, many together: ``POST /save`` ends once all are.
"""

import asyncio
import gzip
import logging
import sys
from dataclasses import dataclass
from datetime import UTC, datetime

import uvicorn
from data_rentgen.consumer.extractors import BatchExtractor
from data_rentgen.consumer.openlineage.run_event import OpenLineageRunEvent
from data_rentgen.consumer.subscribers import parse_messages, save_to_db
from data_rentgen.db.factory import create_session_factory
from data_rentgen.db.migrations.__main__ import main as migrate
from data_rentgen.db.scripts.create_partitions import main as create_partitions
from data_rentgen.server import application_factory
from data_rentgen.server.settings import ServerApplicationSettings
from fastapi import FastAPI, Request, Response

LOG = logging.getLogger("rentgen_app")


@dataclass
class Record:
    """What the consumer looks at of a message of Kafka's."""

    value: bytes
    topic: str = "openlineage"
    partition: int = 0
    offset: int = 0


class Refusals(logging.Handler):
    """Keeps what the consumer says of messages that are malformed."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info:
            self.said.append(str(record.exc_info[1]))


def application(key: str) -> FastAPI:
    """Its REST API, and ``POST /api/v1/lineage`` before its consumer."""
    settings = ServerApplicationSettings()
    sessions = create_session_factory(settings.database)
    waiting: list[OpenLineageRunEvent] = []
    app = application_factory(settings)
    refusals = Refusals()
    LOG.addHandler(refusals)

    @app.post("/api/v1/lineage")
    async def take(request: Request) -> Response:
        if request.headers.get("authorization") != f"Bearer {key}":
            return Response(status_code=401)
        body = await request.body()
        if request.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        async for parsed, _ in parse_messages((Record(body),), LOG):
            if parsed is None:
                return Response(refusals.said.pop(), status_code=422)
            waiting.append(parsed)
        return Response(status_code=202)

    @app.post("/save")
    async def save() -> Response:
        extractor = BatchExtractor()
        extractor.add_events(waiting)
        waiting.clear()
        async with sessions() as session:
            await save_to_db(extractor.result, session, LOG)
        return Response(status_code=204)

    return app


if __name__ == "__main__":
    migrate("alembic", ["upgrade", "head"])
    year = datetime.now(UTC).year
    asyncio.run(
        create_partitions(["--start", f"{year - 1}-01-01", "--end", f"{year + 2}-01-01", "--granularity", "year"])
    )
    uvicorn.run(application(sys.argv[2]), host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
