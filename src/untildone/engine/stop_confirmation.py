"""Confirms the green checks of one stop, also as if the user had approved what is asked.

Runs of the stop before are not repeated: on an unchanged tree they would show the same again.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from untildone.core.baseline_comparison import judge_results
from untildone.core.check_results import CheckPhase, CheckResult
from untildone.core.concerns import find_unapproved
from untildone.core.contract import Check, Contract
from untildone.core.decide import decide
from untildone.core.evidence import ConcernKind, Confirmation, Evidence
from untildone.core.proof import add_missing_proof
from untildone.core.verdict import Finish
from untildone.engine.check_run import CheckSite, open_result_cache, run_within_deadline
from untildone.engine.early_end import AbandonedError
from untildone.engine.stopped_loop import StoppedLoop
from untildone.integrity.confirmation import begin_runs, compare_files, confirm
from untildone.integrity.confirmation_inputs import (
    ConfirmationInputs,
    change_contract,
    load_inputs,
)
from untildone.integrity.experiments.run_memory import (
    RememberedRun,
    RunMemory,
    make_key,
    stamp_dependencies,
)
from untildone.integrity.experiments.runs_ahead import RunsAhead
from untildone.integrity.experiments.sandbox_results import SandboxRun
from untildone.sandbox.sandbox_source import Sandbox
from untildone.store.run_records import read_runs, write_runs
from untildone.worktree.contents import walk_files
from untildone.worktree.stamps import Stamp, read_stamp, read_stamps

_SURROUNDINGS = frozenset((ConcernKind.ENVIRONMENT, ConcernKind.DEPENDENCY))


class StopConfirmation:
    """The confirmation of one stop, which may be made twice: as it is, and as if approved.

    With `asks_for_tests` it is tried out whether a test fails without the change.
    """

    def __init__(
        self, site: CheckSite, *, asks_for_tests: bool, ahead: RunsAhead | None = None
    ) -> None:
        self._site = site
        self._asks_for_tests = asks_for_tests
        self._folder = site.loop_folder / "baseline"
        known = read_runs(self._folder, site.confirming_runs, tuple[RememberedRun, ...])
        self._ahead = ahead
        self._memory = RunMemory(known or (), ahead)
        self._inputs: ConfirmationInputs | None = None
        # Stamps of the files that the inputs were made from, and the folders that they are not.
        self._stamps: dict[str, Stamp | None] = {}
        self._ignored: tuple[str, ...] = ()

    def prepare(self, evidence: Evidence, contract: Contract, *, begins_runs: bool) -> None:
        """Read and compare the trees while the checks run, and begin the runs in sandboxes."""
        # Before they are read: what changes meanwhile has another stamp afterwards.
        stamps = self._read_stamps()
        inputs = self._load_inputs(contract)
        self._ignored = inputs.comparison.baseline.ignored if inputs.comparison else ()
        folders = tuple(f"{self._site.project}/{folder}/" for folder in self._ignored)
        self._stamps = {path: stamps[path] for path in stamps if not path.startswith(folders)}
        if self._ahead and begins_runs:
            begin_runs(
                evidence,
                inputs,
                partial(_run_in_sandbox, self._site),
                memory=self._memory,
                ahead=self._ahead,
                asks_for_tests=self._asks_for_tests,
            )
        compare_files(inputs)

    def take_over(self, site: CheckSite, *, asks_for_tests: bool) -> bool:
        """Go on at this site, if what was prepared is true there: no file has changed since."""
        known = (self._site.sandbox, self._site.dependency_digest, self._asks_for_tests)
        now = (site.sandbox, site.dependency_digest, asks_for_tests)
        if known != now or not self._stamps or self._stamps != self._read_stamps():
            return False
        self._site = site
        if self._ahead:
            self._ahead.release()
        return True

    def _read_stamps(self) -> dict[str, Stamp | None]:
        """Return stamps of the project's files and of the baseline's."""
        project = self._site.project
        own = (f"{project}/{path}" for path in walk_files(project, ignored=self._ignored))
        saved = (f"{self._folder}/{path}" for path, _ in read_stamps(self._folder, (".",)))
        return {path: read_stamp(path) for path in (*own, *saved)}

    def confirm(self, evidence: Evidence, contract: Contract) -> Evidence:
        """Return the evidence with the slow checks and the comparison with the baseline.

        Results from the cache of checks are dropped here, so that `done` rests on runs that a stop
        of this loop has made on this very tree.
        An error on our side becomes the `fault` of the evidence, which keeps the loop from
        finishing.
        """
        self._memory.begin_confirmation()
        fresh = tuple(result for result in evidence.checks if not result.cached)
        try:
            return self._compare_trees(replace(evidence, checks=fresh), contract)
        except AbandonedError:
            raise
        except Exception as error:  # noqa: BLE001  a file that crashes us must not free the agent
            fault = f"the comparison with the baseline failed ({type(error).__name__}: {error})"
            return replace(evidence, fault=evidence.fault or fault)

    def confirm_as_approved(self, evidence: Evidence, loop: StoppedLoop) -> Evidence:
        """Return the evidence with what the experiments show if the user approves what is asked.

        They wait for the approval of other concerns. By running them now, the loop can end as soon
        as the user approves, without another stop of the agent.
        """
        ids = tuple(concern.id for concern in find_unapproved(evidence, loop.contract.allow))
        contract = replace(loop.contract, allow=(*loop.contract.allow, *ids))
        if evidence.change is not None or evidence.fault:
            return evidence
        unconfirmed = replace(evidence, concerns=None, comparisons=(), sandbox="")
        confirmed = self.confirm(unconfirmed, contract)
        shown = add_missing_proof(contract, loop.progress, judge_results(contract, confirmed))
        verdict = decide(contract, replace(loop.progress, confirmed=True), shown)
        if not isinstance(verdict, Finish) or verdict.outcome != "done":
            return evidence
        confirmation = Confirmation(
            concerns=shown.concerns or (),
            comparisons=shown.comparisons,
            sandbox=shown.sandbox,
            change=shown.change,
        )
        return replace(evidence, if_approved=confirmation)

    def save_runs(self, evidence: Evidence) -> str:
        """Save the runs of this stop for the next one, and return the digest of the record.

        Nothing is saved if programs or packages are a concern: with these, runs prove nothing, also
        after they were put right again.
        """
        kinds = {concern.kind for concern in evidence.concerns or ()}
        if evidence.concerns is None or evidence.fault or kinds & _SURROUNDINGS:
            return ""
        return write_runs(self._folder, self._memory.list_used())

    def _compare_trees(self, evidence: Evidence, contract: Contract) -> Evidence:
        """Return the evidence with the concerns about the tree, and with a result of every check.

        `confirm` compares the tree with the baseline and runs the baseline's tests in a sandbox. If
        no test or setting has changed, that is a run of this very tree: it counts as the check's
        result, and the check need not run in the project as well. A check that `confirm` has not
        run after all, as no sandbox could be made, runs at the end.
        """
        site, inputs = self._site, self._load_inputs(contract)
        uncovered = [check for check in contract.checks if not inputs.covers(check)]
        evidence = self._recall_results(evidence, uncovered, inputs)
        evidence = judge_results(contract, _run_missing_checks(evidence, uncovered, site))
        if evidence.fault or any(not result.green for result in evidence.checks):
            return evidence
        self._remember_results(evidence, uncovered, inputs)
        evidence = confirm(
            evidence,
            inputs,
            partial(_run_in_sandbox, site),
            load_past_runs=open_result_cache(site.shared_folder).load_past_runs,
            memory=self._memory,
            asks_for_tests=self._asks_for_tests,
        )
        return _run_missing_checks(evidence, contract.checks, site)

    def _load_inputs(self, contract: Contract) -> ConfirmationInputs:
        """Return the inputs; the trees are read and compared once in a stop."""
        site = self._site
        if self._inputs is not None and self._inputs.contract == contract:
            return self._inputs
        if self._inputs is not None:
            return change_contract(self._inputs, contract)
        self._inputs = load_inputs(
            contract,
            site.project,
            folder=self._folder,
            state_home=site.state_home,
            sandbox=site.sandbox,
            dependency_digest=site.dependency_digest,
            digest=site.baseline_digest,
            missing_reason=site.baseline_missing,
        )
        return self._inputs

    def _recall_results(
        self, evidence: Evidence, checks: Sequence[Check], inputs: ConfirmationInputs
    ) -> Evidence:
        """Return the evidence with the results that the stop before had on this very tree."""
        known = {result.name for result in evidence.checks}
        missing = [check for check in checks if check.name not in known]
        runs = [self._memory.find(key) for _, key in _make_project_keys(missing, inputs)]
        recalled = tuple(result for run in runs if run for result in run.results)
        return replace(evidence, checks=(*evidence.checks, *recalled))

    def _remember_results(
        self, evidence: Evidence, checks: Sequence[Check], inputs: ConfirmationInputs
    ) -> None:
        results = {result.name: result for result in evidence.checks}
        for check, key in _make_project_keys(checks, inputs):
            self._memory.keep_only(key, SandboxRun((results[check.name],)))


def _make_project_keys(
    checks: Sequence[Check], inputs: ConfirmationInputs
) -> Iterator[tuple[Check, str]]:
    """Yield each check with the key of its run in the project; none without a baseline."""
    comparison = inputs.comparison
    if comparison is None:
        return
    new = comparison.new
    files = {path: new.root / path for path in new}
    stamps = comparison.fact(stamp_dependencies)
    for check in checks:
        yield check, make_key(comparison, files, (check,), "project", *stamps)


def _run_in_sandbox(
    site: CheckSite, checks: Sequence[Check], sandbox: Sandbox, *, phase: CheckPhase = "confirming"
) -> tuple[tuple[CheckResult, ...], str]:
    return run_within_deadline(checks, site, sandbox=sandbox, phase=phase)


def _run_missing_checks(evidence: Evidence, checks: Sequence[Check], site: CheckSite) -> Evidence:
    """Return the evidence after running those of `checks` that have no result in it yet."""
    results = {result.name: result for result in evidence.checks}
    missing = [check for check in checks if check.name not in results]
    new_results, fault = run_within_deadline(missing, site, fresh=True)
    results |= {result.name: result for result in new_results}
    return replace(evidence, checks=tuple(results.values()), fault=evidence.fault or fault)
