"""The experiment: do the tests that the baseline passes still pass on the current product?

If they do, concerns about edited tests are disproved: the edits took nothing away.
"""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from untildone.commands.invoked_scripts import find_run_scripts
from untildone.core.check_results import Tests
from untildone.core.concerns import get_subject, strip_content_digest
from untildone.core.contract import Contract
from untildone.core.evidence import ChangeEvidence, Concern, ConcernKind, Evidence
from untildone.integrity.comparison import Comparison
from untildone.integrity.confirmation_inputs import ConfirmationInputs
from untildone.integrity.experiments import baseline_tests
from untildone.integrity.experiments.reported_tests import names_all_passing
from untildone.integrity.experiments.sandbox_runs import SandboxRuns
from untildone.integrity.experiments.trial import PROVABLE, Trial
from untildone.integrity.tests.added_lines import (
    find_concerns_about_additions,
    find_extended_files,
)
from untildone.integrity.tests.grown_functions import find_grown_functions, only_adds_arguments
from untildone.integrity.tests.inventory import may_hold_helpers

_OF_ASSERTIONS = (ConcernKind.EDIT_TEST, ConcernKind.EDIT_EXPECTED)
_FILES_ONLY = "only files were compared: a run of the baseline's tests would settle no concern"


def run_experiment(evidence: Evidence, trial: Trial) -> Evidence:
    """Return the evidence with what the run shows, and without the concerns that it disproves.

    The environment is compared while the checks run. Nothing is run if there is a concern that a
    run cannot settle.
    """
    comparison = trial.comparison
    if comparison is None:
        reason = f"not compared with the baseline: {trial.inputs.missing_reason}"
        return replace(evidence, comparisons=(reason,))
    trial.environment.start()
    if not trial.is_provable(evidence):
        evidence = _add_concerns(evidence, comparison.fact(find_concerns_about_additions))
    runs = SandboxRuns(evidence=evidence, trial=trial, comparison=comparison)
    result = baseline_tests.run_baseline_tests(runs) if trial.is_provable(evidence) else None
    evidence = _add_concerns(evidence, trial.environment.find_concerns())
    if not _settles_additions(result, evidence, trial.inputs, comparison):
        evidence = _add_concerns(evidence, comparison.fact(find_concerns_about_additions))
    if result is None or not trial.is_provable(evidence):
        return replace(evidence, comparisons=(_FILES_ONLY, *evidence.comparisons))
    return _add_outcome(result, evidence, trial.inputs, comparison)


def _add_concerns(evidence: Evidence, concerns: Sequence[Concern]) -> Evidence:
    found = {each.id: each for each in (*(evidence.concerns or ()), *concerns)}
    return replace(evidence, concerns=tuple(found.values()))


def _settles_additions(
    result: baseline_tests.PassToPass | None,
    evidence: Evidence,
    inputs: ConfirmationInputs,
    comparison: Comparison,
) -> bool:
    """Say whether the runs show that test files which only gained lines have lost nothing.

    They do if the baseline's tests pass in the sandbox, and in their current version as well.
    """
    if result is None or not result.passed or not _still_pass(evidence):
        return False
    any_edits = [
        comparison.make_concern(ConcernKind.EDIT_TEST, path, reason="")
        for path in comparison.fact(find_extended_files)
    ]
    return len(_select_settled(result, any_edits, evidence, inputs, comparison)) == len(any_edits)


def _still_pass(evidence: Evidence) -> bool:
    """Say whether each test that passed in the baseline is reported to pass now, by its name."""
    now = {result.name: result.tests for result in evidence.checks}
    return bool(evidence.baseline) and all(
        (after := now.get(before.name)) is not None
        and names_all_passing(before.tests)
        and {*before.tests.passing} <= {*after.passing}
        for before in evidence.baseline or ()
        if before.tests
    )


def _select_settled(
    result: baseline_tests.PassToPass,
    concerns: Sequence[Concern],
    evidence: Evidence,
    inputs: ConfirmationInputs,
    comparison: Comparison,
) -> list[Concern]:
    """Return the concerns that the run, which passed, disproves."""
    # `result.current_tests` ran in their current version, since a linter rejects the old one.
    candidates = [concern for concern in concerns if concern.path not in result.current_tests]
    if result.only_tests is not None:
        candidates = [concern for concern in candidates if concern.path in result.only_tests]
    candidates = _select_seen_by_run(candidates, evidence, inputs.contract, comparison)
    return _select_disproved(candidates, inputs, comparison)


