"""Prints the table, subject by subject; the exit code tells whether every bound holds.

`python -m bench [SUBJECT…]` measures the subjects named, or all but the long ones.
`python -m bench path [--check]` lists the modules that a red and a done stop pass, and what they
parse or read more than once; with `--check` its exit code tells whether both keep their bounds.
`python -m bench queue [--tasks N] [--turn SECONDS] [--into]` measures the queue.
"""

import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from bench import (
    confirmation,
    findings,
    hooks,
    live_page,
    output,
    path,
    plan_runs,
    plans,
    report,
    runs,
    schedule,
    suite,
    transcript,
    tree,
)
from bench.queue import subject as queue
from bench.table import HEADER, Row

# Each takes its measurements in an empty folder of its own.
SUBJECTS: dict[str, Callable[[Path], Iterable[Row]]] = {
    "hooks": hooks.measure,
    "transcript": transcript.measure,
    "schedule": schedule.measure,
    "tree": tree.measure,
    "suite": suite.measure,
    "findings": findings.measure,
    "output": output.measure,
    "plans": plans.measure,
    "report": report.measure,
    "plan_runs": plan_runs.measure,
    "runs": runs.measure,
    "live_page": live_page.measure,
    "confirmation": confirmation.measure,
    "queue": queue.measure,
}
# Minutes more, and the queue needs its extra and Postgres: only by name.
LONG = frozenset(("confirmation", "queue"))


def main(wanted: Sequence[str]) -> int:
    if wanted[:1] == ["path"]:
        return path.main(wanted[1:])
    if wanted[:1] == ["queue"]:
        SUBJECTS["queue"] = partial(queue.measure, options=queue.parse_options(wanted[1:]))
        wanted = wanted[:1]
    unknown = [name for name in wanted if name not in SUBJECTS]
    if unknown:
        known = ", ".join(f"`{name}`" for name in SUBJECTS)
        print(f"there is no subject `{unknown[0]}`; there are: {known}")
        return 2
    print(HEADER)
    usual = [name for name in SUBJECTS if name not in LONG]
    every = [row for name in wanted or usual for row in print_rows(name)]
    return int(not all(row.holds for row in every))


def print_rows(name: str) -> list[Row]:
    # Not named after us: hooks look closer at payloads that mention us.
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        rows = list(SUBJECTS[name](Path(folder)))
    for row in rows:
        print(row, flush=True)
    return rows


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
