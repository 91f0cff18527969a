"""The texts that reach the model, written out as they are to arrive."""

from world import CHECK

TASK = "Finish the work."
SILENT = "(Bash completed with no output)"
AGAIN = (
    " The checks are run again when you stop. If you cannot go on, run `untildone blocked REASON`."
)
RED_NOW = f"- check: red (`{CHECK}`): exit code 1"
NEXT = f"Find the cause and fix the code, not the check.{AGAIN}"


def format_held(text: str) -> str:
    """How the client brings a Stop hook's text to the model."""
    return f"<system-reminder>\nStop hook additional context: {text}\n</system-reminder>"


def format_feedback(head: str, *lines: str, task: str = TASK) -> str:
    """A feedback of a few lines, and the task at its end."""
    body = "\n".join((head, *lines))
    return format_held(f"[untildone] {body}\n\nThe task, as agreed:\n{task}")


def red_lines() -> str:
    """The check `CHECK`, which was red in the baseline."""
    return (
        f"{RED_NOW}\n"
        "Since the baseline: 0 fixed, 0 new, 0 regressed, 1 remaining"
        " (0 % fewer failures than in the baseline)."
    )


def output_at(number: int, *, root: str = "PROJECT") -> str:
    return f"Whole output of check: {root}/.untildone/rounds/LOOP/{number}/check.log"


def step(number: int, *, changed: bool) -> str:
    """What comes next where every round so far ended with the same failure."""
    if number == 1:
        return NEXT
    if changed:
        return (
            f"Your last change did nothing: the same fails, {number} rounds running. The cause is"
            " elsewhere: reproduce one failure on its own, read all that it prints, and try"
            f" something else.{AGAIN}"
        )
    return (
        f"Nothing was changed since the last round, and the same fails, {number} rounds running. It"
        f" does not go away by itself: find the cause and fix the code.{AGAIN}"
    )


def still_red(
    number: int, *, of: int = 10, task: str = TASK, root: str = "PROJECT", changed: bool = False
) -> str:
    """The feedback of a round whose only check is `CHECK`."""
    head = f"Round {number} of {of}: not done yet. Unmet: check."
    next_step = step(number, changed=changed)
    return format_feedback(head, red_lines(), next_step, output_at(number, root=root), task=task)


def reminder(standing: str, *, task: str = TASK, unmet: str = "check") -> str:
    """What is said of an active loop at the beginning of a conversation, or of a part of it."""
    return (
        f"[untildone] A loop is active in this session (untildone LOOP | {standing})."
        " When you stop, its checks are run and you go on until they pass.\n"
        "Criteria:\n"
        f"- check: `{CHECK}`\n"
        f"Unmet at the last stop: {unmet}\n"
        f"The task, as agreed:\n{task}"
    )
