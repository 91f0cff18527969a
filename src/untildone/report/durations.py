"""Durations as text. Standard library only: the status line uses it."""

# Longer times are told in the next unit.
_LONGEST = 100


def format_seconds(seconds: float) -> str:
    """Return `12 s`, `4 min` or `3 h`."""
    if seconds < _LONGEST:
        return f"{seconds:.0f} s"
    if seconds < _LONGEST * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h"
