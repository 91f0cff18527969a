"""Concerns about changed files that are not compared: too large, or too much for the budget.

A run settles those about tests, settings and scripts, since a sandbox has the baseline's.
"""

from collections.abc import Iterator

from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison
from untildone.integrity.tests.inventory import may_hold_tests


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    """Yield a concern for each changed test, setting or script that is not compared.

    Of files of the product a run decides: see `experiments/opaque_files.py`.
    """
    for path, why in sorted(comparison.unread.items()):
        role = comparison.role(path)
        reason = f"`{path}` is not compared with the baseline: it {why}"
        if role == "test" and may_hold_tests(path) and path in comparison.old:
            reason = f"the tests of `{path}` cannot be compared with the baseline: the file {why}"
            yield comparison.make_concern(ConcernKind.EDIT_TEST, path, reason=reason)
        elif path not in comparison.new:
            continue
        elif role in ("config", "script"):
            yield comparison.make_concern(ConcernKind.UNREAD, path, reason=reason)
