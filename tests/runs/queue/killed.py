"""`killed.py N ARGUMENTS…`: untildone, killed before its Nth record of a step.

With `-N` it is killed before the Nth table that it creates.
"""

import os
import signal
import sys
from typing import Any

import sqlalchemy as sa

from untildone.cli.main import main

# Our own journal of a task, and what dbos records: its beginning, its steps, its end.
_RECORDS = tuple(
    f"INSERT INTO {table} ("
    for table in ("untildone_step", "workflow_status", "operation_outputs", "workflow_output")
)


def count_records(number: int) -> None:
    left = [abs(number)]
    counted = _RECORDS if number > 0 else ("CREATE TABLE",)

    def look(_c: Any, _k: Any, statement: str, *_: Any) -> None:  # noqa: ANN401  SQLAlchemy's own
        plain = statement.strip().replace('"', "").replace("dbos.", "").replace("main.", "")
        if plain.startswith(counted):
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)

    sa.event.listen(sa.Engine, "before_cursor_execute", look)


if __name__ == "__main__":
    count_records(int(sys.argv[1]))
    sys.exit(main(sys.argv[2:]))
