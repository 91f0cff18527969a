"""What leaves a worker for the database."""

import pytest

from untildone.engine.request import StartOptions
from untildone.runs.queue import merge_changes
from untildone.runs.queue.merge_lease import WaitingTask
from untildone.runs.queue.redaction import StepFailure, hide_errors, redact
from untildone.runs.queue.values import Course


def test_logins_and_secrets_are_taken_out() -> None:
    text = "\x1b[1mfatal: HTTPS://opaque-token@host/app.git: pass-word-1 failed"
    assert (
        redact(text, {"DB_PASSWORD": "pass-word-1"})
        == "fatal: HTTPS://host/app.git: [secret removed] failed"
    )


def test_an_unexpected_error_loses_its_message_and_is_told_once() -> None:
    told: list[str] = []
    with (
        pytest.raises(StepFailure, match=r"^OSError$"),
        hide_errors({}, told.append),
        hide_errors({"A_TOKEN": "in-the-message"}, told.append),
    ):
        raise OSError("in-the-message")

    assert len(told) == 1
    assert told[0].endswith("OSError: [secret removed]\n")


def test_the_reason_of_a_failed_merge_has_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEPLOY_TOKEN", "printed-by-a-check")
    options, course = StartOptions(task="x"), Course()
    task = WaitingTask(
        id="1", attempt=1, token=1, is_cancelling=False, options=options, course=course
    )

    change = merge_changes.end(task, "blocked", "red: printed-by-a-check")
    assert change.reason == "red: [secret removed]"
