"""Runs that begin before an experiment asks for them."""

from collections.abc import Callable
from threading import Event

from untildone.integrity.experiments.runs_ahead import RunsAhead
from untildone.integrity.experiments.sandbox_results import SandboxRun


def run_in_open_sandbox(run_checks: Callable[[], None]) -> SandboxRun:
    run_checks()
    return SandboxRun(())


def test_checks_wait_for_a_processor_and_their_sandbox_is_open_by_then() -> None:
    ahead, project_checks_ended, began = RunsAhead(1), Event(), Event()
    ahead.occupy_processor(until=project_checks_ended)
    ahead.start("key", began.set, run_in_open_sandbox)

    ahead.wait_for_sandboxes()
    assert not began.is_set()
    project_checks_ended.set()
    assert ahead.take("key") == SandboxRun(())
    assert began.is_set()
    ahead.close()


def test_nobody_waits_for_a_sandbox_that_cannot_be_opened() -> None:
    def fail(_: Callable[[], None]) -> SandboxRun:
        raise OSError("no space left")

    ahead = RunsAhead(2)
    ahead.start("key", lambda: None, fail)

    ahead.wait_for_sandboxes()
    assert ahead.take("key") is None
    ahead.close()


def test_a_run_that_waits_for_its_release_never_begins_if_it_is_closed() -> None:
    ahead, began = RunsAhead(2, waits=True), Event()
    ahead.start("key", began.set, run_in_open_sandbox)
    ahead.wait_for_sandboxes()
    ahead.close()
    assert not began.is_set()
