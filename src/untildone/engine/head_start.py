"""Prepares the confirmation of a stop while its checks run in the project.

Reading and comparing the trees needs no result of the checks, and neither do the runs in sandboxes.
If the checks are red, or change a file, what was prepared is thrown away.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING

from msgspec.structs import replace

from untildone.core.check_results import BaselineResult, CheckResult
from untildone.core.evidence import Evidence
from untildone.core.proof import choose_proof, needs_proof
from untildone.engine.check_run import CheckSite, open_result_cache
from untildone.engine.context import Context
from untildone.engine.stopped_loop import StoppedLoop
from untildone.store.baseline_records import read_results

if TYPE_CHECKING:
    # Only a stop that is likely to be confirmed imports them.
    from untildone.engine.stop_confirmation import StopConfirmation
    from untildone.integrity.experiments.runs_ahead import RunsAhead

# A check that takes so long ends after what is prepared beside it.
_LONG_SECONDS = 1.0


class _EndEvent(Event):
    """Set by the end of a head start, and with the event that the user sets."""

    def __init__(self, outer: Event) -> None:
        super().__init__()
        self._outer = outer

    def is_set(self) -> bool:
        return super().is_set() or self._outer.is_set()


class HeadStart:
    """What is prepared for one stop."""

    def __init__(self, context: Context, loop: StoppedLoop, site: CheckSite) -> None:
        self._context = context
        self._loop = loop
        # Exists if what was prepared last was not true in the end: some checks write a report into
        # the project. Then runs beside them would be for nothing.
        self._unsettled = site.shared_folder / "unsettled"
        self._ended = _EndEvent(site.abandoned)
        self._site = replace(site, abandoned=self._ended)
        self._ahead: RunsAhead | None = None
        self._confirmation: StopConfirmation | None = None

    @property
    def is_worthwhile(self) -> bool:
        """Whether a red stop would not wait for it: the checks were green or long the last time."""
        has_baseline = bool(self._site.baseline_digest and self._loop.progress.baseline)
        return has_baseline and all(
            result is not None and (result.green or result.seconds >= _LONG_SECONDS)
            for result in self._load_last_results()
        )

    def _load_last_results(self) -> list[CheckResult | None]:
        load = open_result_cache(self._site.shared_folder).load_past_runs
        checks = (check for check in self._loop.contract.checks if check.when == "round")
        return [next(reversed(load(check)), None) for check in checks]

    def prepare(self, checks_ended: Event) -> None:
        """Prepare the confirmation; an error here is not ours to report: it will come again."""
        try:
            self._confirmation = self._prepare(checks_ended)
        except Exception:  # noqa: BLE001  the confirmation itself meets the same error again
            return

    def _prepare(self, checks_ended: Event) -> "StopConfirmation":
        """Return a confirmation that has read the trees, and whose runs have begun.

        If a check was red the last time, sandboxes are only opened until all of them are green.
        Where the walls are still tried out, the wait for that ends with the checks.
        """
        # Imported where it is used: quick red stops must not pay for it.
        from untildone.engine.stop_confirmation import StopConfirmation
        from untildone.integrity.experiments.expected_runs import can_begin_early
        from untildone.integrity.experiments.runs_ahead import RunsAhead

        loop = self._loop
        site = self._site = await_trial(self._context, loop, self._site, checks_ended)
        results = read_results(site.loop_folder, loop.progress.baseline, tuple[BaselineResult, ...])
        evidence = Evidence(baseline=results)
        processors = os.cpu_count() or 1
        were_green = all(each and each.green for each in self._load_last_results())
        self._ahead = RunsAhead(processors, waits=processors == 1 or not were_green)
        # The checks in the project need one.
        self._ahead.occupy_processor(until=checks_ended)
        confirmation = StopConfirmation(
            site, asks_for_tests=needs_tests(loop, evidence), ahead=self._ahead
        )
        load_past_runs = open_result_cache(site.shared_folder).load_past_runs
        begins_runs = can_begin_early(loop.contract.checks, load_past_runs)
        begins_runs = begins_runs and not self._unsettled.exists()
        confirmation.prepare(evidence, loop.contract, begins_runs=begins_runs)
        return confirmation

    def take(self, site: CheckSite, *, asks_for_tests: bool) -> "StopConfirmation | None":
        """Return what was prepared, if it is still true."""
        prepared = self._confirmation
        if prepared and prepared.take_over(site, asks_for_tests=asks_for_tests):
            self._unsettled.unlink(missing_ok=True)
            return prepared
        if prepared:
            self._unsettled.touch()
        self.close()
        return None

    def close(self) -> None:
        """End the runs that nobody needs."""
        self._ended.set()
        if self._ahead:
            self._ahead.close()


def needs_tests(loop: StoppedLoop, evidence: Evidence) -> bool:
    """Say whether `done` needs a test that fails without the change."""
    contract = loop.contract
    return needs_proof(contract, loop.progress, evidence) and (
        choose_proof(contract, evidence) == "tests"
    )


def await_trial(context: Context, loop: StoppedLoop, site: CheckSite, end: Event) -> CheckSite:
    """Wait until it is known how the sandboxes of this loop can be walled, if that is tried out."""
    if site.sandbox is not None:
        return site
    # Imported where it is used: quick red stops must not pay for it.
    from untildone.engine.sandbox_trial import wait_for_trial

    progress = wait_for_trial(context, loop.record, end, deadline=site.deadline)
    return replace(site, sandbox=progress.sandbox, dependency_digest=progress.dependency_digest)


@contextmanager
def open_head_start(context: Context, loop: StoppedLoop, site: CheckSite) -> Iterator[HeadStart]:
    """Yield a head start whose runs end with the context."""
    head_start = HeadStart(context, loop, site)
    try:
        yield head_start
    finally:
        head_start.close()
