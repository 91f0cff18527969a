"""A backlog that is added by the command, against the same rows by the database's own means."""

import json
import os
import secrets
import subprocess
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import sqlalchemy as sa

from bench.plan_runs import PROGRAM
from bench.queue.databases import Create
from bench.table import Row, measure_medians
from untildone.runs.queue.address import hide_password
from untildone.runs.queue.database import open_database
from untildone.runs.queue.tables import TASKS

LINES = 10_000
TEXT = "word " * 100
TURNS = 3


def measure(folder: Path, kinds: Mapping[str, Create]) -> Iterator[Row]:
    backlog = folder / "backlog.jsonl"
    lines = [json.dumps({"task": f"Port {n}\n\n{TEXT}", "checks": ["x"]}) for n in range(LINES)]
    backlog.write_text("\n".join(lines), encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(folder / "project")], check=True)
    for name, create in kinds.items():
        url = create("adding")
        add = partial(add_backlog, folder, url, backlog)
        add()
        plain = PlainInsert(url)
        ours, copied = measure_medians([add, plain.insert], rounds=TURNS)
        print(f"({name}: {ours:.2f} s for {LINES:,} tasks, {copied:.2f} s by a plain insert)")
        yield Row(f"`queue add --from` of {LINES:,}, {name}", ours / copied, 10, "a plain insert")


def add_backlog(folder: Path, url: str, backlog: Path) -> None:
    argv = [str(PROGRAM), "queue", "add", "--from", str(backlog), "--database", hide_password(url)]
    environ = {**os.environ, "UNTILDONE_HOME": str(folder / "state"), "HOME": str(folder)}
    subprocess.run(argv, cwd=folder / "project", env=environ, check=True, capture_output=True)


class PlainInsert:
    """The rows that the command has added, with other ids, by one COPY or one `executemany`."""

    def __init__(self, url: str) -> None:
        self._engine = open_database(url)
        self._columns = [column.name for column in TASKS.c if column.name != "number"]
        with self._engine.connect() as connection:
            chosen = sa.select(*(TASKS.c[name] for name in self._columns)).limit(LINES)
            self._rows = [tuple(row) for row in connection.execute(chosen)]

    def insert(self) -> None:
        place = self._columns.index("id")
        rows = [(*row[:place], secrets.token_hex(8), *row[place + 1 :]) for row in self._rows]
        names = ", ".join(self._columns)
        connection = self._engine.raw_connection()
        cursor = connection.cursor()
        if self._engine.dialect.name == "sqlite":
            marks = ", ".join("?" * len(self._columns))
            cursor.executemany(f"INSERT INTO {TASKS.name} ({names}) VALUES ({marks})", rows)  # noqa: S608  our own names
        else:
            with cursor.copy(f"COPY {TASKS.name} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        connection.commit()
        connection.close()
