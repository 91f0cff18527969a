"""The questions of a paused loop as the user reads them, with a few lines of each change."""

from collections.abc import Iterator, Mapping, Sequence

from untildone.core.concerns import get_file, get_subject
from untildone.core.evidence import Concern
from untildone.core.proof import is_about_proof
from untildone.core.questions import MAX_LINES, OpenQuestion
from untildone.core.text import shorten

# Lines of a diff below one question, and of all diffs together.
_MAX_DIFF = 6
_MAX_ALL_DIFFS = 12
_MAX_WIDTH = 120


def format_questions(
    questions: Sequence[OpenQuestion], diffs: Mapping[str, str], *, command: str
) -> list[str]:
    """Return the lines of a notice; `command` approves, `diffs` are the changes by path."""
    if len(questions) == 1:
        concern = questions[0].question.concerns[0]
        head = f"{questions[0].question.line}. {_offer_choice(concern, command)}"
        diff = _list_changes(questions[0].question.concerns, diffs)
        return [head, *(f"  {line}" for line in diff[:_MAX_DIFF])]
    choice = f"{command} {questions[0].number} (or another number, or --all)"
    lines = [f"{len(questions)} questions. Intended? {choice}, or undo it."]
    room = _MAX_ALL_DIFFS
    for each in questions[:MAX_LINES]:
        diff = _list_changes(each.question.concerns, diffs)[: min(_MAX_DIFF, room)]
        room -= len(diff)
        lines += [f"{each.number}. {each.question.line}", *(f"   {line}" for line in diff)]
    rest = len(questions) - MAX_LINES
    return [*lines, f"{rest} more questions: `untildone show`"] if rest > 0 else lines


def _offer_choice(concern: Concern, command: str) -> str:
    if is_about_proof(concern):
        return f"Accept it? {command}, or have a test added."
    return f"Intended? {command}, or undo it."


def list_questions(questions: Sequence[OpenQuestion]) -> str:
    """Return the questions with their numbers, one in a line."""
    return "\n".join(f"{each.number}. {each.question.line}" for each in questions)


def _list_changes(concerns: Sequence[Concern], diffs: Mapping[str, str]) -> list[str]:
    """Return the path and the changed lines of the first concern that has a diff."""
    concern = next((each for each in concerns if diffs.get(get_file(each))), None)
    if concern is None:
        return []
    hunks = list(_split_hunks(diffs[get_file(concern)]))
    hints = [hint.strip("…") for hint in (get_subject(concern), concern.old, concern.new) if hint]
    best = max(hunks, key=lambda hunk: sum(hint in "\n".join(hunk) for hint in hints), default=[])
    changed = [line for line in best if line.startswith(("-", "+"))]
    changed = _choose_window(changed, concern, _MAX_DIFF - 1)
    return [get_file(concern), *(shorten(line, _MAX_WIDTH) for line in changed)] if changed else []


def _choose_window(changed: list[str], concern: Concern, size: int) -> list[str]:
    """Return the lines, from the first one at which most of what is asked about fits in."""
    if len(changed) <= size:
        return changed
    # Long parts are cut at the end.
    parts = (("-", concern.old.strip("…")), ("+", concern.new.strip("…")))
    hints = [*(part for part in parts if part[1]), ("", get_subject(concern))]
    shown = [
        {hint for hint in hints if line.startswith(hint[0]) and hint[1] in line} for line in changed
    ]

    def rate(at: int) -> tuple[int, bool]:
        return len(set().union(*shown[at : at + size])), bool(shown[at])

    return changed[max(range(len(changed)), key=rate) :]


def _split_hunks(diff: str) -> Iterator[list[str]]:
    """Yield the lines of each hunk, without the head of the diff."""
    hunk: list[str] | None = None
    for line in diff.splitlines():
        if line.startswith("@@"):
            if hunk:
                yield hunk
            hunk = []
        elif hunk is not None:
            hunk.append(line)
    if hunk:
        yield hunk
