"""Failures as lines of text: new, regressed, remaining by file, and a summary of the change."""

from collections import Counter

from untildone.core.check_results import SEVERITY_NOUNS, CheckResult
from untildone.core.evidence import Evidence
from untildone.core.failure_changes import Failure, FailureChanges
from untildone.core.text import pluralize, to_one_line
from untildone.core.totals import count_totals, make_duplicate_filter

_MAX_SHOWN = 8
_MAX_FILES = 6
_MAX_PER_FILE = 3
# The kinds of failures that are listed after the others of a file.
_RANKS = {"warning": 1, "note": 2}


def summarize_result(result: CheckResult) -> str:
    """Return the result in a few words: `red, 3 passed, 1 failed`."""
    parts: list[str] = [result.outcome]
    tests = result.tests
    if tests and (tests.executed or tests.skipped):
        parts += [f"{tests.passed} passed", f"{tests.failed} failed"]
        if tests.skipped:
            parts.append(f"{tests.skipped} skipped")
    elif result.findings:
        parts.append(pluralize(max(result.finding_count, len(result.findings)), "finding"))
    return ", ".join(parts)


def find_extra_reason(result: CheckResult) -> str:
    """Return the result's reason, unless the counts beside it already say the same."""
    if result.outcome != "red":
        return result.reason
    if result.tests and result.tests.failed:
        return ""
    return "" if result.findings and result.reason.startswith("exit code ") else result.reason


def list_failures(evidence: Evidence, seen: FailureChanges) -> list[str]:
    new, remaining = _drop_duplicates(seen.new), _drop_duplicates(seen.remaining)
    return [
        *_list_under("New since the baseline:", new),
        *_list_under("Regressions, passed in the baseline and fail now:", seen.regressed),
        *_group_by_file(_choose_heading(evidence, remaining), remaining),
    ]


def _drop_duplicates(failures: tuple[Failure, ...]) -> tuple[Failure, ...]:
    is_first = make_duplicate_filter()
    return tuple(
        failure
        for failure in failures
        if failure[1] or not failure[2] or is_first(failure[0].name, failure[2])
    )


def _list_under(heading: str, failures: tuple[Failure, ...]) -> list[str]:
    if not failures:
        return []
    lines = [f"  {_locate(failure)}{_describe(failure)}" for failure in failures[:_MAX_SHOWN]]
    rest = len(failures) - _MAX_SHOWN
    return [heading, *lines, *([f"  and {rest} more"] if rest > 0 else [])]


def _choose_heading(evidence: Evidence, failures: tuple[Failure, ...]) -> str:
    if not evidence.baseline:
        return "Failing, by file:"
    judged = {result.name for result in evidence.baseline}
    known = all(result.name in judged for result, _, _ in failures)
    return "Failed already in the baseline, by file:" if known else "Remaining, by file:"


def _group_by_file(heading: str, failures: tuple[Failure, ...]) -> list[str]:
    files: dict[str, list[Failure]] = {}
    for failure in failures:
        if failure[1] or failure[2]:
            files.setdefault(_find_file(failure), []).append(failure)
    if not files:
        return []
    worst = sorted(files, key=lambda file: (-len(files[file]), file))
    lines = [line for file in worst[:_MAX_FILES] for line in _list_file(file, files[file])]
    others = worst[_MAX_FILES:]
    if others:
        rest = sum(len(files[file]) for file in others)
        lines.append(f"  and {rest} more in {pluralize(len(others), 'other file')}")
    return [heading, *lines]


def _find_file(failure: Failure) -> str:
    result, test, finding = failure
    if finding and finding.path:
        return finding.path
    return test.partition("::")[0] if "::" in test else result.name


def _list_file(file: str, failures: list[Failure]) -> list[str]:
    kinds = Counter(map(_name_kind, failures))
    counts = ", ".join(pluralize(count, noun) for noun, count in kinds.items())
    worst = sorted(failures, key=lambda failure: _RANKS.get(_name_kind(failure), 0))
    lines = [
        f"    {_locate_line(failure)}{_describe(failure)}" for failure in worst[:_MAX_PER_FILE]
    ]
    rest = len(failures) - _MAX_PER_FILE
    more = [f"    and {rest} more"] if rest > 0 else []
    return [f"  {to_one_line(file)}: {counts}", *lines, *more]


def _name_kind(failure: Failure) -> str:
    _, test, finding = failure
    if test or not finding:
        return "failing test"
    return SEVERITY_NOUNS[finding.severity]


def _locate(failure: Failure) -> str:
    _, test, finding = failure
    if test or not finding or not finding.path:
        return ""
    return to_one_line(f"{finding.path}:{finding.line}" if finding.line else finding.path) + ": "


def _locate_line(failure: Failure) -> str:
    _, test, finding = failure
    return f"{finding.line}: " if finding and finding.line and not test else ""


def _describe(failure: Failure) -> str:
    result, test, finding = failure
    if test:
        return to_one_line(f"{test}: {finding.text}" if finding else test)
    return to_one_line(f"{finding.code} {finding.text}" if finding else result.name)


def summarize_changes(evidence: Evidence, seen: FailureChanges) -> str:
    """Return a line with the current totals and what became of the baseline's failures."""
    counted = count_totals(evidence.checks)
    parts: list[str] = []
    if counted.errors or counted.warnings or counted.infos or counted.security:
        errors, warnings = (
            pluralize(counted.errors, "error"),
            pluralize(counted.warnings, "warning"),
        )
        security = pluralize(counted.security, "security finding")
        parts.append(f"Now: {errors}, {warnings}, {security}.")
    if evidence.baseline and (seen.in_baseline or seen.new or seen.regressed or seen.remaining):
        unseen = f", {seen.unseen} not seen now" if seen.unseen else ""
        gone = (
            ""
            if seen.percent_fixed is None
            else f" ({seen.percent_fixed} % fewer failures than in the baseline)"
        )
        parts.append(
            f"Since the baseline: {seen.fixed} fixed, {len(seen.new)} new,"
            f" {len(seen.regressed)} regressed, {len(seen.remaining)} remaining"
            f"{unseen}{gone}."
        )
    return " ".join(parts)
