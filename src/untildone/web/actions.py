"""The user's verbs on the page: what each does to a loop, by the same functions as the commands."""

from collections.abc import Callable, Mapping, Sequence

from untildone.engine import verbs
from untildone.engine.approval import ALWAYS, approve, describe_approval
from untildone.engine.context import Context
from untildone.engine.grants import build_grant
from untildone.engine.lost_loops import pause_unindexed_loop
from untildone.engine.open_questions import load_open_questions
from untildone.engine.prompt import answer_question
from untildone.engine.receipts import describe_users_end
from untildone.errors import UserError
from untildone.report.notices import describe_round
from untildone.runs import run_memory
from untildone.web.live_loop import VerbName, seal_question

# The fields of a form; a field may occur several times.
Form = Mapping[str, Sequence[str]]
_BOUNDS = ("rounds", "budget", "minutes")
# What the two buttons at a gate say; typed as a prompt they would mean the same.
_ANSWERS = {"yes": "yes", "always": "proceed without confirmation"}


def carry_out(context: Context, verb: VerbName, loop: str, form: Form) -> str:
    """Carry out a verb and return what it did; raise UserError if it is not possible."""
    return _VERBS[verb](context, loop, form)


def _pause(context: Context, loop: str, _: Form) -> str:
    return describe_users_end(context, verbs.pause(context, loop))


def _cancel(context: Context, loop: str, _: Form) -> str:
    return describe_users_end(context, verbs.cancel(context, loop))


def _continue(context: Context, loop: str, form: Form) -> str:
    record = pause_unindexed_loop(context, context.loops.load(loop))
    _refuse_headless(context, loop)
    given = {name: "".join(form.get(name, ())).strip() for name in _BOUNDS}
    grant = build_grant({name: value for name, value in given.items() if value})
    record = verbs.resume(context, loop, grant)
    return (
        f"loop {loop} continues, {describe_round(record.agreed, record.progress)};"
        " the agent is held from its next stop: prompt it to go on"
    )


def _approve(context: Context, loop: str, form: Form) -> str:
    """Approve one question, or all, if they are still those that the page has shown."""
    record = context.loops.load(loop)
    shown = frozenset(form.get("question", ()))
    questions = [
        each for each in load_open_questions(context, record) if seal_question(each) in shown
    ]
    if not shown or len(questions) != len(shown):
        raise UserError("what is asked has changed since the page was loaded", hint="read it again")
    headless = run_memory.read(context, loop) is not None
    ids = tuple(concern.id for each in questions for concern in each.question.concerns)
    words = (*ids, ALWAYS) if form.get("always") else ids
    result = approve(context, record, words, resumes=not headless)
    return "; ".join(describe_approval(result, headless=headless))


def _answer(context: Context, loop: str, form: Form) -> str:
    """Let a loop pass its gate; to answer by an instruction the user prompts the agent."""
    text = _ANSWERS.get("".join(form.get("answer", ())))
    record = context.loops.load(loop)
    if text is None or record.progress.outcome != "gate":
        raise UserError(f"loop `{loop}` asks nothing", hint="reload the page")
    _refuse_headless(context, loop)
    resumed = answer_question(context, record, text) or verbs.resume(context, loop)
    # The next prompt begins the work, whatever it says.
    context.session_of(resumed).remove("prompt.json")
    return f"loop {loop} goes on; prompt the agent, its next stop is judged"


def _refuse_headless(context: Context, loop: str) -> None:
    if run_memory.read(context, loop) is not None:
        raise UserError(
            f"loop `{loop}` was driven by `untildone run`, which needs a terminal",
            hint=f"run `untildone continue {loop}` there",
        )


_VERBS: dict[VerbName, Callable[[Context, str, Form], str]] = {
    "pause": _pause,
    "continue": _continue,
    "cancel": _cancel,
    "approve": _approve,
    "answer": _answer,
}
