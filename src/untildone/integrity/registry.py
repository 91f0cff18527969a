"""Every comparison and every experiment there is."""

from collections.abc import Iterator

from untildone.core.evidence import Concern
from untildone.integrity import unread_files
from untildone.integrity.comparison import Comparison, FindConcerns
from untildone.integrity.environment import comparison as environment
from untildone.integrity.environment import node_packages, shadowing
from untildone.integrity.experiments import missing_tests, oracle, pass_to_pass
from untildone.integrity.experiments.trial import Experiment
from untildone.integrity.hard_coded import comparison as hard_coded
from untildone.integrity.scripts import comparison as scripts
from untildone.integrity.settings import comparison as settings
from untildone.integrity.sniffing import comparison as sniffing
from untildone.integrity.suppressions import comparison as suppressions
from untildone.integrity.tests import comparison as tests
from untildone.integrity.tests import expected_files, mocks, runner_interference
from untildone.worktree.limits import (
    COMPARISON_SECONDS,
    LimitExceeded,
    get_last_read_path,
    limit_time,
)

# What is in the two trees.
COMPARISONS: tuple[FindConcerns, ...] = (
    suppressions.find_concerns,
    settings.find_concerns,
    scripts.find_concerns,
    shadowing.find_concerns,
    sniffing.find_concerns,
    hard_coded.find_concerns,
    tests.find_concerns,
    expected_files.find_concerns,
    runner_interference.find_concerns,
    mocks.find_concerns,
    unread_files.find_concerns,
)
# What is outside of the trees and still decides what the checks do. An environment has tens of
# thousands of files, so these run beside the checks.
ENVIRONMENT_COMPARISONS: tuple[FindConcerns, ...] = (
    environment.find_concerns,
    node_packages.find_concerns,
)
# In this order: the user's hidden check is run only where nothing else stands against the work.
EXPERIMENTS: tuple[Experiment, ...] = (
    missing_tests.run_experiment,
    pass_to_pass.run_experiment,
    oracle.run_experiment,
)


def find_concerns(
    comparison: Comparison, *, seconds: float = COMPARISON_SECONDS
) -> tuple[Concern, ...]:
    """Return the concerns of the trees, each once; one of them says what could not be read."""
    found: list[Concern] = []
    try:
        with limit_time(seconds):
            for find in COMPARISONS:
                found.extend(_find_guarded(find, comparison))
    except LimitExceeded as error:
        found.append(unread_files.make_unfinished_concern(comparison, error.path, str(error)))
    return tuple({concern.id: concern for concern in found}.values())


def find_environment_concerns(comparison: Comparison) -> tuple[Concern, ...]:
    """Return the concerns about what is outside of the trees."""
    return tuple(concern for find in ENVIRONMENT_COMPARISONS for concern in find(comparison))


def _find_guarded(find: FindConcerns, comparison: Comparison) -> Iterator[Concern]:
    try:
        yield from find(comparison)
    except (RecursionError, MemoryError) as error:
        why = "is nested too deep" if isinstance(error, RecursionError) else "takes too much memory"
        yield unread_files.make_unfinished_concern(
            comparison, get_last_read_path(), f"`{get_last_read_path()}` {why}"
        )
