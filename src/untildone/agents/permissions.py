"""The agent's own verbs, as a client permits them: they report and read, and run nothing."""

# Not `start` and `check`: they run commands, which is the client's to ask the person about.
_VERBS = (
    *("criterion", "met", "note", "signal", "blocked", "status"),
    *("steps", "precheck", "score", "verify"),
)
# `show` as it stands only: with an option it writes files.
PERMISSIONS = (
    *(f"Bash(untildone {verb}:*)" for verb in _VERBS),
    "Bash(untildone show)",
)
