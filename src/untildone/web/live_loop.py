"""What moves on the page of a loop: what runs now, what the loop asks, and what the user can do."""

import time
from collections.abc import Iterator
from datetime import datetime
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.concerns import get_file, is_lasting, strip_content_digest
from untildone.core.questions import OpenQuestion
from untildone.engine.check_output import OUTPUT
from untildone.engine.context import Context
from untildone.engine.hold_status import check_hold
from untildone.engine.open_questions import load_open_questions
from untildone.report.page.inert_text import cut_lines, make_inert, make_line
from untildone.report.running_checks import RunningCheck, is_judging, list_running_checks
from untildone.report.status import Held
from untildone.report.verdict_names import name_state
from untildone.runs import run_memory
from untildone.store.digest import sha256
from untildone.store.loops import Record
from untildone.store.sessions import Session

LineKind: TypeAlias = Literal["add", "del", "at", "same"]
VerbName: TypeAlias = Literal["pause", "continue", "cancel", "approve", "answer"]
_PHASES = {
    "check": "checking",
    "baseline": "checking the baseline",
    "confirming": "confirming",
    "affected": "confirming, affected tests first",
}
_BOUNDS = {"out-of-rounds": "rounds", "out-of-budget": "budget", "out-of-time": "minutes"}
_MAX_DIFF_LINES = 60
_MAX_TAIL_LINES = 12
_MAX_CONCERNS = 20


class RunningLine(Struct, frozen=True, kw_only=True):
    """A running check: since when for programs and for people, and how long it will take."""

    check: str
    phase: str
    since: float
    time: str
    expected: float | None
    # The last lines that it has printed.
    output: str = ""


class DiffLine(Struct, frozen=True, kw_only=True):
    kind: LineKind
    text: str


class QuestionDiff(Struct, frozen=True, kw_only=True):
    path: str
    lines: tuple[DiffLine, ...]


class QuestionView(Struct, frozen=True, kw_only=True):
    """A question with what the user approves by it; `seal` is sent back with the approval."""

    number: int
    text: str
    answer: str
    seal: str
    names: tuple[str, ...]
    more: int
    lasting: bool
    diffs: tuple[QuestionDiff, ...]


class LiveLoop(Struct, frozen=True, kw_only=True):
    id: str
    state: str
    status: str
    reason: str
    held: Held
    not_held: str
    # Whether a stop is judged now, also while no check runs.
    judging: bool
    running: tuple[RunningLine, ...]
    questions: tuple[QuestionView, ...]
    # What a gate asks.
    gate: str
    verbs: tuple[VerbName, ...]
    # The bound that the loop has reached, of which `continue` grants more.
    bound: str
    # The command for a loop that only a terminal can go on with.
    command: str


def build_live_loop(
    context: Context,
    record: Record,
    *,
    questions: tuple[QuestionView, ...] = (),
    hold_problem: str = "",
) -> LiveLoop:
    """Return what the page shows; `hold_problem` is what may keep the installed hooks silent."""
    contract, progress = record.agreed, record.progress
    session = context.session_of(record)
    headless = run_memory.read(context, contract.id) is not None
    held, not_held = check_hold(context, record)
    if held is True and hold_problem:
        held, not_held = "unknown", hold_problem
    is_active = progress.status == "active"
    return LiveLoop(
        id=contract.id,
        state=name_state(progress),
        status=progress.status,
        reason=make_line(progress.reason, 400),
        held=held,
        not_held=make_line(not_held, 300) if is_active else "",
        judging=is_active and is_judging(session),
        running=tuple(_list_running(session)),
        questions=questions,
        gate=make_line(progress.reason, 1_000) if progress.outcome == "gate" else "",
        verbs=_list_verbs(record, asks=bool(questions), headless=headless),
        bound=_BOUNDS.get(progress.outcome or "", ""),
        command=f"untildone continue {contract.id}"
        if headless and progress.status == "paused"
        else "",
    )


def _list_running(session: Session) -> Iterator[RunningLine]:
    output = session.read_json(OUTPUT)
    for running in list_running_checks(session):
        tail = cut_lines(str(output.get(running.check, "")), lines=_MAX_TAIL_LINES, width=200)
        yield replace(describe_running(running), output=tail)


def describe_running(running: RunningCheck) -> RunningLine:
    # Whole seconds: the same check must look the same at each refresh.
    since = round(time.time() - running.seconds)
    return RunningLine(
        check=make_line(running.check, 60),
        phase=_PHASES.get(running.phase, "running"),
        since=since,
        time=datetime.fromtimestamp(since).astimezone().strftime("%H:%M:%S"),
        expected=running.expected_seconds and round(running.expected_seconds),
    )


def _list_verbs(record: Record, *, asks: bool, headless: bool) -> tuple[VerbName, ...]:
    """Return what the user can do now; a loop without a session goes on in a terminal only."""
    progress = record.progress
    if progress.status == "finished":
        return ()
    if progress.status == "active":
        return ("approve", "pause", "cancel") if asks else ("pause", "cancel")
    verbs: list[VerbName] = ["approve"] if asks else []
    if not headless:
        verbs.append("answer" if progress.outcome == "gate" else "continue")
    return (*verbs, "cancel")


def load_questions(context: Context, record: Record) -> tuple[QuestionView, ...]:
    """Return what the loop asks; that is the same as long as the loop does not change."""
    if record.progress.status == "finished":
        return ()
    questions = load_open_questions(context, record)
    last = context.loops.read_last_round(record.contract.id) if questions else None
    diffs = last.diffs if last else {}
    return tuple(_view_question(each, diffs) for each in questions)


def _view_question(each: OpenQuestion, diffs: dict[str, str]) -> QuestionView:
    concerns = each.question.concerns
    files = dict.fromkeys(map(get_file, concerns))
    names = tuple(make_line(strip_content_digest(concern.id), 200) for concern in concerns)
    return QuestionView(
        number=each.number,
        text=make_line(each.question.text, 600),
        answer=make_line(each.question.answer, 200),
        seal=seal_question(each),
        names=names[:_MAX_CONCERNS],
        more=max(0, len(names) - _MAX_CONCERNS),
        lasting=all(map(is_lasting, concerns)),
        diffs=tuple(_view_diff(path, diffs[path]) for path in files if diffs.get(path)),
    )


def seal_question(each: OpenQuestion) -> str:
    """Return a digest of what is asked: an approval must not reach what its page did not show."""
    ids = "\n".join(concern.id for concern in each.question.concerns)
    return sha256(ids.encode("utf-8", "surrogateescape")).hexdigest()


def _view_diff(path: str, text: str) -> QuestionDiff:
    lines = [_view_line(line) for line in text.splitlines()[:_MAX_DIFF_LINES]]
    return QuestionDiff(path=make_line(path, 200), lines=tuple(lines))


def _view_line(line: str) -> DiffLine:
    kind: LineKind = "same"
    if line.startswith(("@@", "---", "+++")):
        kind = "at"
    elif line.startswith("+"):
        kind = "add"
    elif line.startswith("-"):
        kind = "del"
    return DiffLine(kind=kind, text=make_inert(line, 400))
