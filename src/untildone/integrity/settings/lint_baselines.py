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


def find_grown_baselines(compared: Comparison) -> Iterator[Concern]:
    for path in (*compared.changes.edited, *compared.changes.added):
        if (
            not _BASELINE.fullmatch(path)
            or _SOURCE.fullmatch(path)
            or compared.role(path) == "test"
        ):
            continue
        more = _findings(compared.new.text(path)) - _findings(compared.old.text(path))
        if more:
            because = f"`{path}` forgives findings that it did not forgive at the start"
            digest = compared.new.entries[path].digest
            yield make_concern(ConcernKind.CONFIG, path, reason=because, content=digest)


def _findings(text: str) -> set[str]:
    """Each without the line it was found in, which moves with every edit."""
    return {
        re.sub(r":\d+(:\d+)?:|\bline=\"\d+\"", ":", line).strip().rstrip(",")
        for line in text.splitlines()
    }
