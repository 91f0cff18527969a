"""The rows of the queue, by `python -m bench queue`."""

from collections.abc import Iterator
from pathlib import Path

from bench.queue import adding, taking
from bench.queue.databases import open_databases
from bench.table import Row


def measure(folder: Path) -> Iterator[Row]:
    with open_databases(folder) as kinds:
        yield from adding.measure(folder, kinds)
        yield from taking.measure(kinds)
