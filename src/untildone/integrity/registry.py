"""Lists all comparisons and experiments, and runs the comparisons.

A comparison is a function from a `Comparison` to concerns; an experiment runs checks in a sandbox.
"""

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
from untildone.worktree import limits

# They compare the files of the two trees.
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
# They compare what is outside of the trees and still decides what the checks do, as installed
# packages. These are tens of thousands of files, so the comparison runs while the checks do.
ENVIRONMENT_COMPARISONS: tuple[FindConcerns, ...] = (
    environment.find_concerns,
    node_packages.find_concerns,
)
# In this order: the user's hidden check (`oracle`) is run only if there is no other concern.
EXPERIMENTS: tuple[Experiment, ...] = (
    missing_tests.run_experiment,
    pass_to_pass.run_experiment,
    oracle.run_experiment,
)


def find_concerns(
    comparison: Comparison | None, *, seconds: float = limits.COMPARISON_SECONDS
) -> tuple[Concern, ...]:
    """Return the concerns about files of the trees, each once; none without a comparison.

    If the time is up, the last concern says which file was not compared.
    """
    if comparison is None:
        return ()
    concerns: list[Concern] = []
    try:
        with limits.limit_time(seconds):
            for find in COMPARISONS:
                concerns.extend(_run_comparison(find, comparison))
    except limits.LimitExceeded as error:
        concerns.append(unread_files.make_unfinished_concern(comparison, error.path, str(error)))
    return tuple({concern.id: concern for concern in concerns}.values())


def find_environment_concerns(comparison: Comparison | None) -> tuple[Concern, ...]:
    """Return the concerns about what is outside of the trees; none without a comparison."""
    if comparison is None:
        return ()
    return tuple(concern for find in ENVIRONMENT_COMPARISONS for concern in find(comparison))


def _run_comparison(find: FindConcerns, comparison: Comparison) -> Iterator[Concern]:
    """Yield the concerns; if a file is too much for a parser, one about this file."""
    try:
        yield from find(comparison)
    except (RecursionError, MemoryError) as error:
        path = limits.get_last_read_path()
        why = "is nested too deep" if isinstance(error, RecursionError) else "takes too much memory"
        yield unread_files.make_unfinished_concern(comparison, path, f"`{path}` {why}")
