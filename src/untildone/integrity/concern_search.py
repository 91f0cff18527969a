"""Runs comparisons within the time and memory that reading the trees may take."""

from collections.abc import Iterable
from functools import partial

from untildone.core.evidence import Concern
from untildone.integrity import unread_files
from untildone.integrity.comparison import Comparison, FindConcerns
from untildone.worktree.limits import LimitExceeded

# The part of the budget that they and what comes before may use; the experiments need the rest.
_SHARE = 0.7


def search_concerns(
    comparison: Comparison, comparisons: Iterable[FindConcerns]
) -> tuple[Concern, ...]:
    """Return what the comparisons find, each concern once.

    Files that take too much time or memory are not compared: the last concerns are about these.
    """
    concerns: list[Concern] = []
    try:
        for find in comparisons:
            concerns += comparison.read_within_budget(partial(_list_concerns, find), share=_SHARE)
    except LimitExceeded as error:
        comparison.leave_rest_unread(f"is not compared, since {error.reason}")
    concerns += unread_files.find_concerns(comparison)
    return tuple({concern.id: concern for concern in concerns}.values())


def _list_concerns(find: FindConcerns, comparison: Comparison) -> list[Concern]:
    return list(find(comparison))
