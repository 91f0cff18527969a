"""Concerns about changed files that cannot be compared, so that the user has to approve them."""

from collections.abc import Iterator

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison, digest
from untildone.syntax.languages import language_of
from untildone.worktree.contents import READABLE


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    """Report code and settings that are too large; test files are reported by tests/comparison."""
    for path in comparison.changes.edited_or_added:
        entry, role = comparison.new.entries[path], comparison.role(path)
        is_code = role in ("config", "script") or (role == "product" and language_of(path))
        if is_code and entry.kind != "link" and entry.size > READABLE:
            size = f"larger than {READABLE // 1_000_000} MB"
            reason = f"`{path}` is not compared with the baseline: it is {size}"
            yield comparison.make_concern(ConcernKind.UNREAD, path, reason=reason)


def make_unfinished_concern(comparison: Comparison, path: str, why: str) -> Concern:
    """Report a comparison that ended early; an approval holds for exactly this change."""
    because = f"the comparison with the baseline is incomplete: {why}"
    changed = sorted(comparison.changes.edited_or_added)
    content = digest([(each, comparison.new.entries[each].digest) for each in changed])
    return make_concern(ConcernKind.UNREAD, path, reason=because, content=content)
