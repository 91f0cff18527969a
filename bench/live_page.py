"""The live page's list of very many loops, again and again."""

import itertools
import os
from pathlib import Path

from msgspec.structs import replace

from bench.table import Row, measure_medians
from untildone.app import open_context
from untildone.core.contract import Contract
from untildone.engine.verbs import change_loop
from untildone.store.home import prepare_home
from untildone.web.access import Access
from untildone.web.pages import Pages

LOOPS = 1_000


def measure(folder: Path) -> list[Row]:
    home = folder / "state"
    prepare_home(home)
    context = open_context(dict(os.environ), home=str(home))
    for number in range(LOOPS):
        context.loops.create(make_contract(number, folder))
    pages = Pages(context, Access(0))
    pages.build_list({})
    numbers = itertools.cycle(range(LOOPS))

    def change() -> None:
        loop = f"{next(numbers):08x}"
        change_loop(context, loop, lambda now: replace(now.progress, round=1), kind="round")

    def refresh() -> None:
        change()
        pages.build_list({})

    write, read, show = measure_medians([change, context.loops.list_all, refresh], rounds=9)
    return [Row("live page of 1,000 loops, one changed", (show - write) / read, 0.5, "reading all")]


def make_contract(number: int, project: Path) -> Contract:
    return Contract(
        id=f"{number:08x}",
        agent="claude",
        session="",
        project=str(project),
        task=f"Fix the test number {number}",
        started_at=f"2026-01-01T00:00:00.{number:06}+00:00",
    )
