"""What every parser module offers, and what several of them need."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from untildone.checks.findings import Diagnostic
from untildone.checks.output import clean
from untildone.core.check_results import Tests

_LONGEST = 1_000
_ATTEMPTS = 20
_LAST_LINE = 999_999_999

#       at Object.toBe (cart.test.js:5:27), as every JavaScript engine tells it
STACK_PLACE = re.compile(
    r"^ +at .*?(?<=[\s(])(?P<path>[^\s()]+):(?P<line>\d{1,9}):\d+\)?$", re.MULTILINE
)
_COUNT = re.compile(r"(\d{1,9}) ([a-z]+)")


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
        passing=tuple(dict.fromkeys(name for part in parts for name in part.passing)),
        skipping=tuple(dict.fromkeys(name for part in parts for name in part.skipping)),
    )


def named(
    report: Tests | None,
    failing: Iterable[str],
    *,
    passing: Iterable[str] = (),
    skipping: Iterable[str] = (),
) -> Tests | None:
    """The counts with their ids; who tells only some of the passed and skipped names none."""
    if report is None:
        return None
    passed, skipped = numbered(passing), numbered(skipping)
    whole = len(passed) == report.passed and len(skipped) == report.skipped
    return Tests(
        passed=report.passed,
        failed=report.failed,
        skipped=report.skipped,
        failing=tuple(dict.fromkeys(failing)),
        passing=passed if whole else (),
        skipping=skipped if whole else (),
    )


def numbered(names: Iterable[str]) -> tuple[str, ...]:
    """The second test of a name is another one."""
    seen: Counter[str] = Counter()
    found: list[str] = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return tuple(found)


def counts(summary: str) -> dict[str, int]:
    """`1 failed, 2 passed` by its words."""
    return {word: int(number) for number, word in _COUNT.findall(summary)}


def documents(output: str, brackets: str) -> Iterator[str]:
    """The whole text, else what opens at the beginning of a line and closes there or at another."""
    yield output
    opening, closing = map(re.escape, brackets)
    end = re.compile(rf"^{closing}\s*$", re.MULTILINE)
    for attempt, start in enumerate(re.finditer(rf"^{opening}", output, re.MULTILINE)):
        if attempt == _ATTEMPTS:
            return
        line_end = output.find("\n", start.start())
        yield output[start.start() : line_end if line_end >= 0 else len(output)]
        if closed := end.search(output, start.end()):
            yield output[start.start() : closed.end()]


def blocks(matches: Sequence[re.Match[str]], end: int) -> Iterator[tuple[re.Match[str], int]]:
    """Each match with the place where the next one begins."""
    ends = (*(match.start() for match in matches[1:]), end)
    return zip(matches, ends, strict=False)


def first_line(text: str) -> str:
    """The first line that says something, fit to be shown: JSON and XML can hide what is not."""
    text = text[:_LONGEST]
    line = text if text.isprintable() else next(filter(str.strip, clean(text).split("\n")), "")
    return line.strip()


def line_number(number: int) -> int:
    return number if 0 < number <= _LAST_LINE else 0
