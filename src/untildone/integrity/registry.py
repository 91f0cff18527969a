"""Every ratchet there is."""

from collections.abc import Iterator

from untildone.core.evidence import Concern
from untildone.core.missing_tests import MergedTest
from untildone.integrity import unread
from untildone.integrity.comparison import Comparison, FindConcerns
from untildone.integrity.environment import shadowing
from untildone.integrity.hard_coded import comparison as special_cases
from untildone.integrity.scripts import comparison as scripts
from untildone.integrity.settings import comparison as settings
from untildone.integrity.sniffing import comparison as sniffing
from untildone.integrity.suppressions import comparison as suppressions
from untildone.integrity.tests import comparison as tests_ratchet
from untildone.integrity.tests import data as tests_data
from untildone.integrity.tests import mocks as tests_mocks
from untildone.integrity.tests import runner as tests_runner
from untildone.worktree.limits import SECONDS, OverBudget, last_read, limited_time

# One module each: what it compares is said there.
COMPARISONS: tuple[FindConcerns, ...] = (
    suppressions.find_concerns,
    settings.find_concerns,
    scripts.find_concerns,
    shadowing.find_concerns,
    sniffing.find_concerns,
    special_cases.find_concerns,
    tests_ratchet.find_concerns,
    tests_data.find_concerns,
    tests_runner.find_concerns,
    tests_mocks.find_concerns,
    unread.find_concerns,
)


def find_concerns(comparison: Comparison, *, seconds: float = SECONDS) -> tuple[Concern, ...]:
    """Of every ratchet, each once; what could not be read to its end is one of them."""
    found: list[Concern] = []
    try:
        with limited_time(seconds):
            for ratchet in COMPARISONS:
                found.extend(_each(ratchet, comparison))
    except OverBudget as error:
        found.append(unread.unfinished(comparison, error.path, str(error)))
    return tuple({lost.id: lost for lost in found}.values())


def folds(comparison: Comparison) -> tuple[MergedTest, ...]:
    """Tests that others took in; none if that takes too long to find out, so they are asked for."""
    try:
        with limited_time():
            return tests_ratchet.folds(comparison)
    except (OverBudget, RecursionError, MemoryError):
        return ()


def _each(ratchet: FindConcerns, comparison: Comparison) -> Iterator[Concern]:
    try:
        yield from ratchet(comparison)
    except (RecursionError, MemoryError) as error:
        why = "is nested too deep" if isinstance(error, RecursionError) else "takes too much memory"
        yield unread.unfinished(comparison, last_read(), f"`{last_read()}` {why}")
