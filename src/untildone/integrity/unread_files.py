"""Concerns about changed files that cannot be compared: the user has to look at them."""

from collections.abc import Iterator

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison, hash_values
from untildone.syntax.languages import language_of
from untildone.worktree.contents import READABLE


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    """Yield a concern for each changed file of code or settings that is too large to be read.

    For tests `integrity/tests/comparison.py` does this.
    """
    for path in comparison.changes.edited_or_added:
        entry, role = comparison.new.entries[path], comparison.role(path)
        is_code = role in ("config", "script") or (role == "product" and language_of(path))
        if is_code and entry.kind != "link" and entry.size > READABLE:
            size = f"larger than {READABLE // 1_000_000} MB"
            reason = f"`{path}` is not compared with the baseline: it is {size}"
            yield comparison.make_concern(ConcernKind.UNREAD, path, reason=reason)


def make_unfinished_concern(comparison: Comparison, path: str, why: str) -> Concern:
    """Return a concern about a comparison that ended early at `path`.

    Its approval is for the content of all changed files, so that it ends with the next change.
    """
    reason = f"the comparison with the baseline is incomplete: {why}"
    changed_paths = sorted(comparison.changes.edited_or_added)
    content = hash_values([(name, comparison.new.entries[name].digest) for name in changed_paths])
    return make_concern(ConcernKind.UNREAD, path, reason=reason, content=content)
