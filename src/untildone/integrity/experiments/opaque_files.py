"""The experiment: does a test that turned green pass only with a file that nobody can read?

Where `units.bin` is new, the checks that were red in the baseline run once more without it; where
it changed, with the baseline's version. Such a file that no test needs is named in the receipt.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from untildone.checks.check_order import find_prerequisites
from untildone.core.check_results import Tests
from untildone.core.concerns import is_allowed, make_concern
from untildone.core.contract import Check
from untildone.core.evidence import Concern, ConcernKind, Evidence
from untildone.core.failure_changes import make_test_matcher
from untildone.core.text import join_first
from untildone.integrity.comparison import Comparison, hash_values
from untildone.integrity.experiments.reported_tests import (
    find_failing_now_passing,
    find_turned_tests,
)
from untildone.integrity.experiments.sandbox_results import SandboxRun
from untildone.integrity.experiments.sandbox_runs import run_in_sandbox
from untildone.integrity.experiments.trial import Trial
from untildone.integrity.opaque_files import find_opaque_files
from untildone.sandbox.sandbox_source import SandboxFiles
from untildone.worktree.limits import LimitExceeded

# Of more files it is not tried out which of them a test needs.
_MAX_SINGLE_RUNS = 3


class _Attempt(Struct, frozen=True, kw_only=True):
    evidence: Evidence
    trial: Trial
    comparison: Comparison
    checks: tuple[Check, ...]
    # By path: why nobody reads the file.
    files: dict[str, str]

    def run_without(self, paths: Iterable[str]) -> SandboxRun:
        """Run the checks on the current product, but with the baseline's version of the paths."""
        old = self.comparison.old
        files = dict(self.trial.inputs.files.files)
        restored = dict.fromkeys((*self.trial.inputs.files.restored, *paths))
        for path in paths:
            files.pop(path, None)
            if path in old:
                files[path] = old.root / path
        sandbox_files = SandboxFiles(files, tuple(restored))
        return run_in_sandbox(self.trial, self.comparison, sandbox_files, self.checks)

    def find_failing(self, run: SandboxRun) -> tuple[str, ...]:
        """Return the tests, or else the checks, that fail in the run and are newly green."""
        failing = find_failing_now_passing(self.evidence, run.results)
        reports = (result.tests for result in self.evidence.baseline or () if result.tests)
        passed_before = set(chain.from_iterable(tests.passing for tests in reports))
        newly_green = tuple(test for test in failing if test not in passed_before)
        return newly_green or (self._find_unloaded(run) if run.red else ())

    def _find_unloaded(self, run: SandboxRun) -> tuple[str, ...]:
        """Return the newly green tests that did not run, or else the checks in which none did.

        Where a module cannot be loaded, the report names at most the files of its tests.
        """
        reports = [result.tests or Tests() for result in run.results]
        if any(tests.passed > len(tests.passing) for tests in reports):
            return ()
        passing = tuple(chain.from_iterable(tests.passing for tests in reports))
        passes = make_test_matcher(Tests(passing=passing))
        turned = find_turned_tests(self.evidence)
        names = (result.name for result in run.red if not (result.tests and result.tests.passed))
        return tuple(test for test in turned if not passes(test)) or tuple(names)


def run_experiment(evidence: Evidence, trial: Trial) -> Evidence:
    """Return the evidence with a concern about each file that a newly green test needs.

    Nothing is run while there are other concerns: they come first.
    """
    comparison = trial.comparison
    if comparison is None or evidence.fault or trial.find_unapproved(evidence):
        return evidence
    try:
        files = comparison.read_within_budget(find_opaque_files)
    except LimitExceeded:
        files = {path: why for path, why in comparison.unread.items() if path in comparison.new}
    allow = trial.inputs.contract.allow
    files = {
        path: why
        for path, why in files.items()
        if not is_allowed(_make_concern(comparison, {path: why}, ()), allow)
    }
    if not files:
        return evidence
    checks = _select_checks(evidence, trial)
    attempt = _Attempt(
        evidence=evidence, trial=trial, comparison=comparison, checks=checks, files=files
    )
    return _try_without(attempt) if checks else _add_line(attempt, "no check was red before")


def _try_without(attempt: _Attempt) -> Evidence:
    """Return the evidence with what a run without all of the files shows."""
    run = attempt.run_without(attempt.files)
    if run.fault:
        return replace(attempt.evidence, concerns=None, fault=run.fault)
    if run.unproved:
        return _add_line(attempt, run.unproved)
    failing = attempt.find_failing(run)
    if not failing:
        return _add_line(attempt, "what turned green passes without them")
    concerns = tuple(_find_causes(attempt, failing))
    known = attempt.evidence.concerns or ()
    return replace(attempt.evidence, concerns=(*known, *concerns))


def _find_causes(attempt: _Attempt, failing: Sequence[str]) -> Iterator[Concern]:
    """Yield a concern about each file that is needed by itself; otherwise one about all."""
    files = attempt.files
    needed: dict[str, tuple[str, ...]] = {}
    if 1 < len(files) <= _MAX_SINGLE_RUNS:
        needed = {path: attempt.find_failing(attempt.run_without((path,))) for path in files}
    found = {path: tests for path, tests in needed.items() if tests}
    for path, tests in found.items():
        yield _make_concern(attempt.comparison, {path: files[path]}, tests)
    if not found:
        yield _make_concern(attempt.comparison, files, failing)


def _make_concern(comparison: Comparison, files: dict[str, str], tests: Sequence[str]) -> Concern:
    """Return a concern about the files, with the path of the first."""
    path, why = next(iter(files.items()))
    digests = [comparison.new.entries[each].digest for each in files]
    content = digests[0] if len(digests) == 1 else hash_values(digests)
    others = join_first([f"`{each}`" for each in list(files)[1:]])
    which = f"`{path}` {why}" + (f", as {others} cannot be read either" if others else "")
    version = "with it" if path not in comparison.old else "with its new content"
    needing = join_first([f"`{test}`" for test in tests])
    verb = "passes" if len(tests) == 1 else "pass"
    reason = f"{which}, and {needing} {verb} only {version}"
    return make_concern(ConcernKind.UNREAD, path, reason=reason, content=content)


def _select_checks(evidence: Evidence, trial: Trial) -> tuple[Check, ...]:
    """Return the checks that were red in the baseline and pass now, after those they need."""
    sandbox = trial.inputs.sandbox
    if sandbox and not sandbox.works:
        return ()
    red = {result.name for result in evidence.baseline or () if not result.green}
    turned = {result.name for result in evidence.checks if result.green and result.name in red}
    checks = [check for check in trial.inputs.contract.checks if check.replay]
    chosen = {index for index, check in enumerate(checks) if check.name in turned}
    prerequisites = find_prerequisites(checks, trial.inputs.project)
    chosen.update(*(prerequisites[index] for index in tuple(chosen)))
    return tuple(checks[index] for index in sorted(chosen))


def _add_line(attempt: _Attempt, why: str) -> Evidence:
    """Return the evidence with a line for the receipt on the files that nobody reads."""
    line = f"not compared, since nobody can read them: {join_first(list(attempt.files))}; {why}"
    evidence = attempt.evidence
    return replace(evidence, comparisons=(*evidence.comparisons, line))
