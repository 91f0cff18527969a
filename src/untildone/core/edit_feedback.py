"""Findings in edited files, for the agent: their number, and a list by file."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby

from untildone.core.check_results import Finding
from untildone.core.evidence import Evidence
from untildone.core.text import pluralize, shorten, to_one_line

_MAX_LIST = 3_000
_MAX_PER_FILE = 8
_MAX_FILES = 12


def format_round(evidence: Evidence) -> str:
    """Return the errors in files edited in this round that no check reported."""
    reported = {_get_place(finding) for result in evidence.checks for finding in result.findings}
    found = sort_by_place(
        finding
        for finding in evidence.diagnostics
        if finding.severity in ("error", "security") and _get_place(finding) not in reported
    )
    if not found:
        return ""
    head = (
        f"In the files you edited, beside the checks: {summarize_findings(found)} (no criterion)."
    )
    return "\n".join((head, *_list_by_file(found)))


def _get_place(finding: Finding) -> tuple[str, int, str]:
    return finding.path, finding.line, finding.code


def summarize_findings(findings: Iterable[Finding]) -> str:
    found = Counter(finding.severity for finding in findings)
    parts = ((found["error"], "error"), (found["security"], "security finding"))
    return " and ".join(pluralize(count, noun) for count, noun in parts if count)


def sort_by_place(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=_get_place)


def list_findings(findings: Iterable[Finding]) -> str:
    """Return the findings below the name of their file, shortened."""
    return shorten("\n".join(_list_by_file(sort_by_place(findings))), _MAX_LIST)


def _list_by_file(found: list[Finding]) -> Iterator[str]:
    files = [(path, list(its)) for path, its in groupby(found, key=lambda finding: finding.path)]
    for path, its in files[:_MAX_FILES]:
        yield to_one_line(path)
        for finding in its[:_MAX_PER_FILE]:
            yield "  " + to_one_line(
                f"{finding.line}: {finding.severity} {finding.code} {finding.text}"
            )
        if len(its) > _MAX_PER_FILE:
            yield f"  and {len(its) - _MAX_PER_FILE} more"
    if len(files) > _MAX_FILES:
        yield f"and {pluralize(len(files) - _MAX_FILES, 'more file')}"
