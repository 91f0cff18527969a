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


def describe_totals(counted: Totals | FileTotals) -> str:
    """`12 errors, 1 warning`: every count that is not zero."""
    return _format_counts(counted, _list_nonzero(counted))


def describe_improvement(first: Totals | None, last: Totals | None, per_cent: int | None) -> str:
    """`initial: 12 errors; final: 0 errors; improvement: 100 %`, where anything was counted."""
    if first is None or last is None:
        return ""
    fields = [field for field in _NOUNS if field in (*_list_nonzero(first), *_list_nonzero(last))]
    if not fields:
        return ""
    gone = [] if per_cent is None else [f"improvement: {per_cent} %"]
    return "; ".join(
        (
            f"initial: {_format_counts(first, fields)}",
            f"final: {_format_counts(last, fields)}",
            *gone,
        )
    )


def _list_nonzero(counted: Totals | FileTotals) -> list[str]:
    return [field for field in _NOUNS if getattr(counted, field, 0)]


def _format_counts(counted: Totals | FileTotals, fields: Iterable[str]) -> str:
    return ", ".join(pluralize(getattr(counted, field), _NOUNS[field]) for field in fields)