def _add_outcome(
    result: baseline_tests.PassToPass,
    evidence: Evidence,
    inputs: ConfirmationInputs,
    comparison: Comparison,
) -> Evidence:
    """Return the evidence with the outcome's concerns, results and description."""
    if result.fault:  # of untildone itself
        return replace(evidence, concerns=None, fault=evidence.fault or result.fault)
    described = _describe_inputs(inputs)
    lines = (result.summary, *result.notes, *described, *evidence.comparisons)
    evidence = replace(evidence, sandbox=result.walls)
    concerns = evidence.concerns or ()
    if result.passed is False:  # None: the runs prove nothing
        known_paths = {concern.path for concern in concerns}
        added = tuple(concern for concern in result.concerns if concern.path not in known_paths)
        return replace(evidence, concerns=(*concerns, *added), comparisons=lines)
    if result.passed and not inputs.files.restored:
        # The sandbox had this very tree, so its results count for checks that did not run outside.
        names = {check.name for check in evidence.checks}
        missing = tuple(check for check in result.results if check.name not in names)
        evidence = replace(evidence, checks=evidence.checks + missing)
    disproved: list[Concern] = []
    if result.passed and evidence.baseline:
        disproved = _select_settled(result, concerns, evidence, inputs, comparison)
        if disproved:
            ids = ", ".join(strip_content_digest(concern.id) for concern in disproved)
            lines += (f"the baseline's tests pass, so these changes removed nothing: {ids}",)
        concerns = tuple(concern for concern in concerns if concern not in disproved)
    change = ChangeEvidence(
        pass_to_pass=_count_passing(result, evidence), edited_tests=_list_edited_tests(disproved)
    )
    return replace(evidence, concerns=concerns, comparisons=lines, change=change)


def _list_edited_tests(disproved: Sequence[Concern]) -> tuple[str, ...]:
    """Return the tests that lost something; a concern about a whole file names none."""
    edited = (each for each in disproved if each.kind in _OF_ASSERTIONS)
    named = (f"`{get_subject(each)}`" for each in edited if get_subject(each) != each.path)
    return tuple(dict.fromkeys(named))


def _count_passing(result: baseline_tests.PassToPass, evidence: Evidence) -> int | None:
    """Return how many tests of the baseline pass in the run; None if none were counted."""
    before = {each.name: each.tests for each in evidence.baseline or () if each.tests}
    counts = [
        _count_common(before[each.name], each.tests)
        for each in result.results
        if each.tests and each.tests.executed and each.name in before
    ]
    return sum(counts) if counts and result.passed else None


def _count_common(before: Tests, after: Tests) -> int:
    """Return how many tests passed before and after, by name where both reports have names."""
    if names_all_passing(before) and names_all_passing(after):
        return len({*before.passing} & {*after.passing})
    return min(before.passed, after.passed)


def _describe_inputs(inputs: ConfirmationInputs) -> Iterator[str]:
    """Yield lines for the receipt: tests that are not quite the baseline's, checks left out."""
    adapted = [path for path in inputs.adapted_tests if path in inputs.files.restored]
    grown = [path for path in inputs.renamed_only_tests if _follows_parameters(inputs, path)]
    renamed = [path for path in inputs.renamed_only_tests if path not in grown]
    groups = (
        ("only follow the product to a new name, so taken as they are", renamed),
        ("only give a new parameter of the product, so taken as they are", grown),
        ("from the baseline, adapted to renamed names and removed marks", adapted),
    )
    yield from (f"{how}: {', '.join(paths)}" for how, paths in groups if paths)
    for check in inputs.contract.checks:
        if not check.replay:
            reason = check.replay_reason or "by the user"
            yield f"`{check.name}` does not run in the sandbox: {reason}"


def _follows_parameters(inputs: ConfirmationInputs, path: str) -> bool:
    if inputs.comparison is None:
        return False
    old, new = (tree.text(path) for tree in inputs.comparison.trees)
    return only_adds_arguments(old, new, inputs.comparison.fact(find_grown_functions))


def _select_seen_by_run(
    concerns: list[Concern], evidence: Evidence, contract: Contract, comparison: Comparison
) -> list[Concern]:
    """Return the concerns about files that the run in the sandbox has executed.

    With a test report these are all. Without one only the scripts of checks count, such as
    `tests/smoke.sh`, and only if the check failed at the baseline: so it does test something.
    """
    if any(result.tests for result in evidence.checks):
        return concerns
    red = {result.name for result in evidence.baseline or () if not result.green}
    checks = (check for check in contract.checks if check.replay and check.name in red)
    executed = {
        path for check in checks for _, path in find_run_scripts(comparison.old, check.command)
    }
    return [concern for concern in concerns if concern.path in executed]


def _select_disproved(
    concerns: Sequence[Concern], inputs: ConfirmationInputs, comparison: Comparison
) -> list[Concern]:
    """Return the concerns that a passing run disproves.

    It proves nothing about tests, or about unread files, that ran in their current version. If one
    of these may hold helpers, it proves nothing about unchanged test files either.
    """
    changes = comparison.changes
    differing = {*changes.edited, *changes.removed, *changes.added}
    current_tests = {
        path for path in differing - set(inputs.files.restored) if comparison.role(path) == "test"
    }
    uses_current_helper = any(may_hold_helpers(path) for path in current_tests)
    return [
        concern
        for concern in concerns
        if concern.kind in PROVABLE
        and concern.path not in current_tests
        and (concern.path in differing or not uses_current_helper)
        and (concern.kind != ConcernKind.UNREAD or concern.path in inputs.files.restored)
    ]
