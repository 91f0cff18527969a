"""A hold in a few lines, for a client that shows the user everything that the agent reads.

The whole feedback is then in a file of the project, and the agent is told to read it:

    untildone: held, round 2 of 10, unmet: test red, 3 passed, 1 failed.
    Read `.untildone/feedback-1f2e3d4c.md` and go on.
"""

from pathlib import Path

from msgspec.structs import replace

from untildone.agents.events import Stop
from untildone.core.feedback import write_remark
from untildone.core.text import shorten
from untildone.core.verdict import Continue
from untildone.engine.artifacts import write_feedback_file
from untildone.engine.stopped_loop import Answer, JudgedStop

# Characters of the verdict's line: alone, and above a line of the loop's announcements.
_MAX_LINE = 110
_MAX_FIRST_LINE = 56


def shorten_answer(judged: JudgedStop, answer: Answer, *, described: str, others: str) -> Answer:
    """Return the answer in at most two lines; as it is if no file can be written.

    `described` is the line about the verdict, and `others` is what the user is told besides it.
    What follows them in the notice comes from the features.
    """
    verdict = judged.verdict
    remark = write_remark(judged.contract, judged.progress, verdict)
    if remark:
        return replace(answer, feedback=remark, notice=others)
    pointer = save_feedback(judged.project, judged.stop, judged.contract.id, answer.feedback)
    if not pointer:
        return answer
    if not isinstance(verdict, Continue):
        # Another loop follows the one that has ended, and the notice is about both.
        head = "[untildone] That task is finished; the next one is in the file."
        return replace(answer, feedback=f"{head} {pointer}")
    told = " | ".join(filter(None, (described, others)))
    lines = answer.notice.removeprefix(told).strip(" |\n").replace("\n[LOOP]", " |")
    first = shorten(described, _MAX_FIRST_LINE if lines else _MAX_LINE)
    brief = "\n".join(filter(None, (f"{first}. {pointer}", shorten(lines, _MAX_LINE))))
    return replace(answer, feedback=brief, notice=others)


def save_feedback(project: Path, stop: Stop, name: str, feedback: str) -> str:
    """Write the feedback to a file; return the sentence that names it, empty if that failed."""
    path = write_feedback_file(project, name, feedback)
    if path is None:
        return ""
    cwd = Path(stop.cwd)
    shown = path.relative_to(cwd) if path.is_relative_to(cwd) else path
    return f"Read `{shown}` and go on."
