"""Databases for tests of the queue: SQLite in the quick tests, Postgres in the slow ones too."""

import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from runs.queue.fleet import Fleet
from runs.queue.world import Postgres, find_postgres
from tools import missing


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    if not find_postgres():
        missing("Postgres is not installed")
    server = Postgres()
    _wait_for_answer(server.url)
    yield server
    server.close()


def _wait_for_answer(url: str) -> None:
    """Wait until it lets clients in: it listens before."""
    until = time.monotonic() + 60
    while True:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            assert time.monotonic() < until
            time.sleep(0.1)
        else:
            return


@pytest.fixture
def postgres_fleet(postgres_server: Postgres) -> Iterator[Fleet]:
    fleet = Fleet(postgres_server.url.replace("postgresql://", "postgresql+psycopg://"))
    yield fleet
    fleet.engine.dispose()


@pytest.fixture
def sqlite_fleet(tmp_path: Path) -> Iterator[Fleet]:
    fleet = Fleet(f"sqlite:///{tmp_path}/queue.sqlite")
    yield fleet
    fleet.engine.dispose()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def any_fleet(request: pytest.FixtureRequest) -> Fleet:
    fleet: Fleet = request.getfixturevalue(f"{request.param}_fleet")
    return fleet
