"""What leaves a worker for the database."""

import pytest

from untildone.runs.queue.redaction import StepFailure, hide_errors, redact


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
