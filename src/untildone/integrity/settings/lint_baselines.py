"""Lists of old findings that a linter forgives: they may only get shorter."""

import re
from collections.abc import Iterator

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison

_BASELINE = re.compile(
    r"(.*/)?[^/]*(baseline|eslint-suppressions|rubocop_todo|betterer\.results|\.secrets)[^/]*"
    r"(\.(json|xml|ya?ml|neon|txt|toml|results|baseline))?|(.*/)?\.basedpyright/.*"
)
_SOURCE = re.compile(r".*\.(py|[cm]?[jt]sx?|go|rs|java|kt|md|rst|sh)")


def find_grown_baselines(comparison: Comparison) -> Iterator[Concern]:
    for path in (*comparison.changes.edited, *comparison.changes.added):
        is_baseline = _BASELINE.fullmatch(path) and not _SOURCE.fullmatch(path)
        if not is_baseline or comparison.role(path) == "test":
            continue
        if _find_lines(comparison.new.text(path)) - _find_lines(comparison.old.text(path)):
            because = f"`{path}` forgives findings that it did not forgive in the baseline"
            digest = comparison.new.entries[path].digest
            yield make_concern(ConcernKind.CONFIG, path, reason=because, content=digest)


def _find_lines(text: str) -> set[str]:
    """Return the findings without their line numbers, which move with every edit."""
    return {
        re.sub(r":\d+(:\d+)?:|\bline=\"\d+\"", ":", line).strip().rstrip(",")
        for line in text.splitlines()
    }
