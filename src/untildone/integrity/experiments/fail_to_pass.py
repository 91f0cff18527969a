"""The experiment: which tests fail on the baseline's code and pass now?

Only such a test shows that something was done where every check was green before. The changed tests
run alone: on the baseline's code; behind the current interface, if they use names that are missing
there; and with changed functions that return nothing, if old bodies do not fit new types.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from untildone.checks.check_order import find_prerequisites
from untildone.core.check_results import BaselineResult, CheckResult
from untildone.core.concerns import get_subject, is_allowed
from untildone.core.contract import Check
from untildone.core.evidence import ChangeEvidence, ConcernKind, Evidence
from untildone.core.late_patterns import compile_late
from untildone.core.proof import is_shown
from untildone.core.task_answers import asks_to_raise
from untildone.core.text import join_first
from untildone.integrity.comparison import Comparison
from untildone.integrity.confirmation_inputs import ConfirmationInputs
from untildone.integrity.experiments.current_tests import (
    compose_current_tests,
    find_changed_tests,
)
from untildone.integrity.experiments.empty_functions import (
    compose_empty_functions,
    find_named_functions,
)
from untildone.integrity.experiments.missing_names import (
    find_files_with_new_names,
    find_tests_of_new_names,
    may_not_compile,
    speaks_of_missing_name,
)
from untildone.integrity.experiments.previous_behaviour import compose_previous_behaviour
from untildone.integrity.experiments.reported_tests import (
    find_failing_now_passing,
    find_new_tests,
    find_turned_tests,
    find_unnamed_failures,
)
from untildone.integrity.experiments.sandbox_files import take_tree
from untildone.integrity.experiments.sandbox_results import SandboxRun
from untildone.integrity.experiments.sandbox_runs import run_in_sandbox
from untildone.integrity.experiments.trial import Trial
from untildone.integrity.settings.interpreters import RaisedVersion, find_raised_versions
from untildone.sandbox.sandbox_source import SandboxFiles
from untildone.worktree.limits import LimitExceeded

T = TypeVar("T")
_MAX_NAMES = 50
# go test ./...
_GO_TEST = compile_late(r"(?<![\w./-])go test\b(?!-)")


class _FaultError(Exception):
    """A run could not be finished because of untildone itself."""


class _Attempt(Struct, frozen=True):
    """What the experiment works with."""

    evidence: Evidence
    trial: Trial
    comparison: Comparison
    checks: tuple[Check, ...]

    def run(self, files: SandboxFiles) -> SandboxRun:
        """Run the checks in a sandbox; raise _FaultError if that failed by our own fault."""
        run = run_in_sandbox(self.trial, self.comparison, files, self.checks)
        if run.fault:
            raise _FaultError(run.fault)
        return run

    def read(self, compute: Callable[[Comparison], T]) -> T:
        """Return what is computed from files; raise LimitExceeded if that takes too much."""
        return self.comparison.read_within_budget(compute)


def run_experiment(evidence: Evidence, trial: Trial) -> Evidence:
    """Return the evidence with what shows the change.

    Tests run for it only if `done` needs one. Nothing is said while there are other concerns:
    they come first.
    """
    if evidence.fault or trial.find_unapproved(evidence):
        return replace(evidence, change=None)
    change = _collect_known(evidence, trial)
    comparison = trial.comparison
    if is_shown(change) or not trial.asks_for_tests:
        return replace(evidence, change=change)
    if comparison is None:
        missing = f"it was not compared with the baseline: {trial.inputs.missing_reason}"
        return replace(evidence, change=replace(change, missing=missing))
    attempt = _Attempt(evidence, trial, comparison, select_checks(evidence.checks, trial.inputs))
    try:
        return replace(evidence, change=_find_evidence(attempt, change))
    except LimitExceeded as error:
        missing = f"the changed files were not read: {error.reason}"
        return replace(evidence, change=replace(change, missing=missing))
    except _FaultError as error:
        return replace(evidence, change=None, concerns=None, fault=str(error))


def _collect_known(evidence: Evidence, trial: Trial) -> ChangeEvidence:
    """Return what the results of the checks show without another run."""
    red_before = {result.name for result in evidence.baseline or () if not result.green}
    fixed = _find_fixed_tests(evidence)
    allow = trial.inputs.contract.allow
    return replace(
        evidence.change or ChangeEvidence(),
        fail_to_pass=len(fixed),
        fail_to_pass_names=fixed[:_MAX_NAMES],
        turned_green=tuple(
            result.name for result in evidence.checks if result.green and result.name in red_before
        ),
        approved_removals=tuple(
            concern.path
            for concern in evidence.concerns or ()
            if concern.kind == ConcernKind.REMOVE_TEST and is_allowed(concern, allow)
        ),
        dropped_versions=find_dropped_versions(trial),
    )


def _find_fixed_tests(evidence: Evidence) -> tuple[str, ...]:
    """Return the tests that failed before and pass now, unless their edit had to be approved.

    Such an edit, not the product, may be what made them pass.
    """
    edited = {
        get_subject(concern)
        for concern in evidence.concerns or ()
        if concern.kind in (ConcernKind.EDIT_TEST, ConcernKind.EDIT_EXPECTED)
    }
    return tuple(
        test for test in find_turned_tests(evidence) if not any(name in test for name in edited)
    )


def find_dropped_versions(trial: Trial) -> tuple[str, ...]:
    """Return the versions that the user's task asks to drop and the project no longer supports.

    No test can show that: the code still runs on what is installed.
    """
    contract, comparison = trial.inputs.contract, trial.comparison
    if comparison is None or contract.started_by != "user" or contract.plan is not None:
        return ()
    raised: tuple[RaisedVersion, ...] = ()
    with suppress(LimitExceeded):
        raised = comparison.read_within_budget(find_raised_versions)
    return tuple(
        f"{each.language} {each.old} \u2192 {each.new}"
        for each in raised
        if asks_to_raise(contract.task, each.old, each.new)
    )


def select_checks(
    results: Iterable[BaselineResult | CheckResult], inputs: ConfirmationInputs
) -> tuple[Check, ...]:
    """Return the checks that report tests, and those that must run before them.

    `go vet`, a part of `go test`, is left out: what it finds fault with fails no test.
    """
    checks = [check for check in inputs.contract.checks if check.replay]
    reporting = {result.name for result in results if result.tests}
    prerequisites = find_prerequisites(checks, inputs.project)
    chosen = {index for index, check in enumerate(checks) if check.name in reporting}
    chosen.update(*(prerequisites[index] for index in tuple(chosen)))
    commands = [_GO_TEST.sub(r"\g<0> -vet=off", check.command) for check in checks]
    return tuple(replace(checks[index], command=commands[index]) for index in sorted(chosen))


def _find_evidence(attempt: _Attempt, change: ChangeEvidence) -> ChangeEvidence:
    """Return what the changed tests show when they run without the change."""
    if shown := _find_failures_of_baseline(attempt):
        return _show(change, shown)
    changed_tests = attempt.read(find_changed_tests)
    if not changed_tests:
        return replace(change, missing="no test was added or changed")
    if not attempt.checks:
        return replace(change, missing="no check that reports tests runs in the sandbox")
    if not _has_changed_product(attempt.comparison):
        return _try_empty_functions(attempt, change, changed_tests)
    if attempt.read(_lack_names_on_baseline):
        tried = _try_previous_behaviour(attempt, change)
        if is_shown(tried) or attempt.read(_use_only_new_names):
            return tried
        on_baseline = _try_baseline(attempt, change)
        return on_baseline if is_shown(on_baseline) else tried
    tried = _try_baseline(attempt, change)
    is_decided = is_shown(tried) or tried.missing
    return tried if is_decided else _try_previous_behaviour(attempt, tried)


def _try_baseline(attempt: _Attempt, change: ChangeEvidence) -> ChangeEvidence:
    """Run the changed tests on the baseline's code.

    If tests fail there only for want of a name, nothing is decided: what is returned names neither
    a test that shows the change nor a reason why none does.
    """
    run = attempt.run(attempt.read(_compose_on_baseline))
    if run.unproved:
        return replace(change, missing=run.unproved)
    failing = find_failing_now_passing(attempt.evidence, run.results)
    doubtful = attempt.read(partial(find_tests_of_new_names, results=run.results, tests=failing))
    change = replace(change, missing_names=len(doubtful))
    clear = tuple(test for test in failing if test not in doubtful)
    if shown := clear or _describe_unnamed_failures(attempt, run):
        return _show(change, shown)
    if _all_tests_pass(run):
        return replace(change, missing="the changed tests pass on the baseline's code as well")
    if _are_always_skipped(run, attempt.evidence):
        return replace(change, missing="the changed tests are skipped")
    return change


def compose_first_tree(comparison: Comparison) -> SandboxFiles | None:
    """Return the files that the changed tests run on first; None if no such run is made.

    Where only tests were changed, it depends on the results of the checks what runs.
    """
    if not find_changed_tests(comparison) or not _has_changed_product(comparison):
        return None
    if _lack_names_on_baseline(comparison):
        return compose_previous_behaviour(comparison)
    return _compose_on_baseline(comparison)


def _compose_on_baseline(comparison: Comparison) -> SandboxFiles:
    return comparison.fact(compose_current_tests)


def _lack_names_on_baseline(comparison: Comparison) -> bool:
    """Say whether no changed test would run on the baseline's code for want of a name.

    Of a compiled language none does if one of them lacks a name.
    """
    return _use_only_new_names(comparison) or may_not_compile(comparison)


def _use_only_new_names(comparison: Comparison) -> bool:
    """Say whether all changed tests would fail on the baseline's code for want of a name."""
    new = find_files_with_new_names(comparison)
    return set(new).issuperset(find_changed_tests(comparison))


