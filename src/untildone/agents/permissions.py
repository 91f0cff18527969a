"""The commands of ours that an agent may run without asking: they only report and read."""

# Without `start` and `check`, which run commands: the client asks the user about those.
_VERBS = (
    *("criterion", "met", "note", "signal", "blocked", "status"),
    *("steps", "precheck", "score", "verify"),
)
# `show` without options only: with one it writes files.
PERMISSIONS = (
    *(f"Bash(untildone {verb}:*)" for verb in _VERBS),
    "Bash(untildone show)",
)
