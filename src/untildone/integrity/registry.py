"""Lists all comparisons and experiments, and runs the comparisons.

A comparison is a function from a `Comparison` to concerns; an experiment runs checks in a sandbox.
"""

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison, FindConcerns
from untildone.integrity.concern_search import search_concerns
from untildone.integrity.environment import comparison as environment
from untildone.integrity.environment import node_packages, shadowing, vendored_files
from untildone.integrity.experiments import (
    benchmarks,
    fail_to_pass,
    missing_tests,
    opaque_files,
    oracle,
    pass_to_pass,
    unchecked_settings,
)
from untildone.integrity.experiments.trial import Experiment
from untildone.integrity.hard_coded import comparison as hard_coded
from untildone.integrity.scripts import comparison as scripts
from untildone.integrity.settings import comparison as settings
from untildone.integrity.sniffing import comparison as sniffing
from untildone.integrity.suppressions import comparison as suppressions
from untildone.integrity.tests import added_lines, expected_files, mocks, runner_interference
from untildone.worktree.limits import UNLIMITED, Budget, LimitExceeded, limit_steps

# They compare the files of the two trees.
COMPARISONS: tuple[FindConcerns, ...] = (
    suppressions.find_concerns,
    settings.find_concerns,
    scripts.find_concerns,
    shadowing.find_concerns,
    vendored_files.find_concerns,
    sniffing.find_concerns,
    hard_coded.find_concerns,
    added_lines.find_concerns,
    expected_files.find_concerns,
    runner_interference.find_concerns,
    mocks.find_concerns,
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
    benchmarks.run_experiment,
    pass_to_pass.run_experiment,
    unchecked_settings.run_experiment,
    opaque_files.run_experiment,
    fail_to_pass.run_experiment,
    oracle.run_experiment,
)


def find_concerns(comparison: Comparison | None) -> tuple[Concern, ...]:
    """Return the concerns about files of the trees; none without a comparison.

    Changes of tests that only add lines are left to the run of the baseline's tests.
    """
    if comparison is None:
        return ()
    return search_concerns(comparison, COMPARISONS)


def find_environment_concerns(
    comparison: Comparison | None, budget: Budget | None = None
) -> tuple[Concern, ...]:
    """Return the concerns about what is outside of the trees; none without a comparison.

    If it takes more than the budget, that is a concern: no run shows what the packages were.
    """
    if comparison is None:
        return ()
    try:
        with (budget or Budget()).use(), limit_steps(UNLIMITED):
            return tuple(
                concern for find in ENVIRONMENT_COMPARISONS for concern in find(comparison)
            )
    except LimitExceeded as error:
        reason = f"installed packages and programs were not compared, since {error.reason}"
        return (make_concern(ConcernKind.ENVIRONMENT, "packages", reason=reason),)
