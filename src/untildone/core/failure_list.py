"""Failures as lines of text: new, regressed, remaining by file, and a summary of the change."""

from collections import Counter

from untildone.core.check_results import SEVERITY_NOUNS, CheckResult
from untildone.core.evidence import Evidence
from untildone.core.failure_changes import Failure, FailureChanges
from untildone.core.text import join_first, pluralize, to_one_line
from untildone.core.totals import count_totals, make_duplicate_filter

_MAX_SHOWN = 8
_MAX_FILES = 6
_MAX_PER_FILE = 3
# A rule that is broken in more files than this is one line with a count.
_MANY_FILES = 3
_MAX_WORST = 4
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
    rules, others = _split_rules(failures)
    lines = [f"  {_locate(failure)}{_describe(failure)}" for failure in others[:_MAX_SHOWN]]
    rest = len(others) - _MAX_SHOWN
    return [heading, *rules, *lines, *([f"  and {rest} more"] if rest > 0 else [])]


def _split_rules(failures: tuple[Failure, ...]) -> tuple[list[str], tuple[Failure, ...]]:
    """Return a line for each rule that is broken in many files, and the other failures."""
    files: dict[tuple[str, str], Counter[str]] = {}
    for failure in failures:
        if rule := _get_rule(failure):
            files.setdefault(rule, Counter())[_find_file(failure)] += 1
    wide = {rule: found for rule, found in files.items() if len(found) > _MANY_FILES}
    lines = [
        _describe_rule(found, [failure for failure in failures if _get_rule(failure) == rule])
        for rule, found in wide.items()
    ]
    return lines, tuple(failure for failure in failures if _get_rule(failure) not in wide)


def _get_rule(failure: Failure) -> tuple[str, str] | None:
    """Return check and code of a finding that is no failing test; None where there is no code."""
    result, test, finding = failure
    return (result.name, finding.code) if finding and finding.code and not test else None


def _describe_rule(files: Counter[str], failures: list[Failure]) -> str:
    worst = sorted(files, key=lambda file: (-files[file], file))
    shown = join_first([f"{to_one_line(file)} ({files[file]})" for file in worst], _MAX_WORST)
    differ = len({_describe(failure) for failure in failures}) > 1
    what = f"{_describe(failures[0])}{' and the like' if differ else ''}"
    return f"  {what}: {files.total()} times in {len(files)} files, most in {shown}"


def _choose_heading(evidence: Evidence, failures: tuple[Failure, ...]) -> str:
    if not evidence.baseline:
        return "Failing, by file:"
    judged = {result.name for result in evidence.baseline}
    known = all(result.name in judged for result, _, _ in failures)
    return "Failed already in the baseline, by file:" if known else "Remaining, by file:"


def _group_by_file(heading: str, failures: tuple[Failure, ...]) -> list[str]:
    files: dict[str, list[Failure]] = {}
    rules, others = _split_rules(failures)
    for failure in others:
        if failure[1] or failure[2]:
            files.setdefault(_find_file(failure), []).append(failure)
    if not files and not rules:
        return []
    worst = sorted(files, key=lambda file: (-len(files[file]), file))
    lines = [line for file in worst[:_MAX_FILES] for line in _list_file(file, files[file])]
    hidden = worst[_MAX_FILES:]
    if hidden:
        rest = sum(len(files[file]) for file in hidden)
        lines.append(f"  and {rest} more in {pluralize(len(hidden), 'other file')}")
    return [heading, *rules, *lines]


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


def summarize_changes(
    evidence: Evidence, seen: FailureChanges, *, counts_fixed: bool = True
) -> str:
    """Return a line with the current totals and what became of the baseline's failures.

    Without `counts_fixed` it does not say what is fixed: an edited test may only look so.
    """
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
        fixed = f"{seen.fixed} fixed, " if counts_fixed else ""
        parts.append(
            f"Since the baseline: {fixed}{len(seen.new)} new, {len(seen.regressed)} regressed,"
            f" {len(seen.remaining)} remaining{_describe_gone(seen, counts_fixed=counts_fixed)}."
        )
    return " ".join(parts)


def _describe_gone(seen: FailureChanges, *, counts_fixed: bool) -> str:
    if not counts_fixed:
        return "; tests were edited, so what is fixed is counted at the end"
    unseen = f", {seen.unseen} not seen now" if seen.unseen else ""
    if seen.percent_fixed is None:
        return unseen
    return f"{unseen} ({seen.percent_fixed} % fewer failures than in the baseline)"
