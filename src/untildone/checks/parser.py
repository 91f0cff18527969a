"""The protocol of a parser module, and functions that several parsers share."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, runtime_checkable

from msgspec.structs import replace

from untildone.checks.clean_output import clean
from untildone.checks.findings import Diagnostic
from untildone.core.check_results import Severity, Tests
from untildone.core.late_patterns import compile_late

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
JAVASCRIPT_FRAME = compile_late(
    r"(?m)^ +at .*?(?<=[\s(])(?:file://)?(?P<path>[^\s()]+):(?P<line>\d{1,9}):\d+\)?$"
)
_COUNT = compile_late(r"(\d{1,9}) ([a-z]+)")
# The words that summaries have for a number of tests.
_PASSED_WORDS = ("passed", "xpassed")
_FAILED_WORDS = ("failed", "failures", "error", "errors", "cancelled", "unexpected successes")
# An expected failure proves nothing about the product.
_SKIPPED_WORDS = ("skipped", "todo", "pending", "xfailed", "expected failures")


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


def parse_matches(*patterns: str) -> Callable[[str], Iterator[Diagnostic]]:
    """Return a `parse` that makes a diagnostic of each match of the patterns."""
    compiled = [compile_late(pattern, re.MULTILINE) for pattern in patterns]

    def parse(output: str) -> Iterator[Diagnostic]:
        for pattern in compiled:
            yield from map(make_diagnostic, pattern.finditer(output))

    return parse


def make_diagnostic(
    match: re.Match[str] | None,
    *,
    code: str | None = None,
    text: str | None = None,
    severity: Severity | None = None,
) -> Diagnostic:
    """Make a diagnostic of the groups path, line, code, severity and text.

    A pattern may lack any of them; the arguments replace their groups. Without a match there is
    no location.
    """
    groups = match.groupdict() if match else {}
    return Diagnostic(
        path=groups.get("path") or "",
        line=int(groups.get("line") or 0),
        code=(groups.get("code") or "") if code is None else code,
        severity=severity or parse_severity(groups.get("severity") or "error"),
        text=(groups.get("text") or "failed") if text is None else text,
    )


def parse_severity(word: str) -> Severity:
    return _SEVERITIES.get(word.casefold(), "error")


def sum_tests(reports: Iterable[Tests]) -> Tests | None:
    """Return the sum of several reports; None if there is none."""
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
    """Return the counts with names; passed and skipped ones only if no name is missing."""
    if report is None:
        return None
    passed, skipped = number_duplicates(passing), number_duplicates(skipping)
    complete = len(passed) == report.passed and len(skipped) == report.skipped
    return replace(
        report,
        failing=tuple(dict.fromkeys(failing)),
        passing=passed if complete else (),
        skipping=skipped if complete else (),
    )


def number_duplicates(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names made unique: the second `a` becomes `a #2`."""
    counts: Counter[str] = Counter()
    unique: list[str] = []
    for name in names:
        counts[name] += 1
        unique.append(name if counts[name] == 1 else f"{name} #{counts[name]}")
    return tuple(unique)


def parse_counts(summary: str) -> dict[str, int]:
    """Return the number of each word in a text such as `1 failed, 2 passed`."""
    return {word: int(number) for number, word in _COUNT.findall(summary)}


def sum_counts(pattern: re.Pattern[str], output: str) -> Tests | None:
    """Return the tests that all summaries in the output count; None if there is none."""
    return sum_tests(map(read_counts, pattern.finditer(output)))


def read_counts(summary: re.Match[str]) -> Tests:
    """Read the group `counts`, such as `1 failed, 2 passed`, and groups named by such a word."""
    groups = summary.groupdict(default="0")
    numbers = {word: int(group) for word, group in groups.items() if group.isdecimal()}
    return count_tests(parse_counts(groups.get("counts", "")) | numbers)


def count_tests(counts: Mapping[str, int]) -> Tests:
    """Return the tests that the words count; `run` stands for all tests, passed or not."""
    passed, failed, skipped = (
        sum(counts.get(word, 0) for word in words)
        for words in (_PASSED_WORDS, _FAILED_WORDS, _SKIPPED_WORDS)
    )
    return Tests(
        passed=passed or max(counts.get("run", 0) - failed - skipped, 0),
        failed=failed,
        skipped=skipped,
    )


def name_tests(failing: Sequence[str], *, passing: Sequence[str], skipping: Sequence[str]) -> Tests:
    """Return the tests of an output that names them all."""
    return Tests(
        passed=len(passing),
        failed=len(failing),
        skipped=len(skipping),
        failing=tuple(dict.fromkeys(failing)),
        passing=number_duplicates(passing),
        skipping=number_duplicates(skipping),
    )


def find_documents(output: str, brackets: str) -> Iterator[str]:
    """Yield candidates for a JSON document: the whole text, then parts between brackets.

    A part begins with the bracket at the start of a line and ends with that line, or with a
    line that consists of the closing bracket.
    """
    yield output
    opening, closing = map(re.escape, brackets)
    end = re.compile(rf"(?m)^{closing}\s*$")
    for attempt, start in enumerate(re.finditer(rf"^{opening}", output, re.MULTILINE)):
        if attempt == _MOST_DOCUMENTS:
            return
        line_end = output.find("\n", start.start())
        yield output[start.start() : line_end if line_end >= 0 else len(output)]
        if closed := end.search(output, start.end()):
            yield output[start.start() : closed.end()]


def split_blocks(pattern: re.Pattern[str], output: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yield each match with the text from its end to the next match."""
    matches = list(pattern.finditer(output))
    ends = [*(match.start() for match in matches[1:]), len(output)]
    for match, end in zip(matches, ends, strict=False):
        yield match, output[match.end() : end]


def shorten_to_line(text: str) -> str:
    """Return the first line that is not blank, cleaned: JSON can hide control characters."""
    text = text[:_LONGEST_LINE]
    line = text if text.isprintable() else next(filter(str.strip, clean(text).split("\n")), "")
    return line.strip()


def limit_line(number: int) -> int:
    """Return the line number, or 0 if it is absurd."""
    return number if 0 < number <= _LARGEST_LINE_NUMBER else 0
