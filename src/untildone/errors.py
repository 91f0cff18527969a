"""Errors that the user can fix."""


class UserError(Exception):
    """What is wrong, with the value; `hint` is one command or one edit that fixes it."""

    def __init__(self, message: str, *, hint: str = "", exit_code: int = 2) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.exit_code = exit_code
