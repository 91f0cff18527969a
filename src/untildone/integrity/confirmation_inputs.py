"""Prepares a confirmation: loads the baseline of a loop and compares it with the project.

The result says which files differ, and of which files a sandbox is made in which the baseline's
tests run on the current code.
"""

import os
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.contract import Check, Contract
from untildone.core.sandbox_trial import WallTrial
from untildone.integrity.baseline import load_baseline
from untildone.integrity.comparison import Comparison, compare_trees
from untildone.integrity.environment.dependency_digests import load_digests
from untildone.integrity.experiments import sandbox_files
from untildone.integrity.experiments.adaptation import adapt_tests
from untildone.integrity.experiments.python_path import add_moved_folders
from untildone.integrity.experiments.renamed_names import find_renamed_only_tests
from untildone.integrity.scripts.comparison import only_replaces_tool
from untildone.integrity.settings.comparison import is_harmless_edit
from untildone.sandbox.sandbox_source import SandboxFiles
from untildone.worktree.contents import read_tree, walk_files
from untildone.worktree.limits import LimitExceeded
from untildone.worktree.roles import classify_file

# The part of the budget to compose the sandbox's files, with what finding their roles took.
_PREPARATION_SHARE = 0.4


def _never_uses_current(_: str) -> bool:
    """Say that every test and setting is taken from the baseline."""
    return False


class ConfirmationInputs(Struct, frozen=True, kw_only=True):
    """The comparison with the baseline, and what to run in a sandbox."""

    contract: Contract
    project: Path
    baseline_folder: Path
    # Where the state of untildone lies, which nothing in a sandbox may read.
    state_home: Path
    # How sandboxes are walled; None: it was not tried out on the baseline.
    sandbox: WallTrial | None = None
    comparison: Comparison | None = None
    # The tree to run the checks on: the baseline's tests with the current product.
    files: SandboxFiles = SandboxFiles({}, ())
    # Tests that differ from the baseline only by new names of the product.
    renamed_only_tests: tuple[str, ...] = ()
    # By path: the texts of baseline tests that were adapted to the current product.
    adapted_tests: dict[str, str] = {}
    # Environment variables by which Python finds what the baseline's tests import.
    python_path: dict[str, str] = {}
    # Says of a test or setting whether its current version is used instead of the baseline's, since
    # the user approved it or only names differ in it.
    uses_current: sandbox_files.UsesCurrent = _never_uses_current
    # Why there is no baseline to compare with; empty if there is one.
    missing_reason: str = ""
    # How the saved baseline was tampered with or damaged; empty if it was not.
    damage: str = ""

    def covers(self, check: Check) -> bool:
        """Say whether the check runs in the sandbox on the same files as in the project.

        It does if no file was restored from the baseline, and it runs there as a whole; it then
        need not run in the project.
        """
        runs_whole = check.replay and check.confirm == "full"
        return self.comparison is not None and runs_whole and not self.files.restored


def load_inputs(
    contract: Contract,
    project: Path,
    *,
    folder: Path,
    state_home: Path,
    digest: str,
    dependency_digest: str = "",
    missing_reason: str = "",
    sandbox: WallTrial | None = None,
) -> ConfirmationInputs:
    """Return the inputs for the project and its baseline, which is saved in `folder`.

    `digest` is the hash of its record, empty if it was not saved; `missing_reason` then says why.
    `dependency_digest` is the hash of the record of installed packages.
    """
    inputs = ConfirmationInputs(
        contract=contract,
        project=project,
        baseline_folder=folder,
        state_home=state_home,
        sandbox=sandbox,
        missing_reason="" if digest else missing_reason or "the baseline was not saved",
    )
    if not digest:
        return inputs
    try:
        baseline, old = load_baseline(folder, digest)
    except ValueError as error:
        return replace(inputs, damage=str(error))
    comparison = compare_trees(
        old,
        read_tree(project, walk_files(project, ignored=baseline.ignored)),
        (check.command for check in contract.checks),
        task=contract.task,
        baseline=baseline,
        environ=os.environ,
        dependency_digests=baseline.digests.merge(load_digests(folder, dependency_digest)),
    )
    return _prepare_within_budget(inputs, comparison)


def change_contract(inputs: ConfirmationInputs, contract: Contract) -> ConfirmationInputs:
    """Return the inputs for another contract; the trees are neither read nor compared again."""
    inputs = replace(inputs, contract=contract)
    comparison = inputs.comparison
    return inputs if comparison is None else _prepare_within_budget(inputs, comparison, share=1.0)


def _prepare_within_budget(
    inputs: ConfirmationInputs, comparison: Comparison, *, share: float = _PREPARATION_SHARE
) -> ConfirmationInputs:
    """Return the inputs with the comparison, and with the files to run in the sandbox."""
    prepare = partial(_prepare_run, inputs)
    try:
        return comparison.read_within_budget(prepare, share=share)
    except LimitExceeded as error:
        # Of files that are not read the sandbox gets the baseline's tests and settings.
        for path in comparison.changes.list_paths():
            comparison.leave_unread(path, f"is not compared, since {error.reason}")
        return _prepare_unread(inputs, comparison)


def _prepare_run(inputs: ConfirmationInputs, comparison: Comparison) -> ConfirmationInputs:
    """Return the inputs with the comparison, and with the files to run in the sandbox."""
    is_allowed = sandbox_files.make_is_allowed(inputs.contract.allow, comparison)
    renamed_only_tests = find_renamed_only_tests(comparison).difference(comparison.unread)
    adapted_tests = adapt_tests(comparison)

    def is_accepted(path: str) -> bool:
        """Say whether the user approved the current version, or only names differ in it."""
        return path in renamed_only_tests or is_allowed(path)

    def is_harmless(path: str) -> bool:
        """Say whether the current version may be used, since its edit loosens no check."""
        if is_accepted(path) or path in comparison.unread:
            return is_accepted(path)
        is_settings = classify_file(path) == "config"
        loosens_nothing = is_settings and is_harmless_edit(comparison, path)
        return loosens_nothing or only_replaces_tool(comparison, path)

    return replace(
        inputs,
        comparison=comparison,
        files=sandbox_files.compose_files(
            comparison, uses_current=is_harmless, adapted=adapted_tests
        ),
        adapted_tests=adapted_tests,
        renamed_only_tests=tuple(sorted(renamed_only_tests.intersection(comparison.new))),
        uses_current=is_accepted,
        python_path=add_moved_folders(comparison, comparison.baseline.variables),
    )


def _prepare_unread(inputs: ConfirmationInputs, comparison: Comparison) -> ConfirmationInputs:
    """Return the inputs where no changed file is read: only approved ones are the current ones."""
    is_allowed = sandbox_files.make_is_allowed(inputs.contract.allow, comparison)
    return replace(
        inputs,
        comparison=comparison,
        files=sandbox_files.compose_files(comparison, uses_current=is_allowed),
        uses_current=is_allowed,
    )
