"""Lists of old findings that a linter forgives: they may only get shorter."""

import re

from untildone.integrity.comparison import Comparison

_BASELINE = re.compile(
    r"(.*/)?[^/]*(baseline|eslint-suppressions|rubocop_todo|betterer\.results|\.secrets)[^/]*"
    r"(\.(json|xml|ya?ml|neon|txt|toml|results|baseline))?|(.*/)?\.basedpyright/.*"
)
_SOURCE = re.compile(r".*\.(py|[cm]?[jt]sx?|go|rs|java|kt|md|rst|sh)")


def is_grown_baseline(comparison: Comparison, path: str) -> bool:
    if not _BASELINE.fullmatch(path) or _SOURCE.fullmatch(path):
        return False
    is_changed = path in (*comparison.changes.edited, *comparison.changes.added)
    if not is_changed or comparison.role(path) == "test":
        return False
    return bool(_find_lines(comparison.new.text(path)) - _find_lines(comparison.old.text(path)))


def _find_lines(text: str) -> set[str]:
    """Return the findings without their line numbers, which move with every edit."""
    return {
        re.sub(r":\d+(:\d+)?:|\bline=\"\d+\"", ":", line).strip().rstrip(",")
        for line in text.splitlines()
    }
