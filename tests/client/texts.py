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


def said(head: str, *lines: str, task: str = TASK) -> str:
    """A feedback of a few lines, and the task at its end."""
    body = "\n".join((head, *lines))
    return held(f"[untildone] {body}\n\nThe task, as agreed:\n{task}")


def red_lines(number: int, *, root: str = "PROJECT") -> str:
    """The check `RED`, which was red from the start."""
    return (
        f"- check: red, exit 1 (`{RED}`)\n"
        "  exit code 1\n"
        f"  whole output: {root}/.untildone/rounds/LOOP/{number}/check.log\n"
        "Since the start: 0 fixed, 0 new, 1 remaining (0 % of the start's failures are gone)."
        f"{SAME if number > 1 else ''}"
    )


def still_red(number: int, *, of: int = 10, task: str = TASK, root: str = "PROJECT") -> str:
    """The feedback of a round whose only check is `RED`."""
    head = f"Round {number} of {of}: not done yet. Unmet: check."
    return said(head, red_lines(number, root=root), NEXT, task=task)


def reminder(standing: str, *, task: str = TASK, unmet: str = "check") -> str:
    """What is said of an active loop at the beginning of a conversation, or of a part of it."""
    return (
        f"[untildone] A loop is active in this session (untildone LOOP | {standing})."
        " When you stop, its checks are run and you go on until they pass.\n"
        "Criteria:\n"
        f"- check: `{RED}`\n"
        "\n"
        f"Unmet at the last stop: {unmet}\n"
        f"The task, as agreed:\n{task}"
    )
