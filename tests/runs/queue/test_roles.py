"""Roles of Postgres with least rights: what each may do works, everything else is refused."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from runs.queue.world import Postgres, QueueWorld, find_postgres, require_once
from tools import missing

ROLES = {"submitter": "alice", "worker": "build-1", "reader": "board"}
INSERT = "INSERT INTO untildone_task ({}) VALUES ({})"
NEW = {
    "id": "'aaaaaaaa'",
    "state": "'queued'",
    "route": r"E'\t\t/r'",
    "options": "'{}'",
    "repository": "'/r'",
    "attempt": "1",
    "since_attempt": "1",
}
USED = {"token": "3", "worker": "'w'", "result": "'{}'", "reason": "'x'"}
# Ended after its branch was pushed: only the merge is missing.
PUSHED = {
    "state": "'ended'",
    "target": "'main'",
    "result": """'{"branch":"untildone/p"}'""",
}
# One task in each state; the id is the state's first letter, eight times.
STATES = ("queued", "running", "ended", "done")
RETRY = (
    "state = 'queued', worker = '', cancelling = 0, outcome = '', reason = '', result = '',"
    " waits = '', spent_micro = 0, faults = 0, deaths = 0, dead = 0, since_attempt = attempt + 1"
)
MERGE = "state = 'merging', cancelling = 0, outcome = '', reason = ''"
STEP = "INSERT INTO untildone_step (task, name) VALUES ('q', 'done')"
WORKER = "INSERT INTO untildone_worker (id, state) VALUES ('x', 'alive')"
USAGE = "INSERT INTO untildone_usage (kind, name, minute) VALUES ('queue', '', 0)"
ACCOUNT = "INSERT INTO untildone_account (name) VALUES ('a')"
SETTING = "INSERT INTO untildone_setting (name, value) VALUES ('paused', '1')"
DDL = (
    "CREATE TABLE mine (a int)",
    "CREATE TEMPORARY TABLE mine (a int)",
    "CREATE SCHEMA mine",
    "CREATE FUNCTION public.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "ALTER TABLE untildone_task ADD COLUMN mine int",
    "ALTER TABLE untildone_task DISABLE TRIGGER ALL",
    "DROP TABLE untildone_task",
    "TRUNCATE untildone_task",
    "SET session_replication_role = replica",
    "SET ROLE owner",
    "CREATE TABLE dbos.mine (a int)",
    "DELETE FROM untildone_task",
    "DELETE FROM untildone_step",
    "DELETE FROM untildone_worker",
    "DELETE FROM untildone_need",
    "DELETE FROM untildone_setting",
    "UPDATE untildone_setting SET value = '2'",
    "UPDATE untildone_step SET detail = 'x'",
    SETTING,
    "INSERT INTO untildone_limit (kind, name) VALUES ('queue', '')",
    "UPDATE untildone_limit SET rate = 0",
    "DELETE FROM untildone_limit",
    "DELETE FROM untildone_account",
    "DELETE FROM untildone_merge",
    "UPDATE untildone_task SET options = '{}'",
    "UPDATE untildone_task SET configuration = 'x'",
    "UPDATE untildone_task SET priority = 9",
    "UPDATE dbos.dbos_migrations SET version = 0",
)


def insert(**other: str) -> str:
    row = {**NEW, **other}
    return INSERT.format(", ".join(row), ", ".join(row.values()))


def update(state: str, values: str) -> str:
    return f"UPDATE untildone_task SET {values} WHERE id = '{state[0] * 8}'"  # noqa: S608  test data


TABLES = ("task", "need", "worker", "step", "setting", "limit", "usage", "account", "merge")
# Role, statement, whether it is allowed.
RIGHTS = [
    ("submitter", insert(), True),
    ("worker", insert(), False),
    ("reader", insert(), False),
    ("submitter", insert(state="'done'"), False),
    ("submitter", insert(attempt="7"), False),
    ("submitter", insert(since_attempt="7"), False),
    ("submitter", insert(spent_micro="-7"), False),
    ("submitter", insert(**{"token": "7"}), False),
    ("submitter", insert(worker="'x'"), False),
    ("submitter", insert(result="'{}'"), False),
    ("submitter", insert(number="1"), False),
    ("submitter", insert(id="'../../etc'"), False),
    ("submitter", insert(route=r"E'\t\t/allowed'"), False),
    ("submitter", insert(route=r"E'a\tb\t/ok/\t/r'", agent=r"E'a\tb'", labels="'/ok/'"), False),
    ("submitter", update("queued", "state = 'cancelled', outcome = 'cancelled'"), True),
    ("submitter", update("running", "cancelling = 1"), True),
    ("submitter", update("ended", f"{RETRY}, attempt = attempt + 1"), True),
    ("submitter", update("ended", f"{RETRY}, attempt = attempt + 1, deadline_ms = 9"), False),
    ("submitter", update("ended", RETRY), False),
    ("submitter", update("ended", f"{RETRY}, attempt = attempt + 2"), False),
    ("submitter", update("done", f"{RETRY}, attempt = attempt + 1"), False),
    ("submitter", update("ended", "state = 'queued', attempt = attempt + 1"), False),
    ("submitter", update("queued", "state = 'done', outcome = 'done'"), False),
    ("submitter", update("running", "state = 'done', outcome = 'done'"), False),
    ("submitter", update("running", "state = 'queued', worker = ''"), False),
    ("submitter", update("running", "cancelling = 1, result = 'forged'"), False),
    ("submitter", update("ended", "result = 'forged'"), False),
    ("submitter", update("queued", "token = 9"), False),
    ("submitter", update("running", "spent_micro = 0"), False),
    ("submitter", update("ended", MERGE), False),
    ("submitter", update("pushed", MERGE), True),
    ("submitter", update("pushed", f"{MERGE}, evidence = 'x'"), False),
    ("reader", update("queued", "state = 'cancelled', outcome = 'cancelled'"), False),
    ("worker", update("queued", "state = 'running', worker = 'w', token = token + 1"), True),
    ("worker", update("running", "state = 'done', outcome = 'done', result = '{}'"), True),
    ("worker", update("running", "token = token - 1"), False),
    ("worker", update("queued", "attempt = attempt + 1"), True),
    ("worker", update("queued", "budget_micro = 9"), False),
    ("submitter", "UPDATE untildone_limit SET rate = 9", False),
    ("worker", "UPDATE untildone_limit SET rate = 9", False),
    ("submitter", "UPDATE untildone_usage SET spent_micro = 0", False),
    ("submitter", "INSERT INTO untildone_need VALUES ('q', 'r')", True),
    ("worker", "INSERT INTO untildone_need VALUES ('q', 'r')", False),
    ("worker", USAGE, True),
    ("submitter", USAGE, False),
    ("submitter", "DELETE FROM untildone_usage", False),
    ("worker", ACCOUNT, True),
    ("submitter", ACCOUNT, False),
    ("submitter", "INSERT INTO untildone_merge (id) VALUES ('x')", False),
    ("worker", STEP, True),
    ("submitter", STEP, False),
    ("reader", STEP, False),
    ("worker", WORKER, True),
    ("submitter", WORKER, False),
    ("worker", "UPDATE untildone_worker SET beat = beat + 1, state = 'dead'", True),
    ("worker", "UPDATE untildone_worker SET host = 'x'", False),
    ("submitter", "UPDATE untildone_worker SET state = 'dead'", False),
    ("worker", "UPDATE dbos.workflow_status SET status = 'ERROR'", True),
    ("submitter", "SELECT * FROM dbos.workflow_status", False),
    ("reader", "SELECT * FROM dbos.operation_outputs", False),
    *((role, statement, False) for role in ROLES for statement in DDL),
    *(
        (role, f"SELECT * FROM untildone_{table}", True)  # noqa: S608  test data
        for role in ROLES
        for table in TABLES
    ),
]


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    """A server with the roles and two databases, which are empty yet."""
    if not find_postgres():
        missing("Postgres is not installed")
    server = Postgres()
    try:
        with psycopg.connect(server.url, autocommit=True) as connection:
            for name in ("owner", "stranger", *ROLES.values()):
                connection.execute(f'CREATE ROLE "{name}" LOGIN')
            for name in ("queue", "fresh"):
                connection.execute(f"CREATE DATABASE {name} OWNER owner")
        yield server
    finally:
        server.close()


def get_url(server: Postgres, name: str, database: str = "queue") -> str:
    return server.url.replace("queue@", f"{name}@").replace("/postgres", f"/{database}")


@pytest.fixture(scope="module")
def database(server: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Postgres:
    """The server after the owner made the tables and gave the roles their rights."""
    owner = get_url(server, "owner")
    world = QueueWorld(tmp_path_factory.mktemp("owner"), database=owner)
    migrated = world.run("queue", "migrate")
    assert migrated.stdout == "the tables are up to date\n", migrated.stderr
    options = [word for role, name in ROLES.items() for word in (f"--{role}", name)]
    # Twice: it is run again after each upgrade.
    for _ in range(2):
        printed = world.run("queue", "grant", *options)
        assert printed.returncode == 0, printed.stderr
        psql = ["psql", "-q", "-v", "ON_ERROR_STOP=1", owner]
        subprocess.run(psql, input=printed.stdout, text=True, check=True)
    with psycopg.connect(owner) as connection:
        for state in (*STATES, "pushed"):
            row = {**NEW, "id": f"'{state[0] * 8}'", "state": f"'{state}'", **USED}
            row |= PUSHED if state == "pushed" else {}
            connection.execute(INSERT.format(", ".join(row), ", ".join(row.values())).encode())
        connection.execute("INSERT INTO untildone_worker (id, state) VALUES ('w', 'alive')")
    return server


@pytest.mark.parametrize(("role", "statement", "allowed"), RIGHTS)
def test_each_role_has_its_rights_and_no_others(
    database: Postgres, role: str, statement: str, allowed: bool
) -> None:
    with psycopg.connect(get_url(database, ROLES[role])) as connection:
        try:
            connection.execute(statement.encode())
        except psycopg.errors.InsufficientPrivilege:
            assert not allowed
        else:
            assert allowed, statement
        finally:
            connection.rollback()


def test_a_role_without_rights_cannot_even_connect(database: Postgres) -> None:
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(get_url(database, "stranger"))


def test_a_task_goes_through_with_separate_roles(database: Postgres, tmp_path: Path) -> None:
    with psycopg.connect(get_url(database, "owner")) as connection:
        connection.execute("DELETE FROM untildone_task")
    world = QueueWorld(tmp_path, database=get_url(database, "alice"))
    task = world.add("a", rounds=2)
    second = world.add("b", "--after", task)
    world.answer("cancel", second)
    world.answer("retry", second)
    paused = world.run("queue", "pause")
    assert (paused.returncode, "refuses this to your role" in paused.stderr) == (2, True)

    world.database = get_url(database, "build-1")
    refused = world.run("queue", "add", "x", "--repo", str(world.remote))
    assert "permission denied for table untildone_task" in refused.stderr
    world.work(kill_at=6)
    world.work(home="other")

    world.database = get_url(database, "board")
    tasks = world.answer("list", "--all")["tasks"]
    assert {(one["id"], one["state"]) for one in tasks} == {(task, "done"), (second, "done")}
    # Only the owner and workers see what dbos recorded.
    world.database = get_url(database, "owner")
    require_once(world, task, second, kills=1)


def test_who_may_not_create_tables_is_told_who_does(server: Postgres, tmp_path: Path) -> None:
    world = QueueWorld(tmp_path, database=get_url(server, "alice", "fresh"))
    refused = world.run("queue", "list")

    assert refused.returncode == 2
    assert "permission denied for schema public" in refused.stderr
    assert "untildone queue migrate" in refused.stderr
