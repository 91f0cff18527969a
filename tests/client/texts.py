"""The texts that reach the model, written out as they are to arrive."""

from client.world import RED

TASK = "Finish the work."
SILENT = "(Bash completed with no output)"
NEXT = (
    "Find the cause and mend the code, not the check. The checks are run again when you stop."
    " If you cannot go on, run `untildone blocked REASON`."
)
SAME = (
    " The failures are exactly those of the last round: your last change did not touch their cause."
)


def held(text: str) -> str:
    """How the client brings a Stop hook's text to the model."""
    return f"<system-reminder>\nStop hook additional context: {text}\n</system-reminder>"


def still_red(number: int, *, of: int = 10, task: str = TASK, root: str = "PROJECT") -> str:
    """The feedback of a round whose only check, `RED`, was red from the start."""
    return held(
        f"[untildone] Round {number} of {of}: not done yet. Unmet: check.\n"
        f"- check: red, exit 1 (`{RED}`)\n"
        "  exit code 1\n"
        f"  whole output: {root}/.untildone/rounds/LOOP/{number}/check.log\n"
        "Since the start: 0 fixed, 0 new, 1 remaining (0 % of the start's failures are gone)."
        f"{SAME if number > 1 else ''}\n"
        f"{NEXT}\n"
        "\n"
        f"The task, as agreed:\n{task}"
    )
