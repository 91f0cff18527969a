"""`broken.py TEXT ARGUMENTS…`: untildone, with an error that says TEXT in its second step."""

import sys
from typing import Any

import sqlalchemy as sa

from untildone.cli.main import main


def fail_at_second_step(text: str) -> None:
    left = [2]

    def look(_c: Any, _k: Any, statement: str, *_: Any) -> None:  # noqa: ANN401  SQLAlchemy's own
        left[0] -= statement.startswith("INSERT INTO untildone_step")
        if not left[0]:
            left[0] = -1
            raise OSError(text)

    sa.event.listen(sa.Engine, "before_cursor_execute", look)


if __name__ == "__main__":
    fail_at_second_step(sys.argv[1])
    sys.exit(main(sys.argv[2:]))
