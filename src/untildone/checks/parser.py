"""What every parser module offers, and what several of them need."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from untildone.checks.findings import Diagnostic
from untildone.checks.output import clean
from untildone.loop.model import Tests

_LONGEST = 1_000


class Parser(Protocol):
    # programs whose output this module understands
    @property
    def PROGRAMS(self) -> Sequence[str]: ...

    # what a finished program's output reports; lines it does not know are skipped
    def parse(self, output: str) -> Iterator[Diagnostic]: ...

    # the tests this output reports; None if it says nothing about tests
    def tests(self, output: str) -> Tests | None: ...


def total(reports: Iterable[Tests]) -> Tests | None:
    """The sum of several reports; None if there is none."""
    parts = tuple(reports)
    if not parts:
        return None
    return Tests(
        passed=sum(part.passed for part in parts),
        failed=sum(part.failed for part in parts),
        skipped=sum(part.skipped for part in parts),
        failing=tuple(dict.fromkeys(name for part in parts for name in part.failing)),
    )


def blocks(matches: Sequence[re.Match[str]], end: int) -> Iterator[tuple[re.Match[str], int]]:
    """Each match with the place where the next one begins."""
    ends = (*(match.start() for match in matches[1:]), end)
    return zip(matches, ends, strict=False)


def first_line(text: str) -> str:
    """The first line that says something, fit to be shown: JSON and XML can hide what is not."""
    text = text[:_LONGEST]
    line = text if text.isprintable() else next(filter(str.strip, clean(text).split("\n")), "")
    return line.strip()
