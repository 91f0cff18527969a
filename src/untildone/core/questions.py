"""Questions to the user: concerns of one kind in one line, with what was and what is.

"1 test expectation changed: `test_youths` 6 → 12" is such a line.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from untildone.core.concerns import find_unapproved, get_subject, is_allowed
from untildone.core.contract import Contract
from untildone.core.criteria import apply_exit_rule
from untildone.core.evidence import Concern, ConcernKind, Evidence
from untildone.core.progress import Progress
from untildone.core.task_answers import find_answer
from untildone.core.text import shorten, to_one_line
from untildone.core.verdict import Outcome, Pause, Verdict

_APPROVABLE: tuple[Outcome, ...] = (
    *("needs-approval", "out-of-rounds", "out-of-budget", "out-of-time", "cut-off"),
)
# Lines that are shown, and changes in one line.
MAX_LINES = 5
_MAX_CHANGES = 3
_MAX_REASON = 160
_TITLES: dict[ConcernKind, tuple[str, str]] = {
    ConcernKind.EDIT_EXPECTED: ("test expectation changed", "test expectations changed"),
    ConcernKind.EDIT_TEST: ("test changed", "tests changed"),
    ConcernKind.REMOVE_TEST: ("test no longer runs", "tests no longer run"),
    ConcernKind.CONFIG: ("check setting changed", "check settings changed"),
    ConcernKind.SUPPRESSION: ("suppression added", "suppressions added"),
    ConcernKind.RUNNER: ("change around the test runner", "changes around the test runner"),
    ConcernKind.SNIFFING: ("look at the tests in the code", "looks at the tests in the code"),
    ConcernKind.ALWAYS_EQUAL: ("loose equality", "loose equalities"),
    ConcernKind.HARD_CODED: ("hard-coded answer", "hard-coded answers"),
    ConcernKind.DEPENDENCY: ("dependency changed", "dependencies changed"),
    ConcernKind.ENVIRONMENT: ("change of the environment", "changes of the environment"),
    ConcernKind.UNREAD: ("file not compared", "files not compared"),
    ConcernKind.ORACLE: ("hidden check fails", "hidden checks fail"),
    ConcernKind.PASS_TO_PASS: ("check fails in a clean copy", "checks fail in a clean copy"),
    ConcernKind.PROOF: ("change without a test", "changes without a test"),
}
_NEW_FILES = ("new file that the checks need", "new files that the checks need")
_NAMED_BY_FILE = (ConcernKind.CONFIG, ConcernKind.SUPPRESSION)
# Of these a new file takes nothing away.
_OF_OLD_FILES = (
    *(ConcernKind.EDIT_TEST, ConcernKind.EDIT_EXPECTED),
    *(ConcernKind.REMOVE_TEST, ConcernKind.CONFIG),
)


class Question(Struct, frozen=True, kw_only=True):
    """Concerns of one kind; `answer` quotes the words of the task that ask for them, if any."""

    concerns: tuple[Concern, ...]
    text: str
    answer: str = ""

    @property
    def line(self) -> str:
        return f"{self.text} (the task says “{self.answer}”)" if self.answer else self.text


class OpenQuestion(Struct, frozen=True, kw_only=True):
    """What is left of a question, under the number that it keeps until the next stop."""

    number: int
    question: Question


def list_approvable(
    contract: Contract, progress: Progress, evidence: Evidence, verdict: Verdict
) -> tuple[Concern, ...]:
    """Return the concerns at a pause if their approval is all that is missing, else nothing.

    The loop asks about them, or it reached a bound before the agent was told of them.
    """
    if not isinstance(verdict, Pause) or verdict.outcome not in _APPROVABLE:
        return ()
    is_met = apply_exit_rule(contract, progress, evidence) == "done"
    return find_unapproved(evidence, contract.allow) if is_met else ()


def list_open_questions(contract: Contract, asked: Sequence[Concern]) -> tuple[OpenQuestion, ...]:
    """Return what waits for the user's answer; `asked` are all concerns of the last stop."""
    numbered = enumerate(ask_user(contract, asked), 1)
    left = (
        (number, [each for each in question.concerns if not is_allowed(each, contract.allow)])
        for number, question in numbered
    )
    return tuple(
        OpenQuestion(number=number, question=ask_user(contract, concerns)[0])
        for number, concerns in left
        if concerns
    )


def ask_user(contract: Contract, concerns: Iterable[Concern]) -> tuple[Question, ...]:
    """Return the questions about the concerns of a loop.

    Only words of the user answer one, not those of an agent that started the loop or planned it.
    """
    is_users = contract.started_by == "user" and contract.plan is None
    return list_questions(concerns, contract.task if is_users else "")


def list_questions(concerns: Iterable[Concern], task: str = "") -> tuple[Question, ...]:
    """Return one question for each kind; those that the task's own words answer come first."""
    groups: dict[tuple[str, str], list[Concern]] = {}
    for concern in concerns:
        key = (find_answer(concern, task), _get_title(concern)[0])
        groups.setdefault(key, []).append(concern)
    questions = (
        Question(concerns=tuple(group), text=_describe_group(group), answer=answer)
        for (answer, _), group in groups.items()
    )
    return tuple(sorted(questions, key=lambda question: not question.answer))


def summarize_questions(questions: Sequence[Question]) -> str:
    """Return the questions in one line."""
    rest = len(questions) - MAX_LINES
    texts = [question.text for question in questions[:MAX_LINES]]
    return "; ".join((*texts, f"{rest} more of other kinds") if rest > 0 else texts)


def describe_concern(concern: Concern) -> str:
    """Return "`test_youths` 6 → 12", or the reason where no line with a difference is known."""
    name = f"`{get_subject(concern)}`"
    if get_subject(concern) != concern.path and concern.kind in _NAMED_BY_FILE:
        name = f"{name} in `{concern.path}`"
    change = _describe_difference(concern)
    if change:
        return f"{name} {change}"
    if concern.kind == ConcernKind.REMOVE_TEST or _is_new_file(concern):
        return name
    return shorten(to_one_line(concern.detail), _MAX_REASON)


def _describe_difference(concern: Concern) -> str:
    old, new = concern.old, concern.new
    if old and new:
        return f"{old} → {new}"
    if old:
        return f"no longer has `{old}`"
    return f"now has `{new}`" if new else ""


def _describe_group(concerns: Sequence[Concern]) -> str:
    if all(concern.kind == ConcernKind.PROOF for concern in concerns):
        return shorten(to_one_line(concerns[0].detail), _MAX_REASON)
    singular, plural = _get_title(concerns[0])
    changes = list(dict.fromkeys(map(describe_concern, concerns)))
    rest = len(concerns) - min(len(changes), _MAX_CHANGES)
    if rest and len(changes) > _MAX_CHANGES:
        changes = [*changes[:_MAX_CHANGES], f"{rest} more of this kind"]
    return f"{len(concerns)} {singular if len(concerns) == 1 else plural}: {'; '.join(changes)}"


def _get_title(concern: Concern) -> tuple[str, str]:
    return _NEW_FILES if _is_new_file(concern) else _TITLES[concern.kind]


def _is_new_file(concern: Concern) -> bool:
    return concern.added and concern.kind in _OF_OLD_FILES
