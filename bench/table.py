"""A row of the table, how its figures are taken, and how it is shown."""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Row(NamedTuple):
    """`of`: what the figure is a multiple of, or its unit."""

    what: str
    figure: float
    bound: float
    of: str

    @property
    def holds(self) -> bool:
        return self.figure <= self.bound

    def __str__(self) -> str:
        mark = "" if self.holds else "  OVER"
        return f"{self.what:<44} {self.figure:>6.2f} {self.bound:>6g}  {self.of}{mark}"


HEADER = f"{'what':<44} {'figure':>6} {'bound':>6}  times"


def measure_seconds(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def measure_medians(actions: Sequence[Callable[[], object]], *, rounds: int) -> list[float]:
    """Each in turn, many times over: what disturbs the machine disturbs them all alike."""
    times: list[list[float]] = [[] for _ in actions]
    for _ in range(rounds):
        for number, action in enumerate(actions):
            times[number].append(measure_seconds(action))
    return [statistics.median(each) for each in times]
