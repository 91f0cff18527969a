"""Feedback on edited files: counts, findings by file, what to do next."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby

from untildone.core.check_results import FileTotals, Finding
from untildone.core.evidence import Evidence
from untildone.core.text import pluralize, shorten, to_one_line
from untildone.core.totals import name_severity_counts

MAX_HOLDS = 3
_MAX_LIST = 3_000
_MAX_PER_FILE = 8
_MAX_FILES = 12


def format_hold(findings: Iterable[Finding], *, hold: int) -> str:
    """The feedback of an automatic hold; `hold` counts them since the user's prompt."""
    found = _sort_by_place(findings)
    head = (
        f"[untildone] AUTO-CONTINUE {hold} of {MAX_HOLDS}: your edits in this turn brought what"
        f" was not there before: {summarize_findings(found)}."
    )
    step = (
        "Next: fix the code and stop again; what was there before is not counted. If it is meant"
        " to be so, say why and end your message with <untildone:done />."
    )
    return "\n".join((head, shorten("\n".join(_list_by_file(found)), _MAX_LIST), step))


def format_release(findings: Iterable[Finding]) -> str:
    """The notice to the user after the last automatic hold."""
    found = _sort_by_place(findings)
    paths = dict.fromkeys(each.path for each in found)
    return (
        f"untildone: let go after {MAX_HOLDS} automatic holds; this turn's edits left"
        f" {summarize_findings(found)} in {to_one_line(', '.join(paths))}"
    )


def format_edit(findings: Iterable[Finding]) -> str:
    """The feedback right after an edit."""
    found = _sort_by_place(findings)
    listed = shorten("\n".join(_list_by_file(found)), _MAX_LIST)
    return f"[untildone] This edit brought {summarize_findings(found)}:\n{listed}"


def format_round(evidence: Evidence) -> str:
    """Errors in the files edited in this round that no check reported."""
    reported = {_get_place(each) for result in evidence.checks for each in result.findings}
    found = _sort_by_place(
        each
        for each in evidence.diagnostics
        if each.severity in ("error", "security") and _get_place(each) not in reported
    )
    if not found:
        return ""
    head = (
        f"In the files you edited, beside the checks: {summarize_findings(found)} (no criterion)."
    )
    return "\n".join((head, *_list_by_file(found)))


def _get_place(finding: Finding) -> tuple[str, int, str]:
    return finding.path, finding.line, finding.code


def count_file_totals(path: str, findings: Iterable[Finding]) -> FileTotals:
    found = Counter(finding.severity for finding in findings)
    return FileTotals(path=path, **name_severity_counts(found))


def summarize_findings(findings: Iterable[Finding]) -> str:
    found = Counter(finding.severity for finding in findings)
    parts = ((found["error"], "error"), (found["security"], "security finding"))
    return " and ".join(pluralize(count, noun) for count, noun in parts if count)


def _sort_by_place(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=_get_place)


def _list_by_file(found: list[Finding]) -> Iterator[str]:
    files = [(path, list(its)) for path, its in groupby(found, key=lambda each: each.path)]
    for path, its in files[:_MAX_FILES]:
        yield to_one_line(path)
        for each in its[:_MAX_PER_FILE]:
            yield "  " + to_one_line(f"{each.line}: {each.severity} {each.code} {each.text}")
        if len(its) > _MAX_PER_FILE:
            yield f"  and {len(its) - _MAX_PER_FILE} more"
    if len(files) > _MAX_FILES:
        yield f"and {pluralize(len(files) - _MAX_FILES, 'more file')}"
