"""Counts of findings and tests as text, and how far a loop improved them."""

from collections.abc import Iterable

from untildone.core.check_results import FileTotals, Totals
from untildone.core.text import pluralize

# In the order of a reader's interest.
_NOUNS = {
    "errors": "error",
    "warnings": "warning",
    "infos": "note",
    "security": "security finding",
    "failed": "failing test",
}


def describe_totals(totals: Totals | FileTotals) -> str:
    """Return every count that is not zero: `12 errors, 1 warning`."""
    return _format_counts(totals, _list_nonzero(totals))


def describe_findings(totals: Totals) -> str:
    """Return every count of findings that is not zero; failing tests are no findings."""
    return _format_counts(totals, (field for field in _list_nonzero(totals) if field != "failed"))


def describe_improvement(initial: Totals | None, final: Totals | None, per_cent: int | None) -> str:
    """Return `initial: 12 errors; final: 0 errors; improvement: 100 %`, or an empty text.

    Where the initial totals are unknown, so is the improvement.
    """
    if final is None:
        return ""
    nonzero = {*_list_nonzero(initial or Totals()), *_list_nonzero(final)}
    fields = [field for field in _NOUNS if field in nonzero]
    if not fields:
        return ""
    known = _format_counts(initial, fields) if initial else "unknown"
    text = f"initial: {known}; final: {_format_counts(final, fields)}"
    return text if per_cent is None or not initial else f"{text}; improvement: {per_cent} %"


def _list_nonzero(totals: Totals | FileTotals) -> list[str]:
    return [field for field in _NOUNS if getattr(totals, field, 0)]


def _format_counts(totals: Totals | FileTotals, fields: Iterable[str]) -> str:
    return ", ".join(pluralize(getattr(totals, field), _NOUNS[field]) for field in fields)