def _find_failures_of_baseline(attempt: _Attempt) -> tuple[str, ...]:
    """Return tests that fail on the baseline as it was, if a check could not be run on it then.

    A tool may have been missing: what failed for want of it was not seen.
    """
    known = {result.name for result in attempt.evidence.baseline or ()}
    if all(check.name in known for check in attempt.checks):
        return ()
    run = attempt.run(take_tree(attempt.comparison, current=False))
    return find_failing_now_passing(attempt.evidence, run.results)


def _describe_unnamed_failures(attempt: _Attempt, run: SandboxRun) -> tuple[str, ...]:
    """Return a text for each check whose tests fail in the run without being named."""
    failed = find_unnamed_failures(attempt.evidence, run.results)
    return tuple(
        f"a test of `{result.name}` that its report does not name"
        for result in failed
        if not speaks_of_missing_name(result)
    )


def _all_tests_pass(run: SandboxRun) -> bool:
    """Say whether tests ran and none failed; a limit of coverage may be red all the same."""
    reports = [result.tests for result in run.results if result.tests]
    return any(tests.executed for tests in reports) and not any(tests.failed for tests in reports)


def _are_always_skipped(run: SandboxRun, evidence: Evidence) -> bool:
    """Say whether all tests of the run are skipped, there and in the current results."""
    reports = [result.tests for result in run.results if result.tests]
    skipped = {test for tests in reports for test in tests.skipping}
    now = {test for result in evidence.checks if result.tests for test in result.tests.skipping}
    return bool(skipped) and skipped <= now and not any(tests.executed for tests in reports)


