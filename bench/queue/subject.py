"""The rows of the queue, by `python -m bench queue [--tasks N] [--turn SECONDS] [--into]`."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.queue import adding, taking, throughput
from bench.queue.databases import open_databases
from bench.queue.throughput import Options
from bench.table import Row

USUAL = Options()


def parse_options(arguments: Sequence[str]) -> Options:
    parser = argparse.ArgumentParser(prog="python -m bench queue")
    parser.add_argument("--tasks", type=int, default=USUAL.tasks)
    parser.add_argument("--turn", type=float, default=USUAL.turn, help="seconds of the agent")
    parser.add_argument("--into", action="store_true", help="let the queue merge, too")
    return Options(**vars(parser.parse_args(arguments)))


def measure(folder: Path, options: Options = USUAL) -> Iterator[Row]:
    with open_databases(folder) as kinds:
        yield from adding.measure(folder, kinds)
        yield from taking.measure(kinds)
        # The last kind is what machines share.
        create = list(kinds.values())[-1]
        yield from throughput.measure(folder, create("throughput"), options)
