"""The protocol of a parser module, and functions that several parsers share."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, runtime_checkable

from untildone.checks.clean_output import clean
from untildone.checks.findings import Diagnostic
from untildone.core.check_results import Severity, Tests

_LONGEST_LINE = 1_000
_MOST_DOCUMENTS = 20
_LARGEST_LINE_NUMBER = 999_999_999

_SEVERITIES: dict[str, Severity] = {
    "warning": "warning",
    "warn": "warning",
    "w": "warning",
    "security": "security",
    **dict.fromkeys(("info", "information", "note", "hint", "style", "help"), "info"),
}
#       at Object.toBe (cart.test.js:5:27), a stack trace of any JavaScript engine
JAVASCRIPT_FRAME = re.compile(
    r"^ +at .*?(?<=[\s(])(?P<path>[^\s()]+):(?P<line>\d{1,9}):\d+\)?$", re.MULTILINE
)
_COUNT = re.compile(r"(\d{1,9}) ([a-z]+)")
_PASSED_WORDS = ("passed", "xpassed")
_FAILED_WORDS = ("failed", "error", "errors")
# An expected failure proves nothing about the product.
_SKIPPED_WORDS = ("skipped", "todo", "pending", "xfailed")


class Parser(Protocol):
    # programs whose output this module understands
    @property
    def PROGRAMS(self) -> Sequence[str]: ...

    # diagnostics in a finished program's output; lines it does not know are skipped
    def parse(self, output: str) -> Iterator[Diagnostic]: ...


@runtime_checkable
class RunnerParser(Parser, Protocol):
    # tests that the output of a test runner reports; None if it says nothing about tests
    def parse_tests(self, output: str) -> Tests | None: ...


def make_diagnostic(
    match: re.Match[str], *, code: str | None = None, text: str | None = None
) -> Diagnostic:
    """Makes a diagnostic of the groups path, line, code, severity and text.

    A pattern may lack any of them; `code` and `text` replace their groups.
    """
    groups = match.groupdict()
    return Diagnostic(
        path=groups.get("path") or "",
        line=int(groups.get("line") or 0),
        code=(groups.get("code") or "") if code is None else code,
        severity=parse_severity(groups.get("severity") or "error"),
        text=match["text"] if text is None else text,
    )


def parse_severity(word: str) -> Severity:
    return _SEVERITIES.get(word.casefold(), "error")


def sum_tests(reports: Iterable[Tests]) -> Tests | None:
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


def add_names(
    report: Tests | None,
    failing: Iterable[str],
    *,
    passing: Iterable[str] = (),
    skipping: Iterable[str] = (),
) -> Tests | None:
    """The counts with the names; passed and skipped names are left out if some are missing."""
    if report is None:
        return None
    passed, skipped = number_duplicates(passing), number_duplicates(skipping)
    complete = len(passed) == report.passed and len(skipped) == report.skipped
    return Tests(
        passed=report.passed,
        failed=report.failed,
        skipped=report.skipped,
        failing=tuple(dict.fromkeys(failing)),
        passing=passed if complete else (),
        skipping=skipped if complete else (),
    )


def number_duplicates(names: Iterable[str]) -> tuple[str, ...]:
    """Names made unique: the second `a` becomes `a #2`."""
    seen: Counter[str] = Counter()
    found: list[str] = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return tuple(found)


def parse_counts(summary: str) -> dict[str, int]:
    """`1 failed, 2 passed` as a number per word."""
    return {word: int(number) for number, word in _COUNT.findall(summary)}


def count_tests(summary: str) -> Tests:
    """`1 failed, 2 passed, 1 todo` as tests; words that do not count tests are ignored."""
    counts = parse_counts(summary)
    return Tests(
        passed=sum(counts.get(word, 0) for word in _PASSED_WORDS),
        failed=sum(counts.get(word, 0) for word in _FAILED_WORDS),
        skipped=sum(counts.get(word, 0) for word in _SKIPPED_WORDS),
    )


def read_counts(match: re.Match[str]) -> Tests:
    """The groups passed, failed and skipped of a summary; a missing one is 0."""
    return Tests(
        passed=int(match["passed"]),
        failed=int(match["failed"] or 0),
        skipped=int(match["skipped"] or 0),
    )


def subtract_counts(run: int, *, failed: int, skipped: int) -> Tests:
    """Counts of a summary that has the number of all tests instead of the passed ones."""
    return Tests(passed=max(run - failed - skipped, 0), failed=failed, skipped=skipped)


def find_documents(output: str, brackets: str) -> Iterator[str]:
    """Candidates for a JSON document: the whole text, then parts between brackets.

    A part begins with the bracket at the start of a line and ends with that line, or with a
    line that consists of the closing bracket.
    """
    yield output
    opening, closing = map(re.escape, brackets)
    end = re.compile(rf"^{closing}\s*$", re.MULTILINE)
    for attempt, start in enumerate(re.finditer(rf"^{opening}", output, re.MULTILINE)):
        if attempt == _MOST_DOCUMENTS:
            return
        line_end = output.find("\n", start.start())
        yield output[start.start() : line_end if line_end >= 0 else len(output)]
        if closed := end.search(output, start.end()):
            yield output[start.start() : closed.end()]


def split_blocks(pattern: re.Pattern[str], output: str) -> Iterator[tuple[re.Match[str], str]]:
    """Each match with the text from its end to the next match."""
    matches = list(pattern.finditer(output))
    ends = [*(match.start() for match in matches[1:]), len(output)]
    for match, end in zip(matches, ends, strict=False):
        yield match, output[match.end() : end]


def shorten_to_line(text: str) -> str:
    """The first line that is not blank, cleaned: JSON and XML can hide control characters."""
    text = text[:_LONGEST_LINE]
    line = text if text.isprintable() else next(filter(str.strip, clean(text).split("\n")), "")
    return line.strip()


def limit_line(number: int) -> int:
    return number if 0 < number <= _LARGEST_LINE_NUMBER else 0
