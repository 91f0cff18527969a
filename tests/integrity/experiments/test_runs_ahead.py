"""Runs that begin before an experiment asks for them."""

from collections.abc import Callable
from threading import Event

from untildone.integrity.experiments.runs_ahead import RunsAhead
from untildone.integrity.experiments.sandbox_results import SandboxRun


def run_in_open_sandbox(run_checks: Callable[[], None]) -> SandboxRun:
    run_checks()
    return SandboxRun(())


def fail_to_open(_: Callable[[], None]) -> SandboxRun:
    raise OSError("no space left")


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
    ahead = RunsAhead(2)
    ahead.start("key", lambda: None, fail_to_open)

    ahead.wait_for_sandboxes()
    assert ahead.take("key") is None
    ahead.close()


def test_a_run_that_waits_for_its_release_never_begins_if_it_is_closed() -> None:
    ahead, began = RunsAhead(2, waits=True), Event()
    ahead.start("key", began.set, run_in_open_sandbox)
    ahead.wait_for_sandboxes()
    ahead.close()
    assert not began.is_set()


def test_the_run_that_was_started_first_begins_first() -> None:
    ahead, is_opened, order = RunsAhead(1), Event(), list[str]()

    def run_late(run_checks: Callable[[], None]) -> SandboxRun:
        is_opened.wait()
        return run_in_open_sandbox(run_checks)

    ahead.start("long", lambda: order.append("long"), run_late)
    ahead.start("short", lambda: order.append("short"), run_in_open_sandbox)
    is_opened.set()
    assert ahead.take("short") == ahead.take("long") == SandboxRun(())
    assert order == ["long", "short"]
    ahead.close()


def test_a_run_begins_although_the_one_before_has_no_sandbox() -> None:
    ahead = RunsAhead(1)
    ahead.start("first", lambda: None, fail_to_open)
    ahead.start("second", lambda: None, run_in_open_sandbox)
    assert ahead.take("second") == SandboxRun(())
    ahead.close()


def test_a_run_that_is_dropped_never_begins_and_the_next_one_does() -> None:
    ahead, project_checks_ended, began = RunsAhead(1), Event(), list[str]()
    ahead.occupy_processor(until=project_checks_ended)
    ahead.start("dropped", lambda: began.append("dropped"), run_in_open_sandbox)
    ahead.start("next", lambda: began.append("next"), run_in_open_sandbox)
    ahead.drop("dropped")
    project_checks_ended.set()
    assert (ahead.take("next"), ahead.take("dropped")) == (SandboxRun(()), None)
    assert began == ["next"]
    ahead.close()
