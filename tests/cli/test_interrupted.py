"""Checks that the user, the terminal or the client breaks off: it is said, and at once."""

import fcntl
import json
import signal
import subprocess

import pytest

from cli.slow_stop import SlowStop
from untildone.engine.context import project_folder

# Seconds within which a check has ended, on a busy machine.
AT_ONCE = 8
ESC = "you interrupted the checks with Esc"
CLOSED = "the terminal or the client was closed during the checks"
KILLED = "the client was killed during the checks"


def cancel_stop_hook(stop: SlowStop) -> None:
    """What Claude Code 2.1.325 writes when the user presses Esc while the hook runs."""
    stop.record(type="assistant", message={})
    stop.record(type="attachment", attachment={"type": "hook_cancelled", "hookEvent": "Stop"})
    stop.record(type="user", message={"content": [{"text": "[Request interrupted by user]"}]})


def assert_said(stop: SlowStop, reason: str) -> None:
    """In `status`, at the next prompt, in `rounds` and in the receipt."""
    assert stop.status["not_held_because"] == f"the last stop was not judged: {reason}"
    answer = stop.cli.event("UserPromptSubmit", prompt="and now?")
    assert answer["systemMessage"] == (
        f"untildone: the last stop was not judged ({reason}); the agent was not held"
    )
    stop.cli.run("cancel", stop.loop)
    assert f"- not judged: {reason}\n" in stop.receipt
    assert stop.cli.run("rounds", stop.loop)[1].endswith(f"  not judged: {reason}\n")
    assert [stop["reason"] for stop in stop.cli.json("rounds", stop.loop)["unjudged"]] == [reason]


def test_esc_is_called_esc(slow_stop: SlowStop) -> None:
    cancel_stop_hook(slow_stop)
    slow_stop.send(signal.SIGTERM)

    assert_said(slow_stop, ESC)


def test_a_hook_killed_before_it_could_write_is_explained_later(slow_stop: SlowStop) -> None:
    """The client kills a hook that does not end at once."""
    slow_stop.send(signal.SIGKILL)
    cancel_stop_hook(slow_stop)

    assert_said(slow_stop, ESC)


def test_a_closed_terminal_is_called_that(slow_stop: SlowStop) -> None:
    slow_stop.session.write_json("ended.json", {"reason": "other"})
    slow_stop.send(signal.SIGHUP)

    assert_said(slow_stop, CLOSED)


def test_the_checks_end_with_a_killed_client(slow_stop: SlowStop) -> None:
    assert slow_stop.client
    slow_stop.client.kill()
    slow_stop.client.wait()
    slow_stop.wait_until(lambda: not slow_stop.session.has("judging"), AT_ONCE)

    assert_said(slow_stop, KILLED)


def test_a_hook_that_something_else_killed(slow_stop: SlowStop) -> None:
    facts = slow_stop.session.read_json("session.json")
    slow_stop.send(signal.SIGKILL)
    slow_stop.session.write_json("session.json", {**facts, "process": "1"})

    assert_said(slow_stop, "the hook was killed")


@pytest.mark.parametrize("text", ["/untildone:pause", "/untildone:cancel", "stop"])
def test_a_verb_in_the_clients_queue_ends_the_checks(slow_stop: SlowStop, text: str) -> None:
    """The client submits it as soon as the hook has answered."""
    slow_stop.record(type="queue-operation", operation="enqueue", content=text)

    answer = json.loads(slow_stop.wait_for_answer(AT_ONCE))

    released = "released, not judged: your queued input comes first"
    assert answer == {"systemMessage": f"untildone: {released}; loop {slow_stop.loop} is active"}
    assert (slow_stop.status["status"], slow_stop.status["round"]) == ("active", 0)


def test_other_input_in_the_queue_lets_the_checks_run(slow_stop: SlowStop) -> None:
    slow_stop.record(type="queue-operation", operation="enqueue", content="what is next?")

    with pytest.raises(subprocess.TimeoutExpired):
        slow_stop.wait_for_answer(2)


@pytest.mark.parametrize("verb", ["pause", "cancel"])
def test_a_verb_in_a_terminal_ends_the_checks(slow_stop: SlowStop, verb: str) -> None:
    slow_stop.cli.run_process(verb, slow_stop.loop)

    answer = slow_stop.wait_for_answer(AT_ONCE)

    outcome = {"pause": "paused", "cancel": "cancelled"}[verb]
    assert {"pause": "paused by the user", "cancel": "cancelled after 0 rounds"}[verb] in answer
    assert (slow_stop.status["outcome"], slow_stop.status["round"]) == (outcome, 0)


def test_a_verb_ends_the_wait_for_the_checks_of_another_session(slow_stop: SlowStop) -> None:
    slow_stop.send(signal.SIGTERM)
    folder = project_folder(slow_stop.cli.state_folder, slow_stop.cli.project)
    with (folder / "checks.lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        slow_stop.begin()
        slow_stop.wait_until(lambda: slow_stop.session.has("judging"))
        slow_stop.cli.run_process("pause", slow_stop.loop)

        answer = slow_stop.wait_for_answer(AT_ONCE)

    assert "paused by the user" in answer