def _has_changed_product(comparison: Comparison) -> bool:
    paths = comparison.changes.list_paths()
    return any(comparison.role(path) not in ("test", "document") for path in paths) or any(
        path.endswith(".rs") for path in paths
    )


def _show(change: ChangeEvidence, tests: Sequence[str]) -> ChangeEvidence:
    return replace(
        change, fail_to_pass=len(tests), fail_to_pass_names=tuple(tests[:_MAX_NAMES]), missing=""
    )


def _try_previous_behaviour(attempt: _Attempt, change: ChangeEvidence) -> ChangeEvidence:
    """Run the changed tests behind the current interface, where every name exists."""
    run = SandboxRun(())
    for empties_changed in (False, True):
        compose = partial(compose_previous_behaviour, empties_changed=empties_changed)
        run = attempt.run(attempt.read(compose))
        failing = find_failing_now_passing(attempt.evidence, run.results)
        # A name that is missing even here belongs to the old body, not to the test.
        doubtful = _find_tests_lacking_names(attempt, run, failing)
        clear = tuple(test for test in failing if test not in doubtful)
        if shown := clear or _describe_unnamed_failures(attempt, run):
            return _show(change, shown)
        # A package that does not compile counts as a failed test.
        if any(result.tests and result.tests.passed for result in run.results):
            break
    if _all_tests_pass(run):
        missing = "the changed tests pass if the new functions return nothing"
    else:
        reasons = (result.reason for result in run.results if not result.green)
        missing = "the changed tests do not run without the change" + "".join(
            f" ({reason})" for reason in list(filter(None, reasons))[:1]
        )
    return replace(change, missing=missing)


def _try_empty_functions(
    attempt: _Attempt, change: ChangeEvidence, changed_tests: Sequence[str]
) -> ChangeEvidence:
    """Return whether each new test of unchanged code fails once what it names returns nothing."""
    new_tests = find_new_tests(attempt.evidence)
    if not new_tests:
        return replace(change, missing="only tests were changed, and none was added")
    names = attempt.read(partial(find_named_functions, tests=changed_tests))
    if not names:
        return replace(change, missing="the new tests name no function of the product")
    run = attempt.run(attempt.read(partial(compose_empty_functions, names=names)))
    failing = find_failing_now_passing(attempt.evidence, run.results)
    doubtful = _find_tests_lacking_names(attempt, run, failing)
    biting = {_strip_parameters(test) for test in failing if test not in doubtful}
    expected = dict.fromkeys(map(_strip_parameters, new_tests))
    passing = [test for test in expected if test not in biting]
    if passing:
        missing = f"these new tests pass if what they test returns nothing: {join_first(passing)}"
        return replace(change, biting_tests=len(biting), missing=missing)
    return replace(change, biting_tests=len(expected))


def _find_tests_lacking_names(
    attempt: _Attempt, run: SandboxRun, failing: Sequence[str]
) -> frozenset[str]:
    """Return the failing tests that say themselves that a name is missing."""
    return attempt.read(
        partial(find_tests_of_new_names, results=run.results, tests=failing, by_name=False)
    )


def _strip_parameters(test: str) -> str:
    """Return `test_fare` of `test_fare[12]`."""
    return test.partition("[")[0]
