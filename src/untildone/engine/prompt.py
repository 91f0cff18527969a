"""Answers UserPromptSubmit: carries out the user's verbs, starts loops, remembers questions.

The answer either passes the prompt on to the agent, perhaps with more context, or consumes it.
"""

from typing import Literal

from msgspec.structs import replace

from untildone.agents.events import Prompt
from untildone.engine.active_time import record_turn
from untildone.engine.context import Context, fingerprint_project
from untildone.engine.early_evidence import find_project_root
from untildone.engine.feature import load_used_features
from untildone.engine.judging import record_killed_hook
from untildone.engine.lost_loops import describe_lost_loop
from untildone.engine.payload import Call
from untildone.engine.phrases import asks_about_loops, find_loop_request, find_verb
from untildone.engine.prompt_intent import is_question, says_go_on
from untildone.engine.scope import Scope
from untildone.engine.session_events import describe_standing, write_reminder
from untildone.engine.speaker import explain_ignored, is_typed_by_user, runs_headless
from untildone.errors import UserError
from untildone.store.loops import Record
from untildone.store.sessions import Session

_ABOUT_LOOPS = (
    "untildone: a loop holds the agent at each stop until checks that untildone runs itself are"
    " green. `loop: SPEC` or `/untildone:loop SPEC` starts one from a spec that is clear enough,"
    " `/untildone:test` one over the project's tests; `/untildone:status`, `/untildone:pause` and"
    " `/untildone:cancel` are yours at any time. Nothing was started"
)


def answer_prompt(context: Context, call: Call) -> str:
    """Return what the hook prints; an empty text passes the prompt on as it is."""
    prompt = context.agent.parse_prompt(call.data, context.environ)
    session = context.session(prompt.session)
    prompt = _complete(context, session, prompt)
    if not session.known or explain_ignored(context.agent, context.environ):
        return ""
    lost = describe_lost_loop(context, session)
    if lost:
        return context.agent.pass_prompt(prompt, context="", notice=lost)
    record_killed_hook(context, session)
    by_user = _is_from_user(context, session, prompt)
    try:
        return _act(context, session, prompt, by_user=by_user)
    except UserError as error:
        hint = f"; {error.hint}" if error.hint else ""
        return context.agent.consume_prompt(f"untildone: {error.message}{hint}")
    finally:
        session.forget_calls()


def _complete(context: Context, session: Session, prompt: Prompt) -> Prompt:
    """Return the prompt with what some clients do not report.

    They send our own feedback as a prompt, and an empty one after tool calls; no user typed those.
    """
    text = prompt.text.strip()
    said = context.agent.LAYOUT.rename_commands(session.read("said"))
    is_ours = not text or text == said.strip()
    is_headless = prompt.attended and runs_headless(context.agent, context.environ)
    return replace(
        prompt,
        automatic=prompt.automatic or is_ours,
        attended=prompt.attended and not is_headless,
    )


def _is_from_user(context: Context, session: Session, prompt: Prompt) -> bool:
    """Say whether the user typed the prompt.

    A notification, a prompt that the agent has scheduled, and text from a pipe are not the user's.
    """
    scheduled = session.read_json("stop.json").get("scheduled")
    is_scheduled = isinstance(scheduled, list) and prompt.text.strip() in scheduled
    return not (prompt.automatic or is_scheduled) and is_typed_by_user(
        prompt.text, attended=prompt.attended, agent=context.agent, environ=context.environ
    )


def _act(context: Context, session: Session, prompt: Prompt, *, by_user: bool) -> str:
    """Do what the prompt asks of untildone, if anything, and return the hook's answer."""
    loop = session.get_loop_id()
    verb = find_verb(prompt.text, has_loop=bool(loop))
    prompted_loop = None if prompt.automatic else find_loop_request(prompt.text)
    # Imported where they are used: most prompts are not for us.
    if verb:
        from untildone.engine.prompt_verbs import answer_verb

        return answer_verb(context, session, prompt, verb) if by_user else ""
    if prompted_loop and not loop:
        from untildone.engine.prompt_start import answer_loop_request

        return answer_loop_request(context, prompt, prompted_loop, by_user=by_user)
    if prompted_loop and prompted_loop.explicit and by_user:
        raise UserError(
            f"this session has the loop `{loop}` already",
            hint="`/untildone:cancel` ends it, `/untildone:continue` goes on with it",
        )
    if loop:
        return _answer_during_loop(context, session, prompt, by_user=by_user)
    return _answer_without_loop(context, session, prompt) if by_user else ""


def _answer_during_loop(
    context: Context, session: Session, prompt: Prompt, *, by_user: bool
) -> str:
    """Record the turn that the prompt begins, and return the hook's answer.

    With a question the tree is remembered: if it is the same at the stop, the agent has only
    answered, and may stop.
    """
    record = context.loops.load(session.get_loop_id())
    if by_user:
        if resumed := answer_question(context, record, prompt.text):
            return _pass_resumed(context, session, prompt, resumed)
        if record.progress.status == "paused" and says_go_on(prompt.text):
            from untildone.engine.verbs import resume

            return _pass_resumed(context, session, prompt, resume(context, record.contract.id))
    is_active = session.is_active()
    kind = _classify_prompt(session, prompt, by_user=by_user)
    tree = ""
    if is_active and kind == "question":
        tree = fingerprint_project(find_project_root(record.contract, prompt.cwd))
    record_turn(session, record.progress, prompt=prompt.prompt, kind=kind, tree=tree)
    compacted = is_active and session.has("compacting")
    # A paused loop is mentioned only once, at the first prompt after it has paused.
    is_notice_due = is_active or session.has("remind")
    session.remove("compacting")
    session.remove("remind")
    return context.agent.pass_prompt(
        prompt,
        context=write_reminder(record) if compacted else "",
        notice=describe_standing(context, record) if is_notice_due else "",
    )


def answer_question(context: Context, record: Record, text: str) -> Record | None:
    """Return the loop after this text has resumed it; None if it answers no question of a loop."""
    session = context.session_of(record)
    scope = Scope(event="UserPromptSubmit", session=session, contract=record.agreed)
    features = load_used_features(context, scope)
    answers = (feature.resume_by_prompt(context, record, text) for feature in features)
    return next(filter(None, answers), None)


def _pass_resumed(context: Context, session: Session, prompt: Prompt, record: Record) -> str:
    # Imported where it is used: most prompts resume nothing.
    from untildone.engine.prompt_verbs import pass_resumed_prompt

    return pass_resumed_prompt(context, session, prompt, record)


def _classify_prompt(
    session: Session, prompt: Prompt, *, by_user: bool
) -> Literal["automatic", "start", "question", "order"]:
    """Return who speaks, and what the user wants of the agent.

    "start" is the first prompt since the loop was started or resumed: it is no question.
    """
    if not by_user:
        return "automatic"
    if not session.read("prompt.json"):
        return "start"
    return "question" if is_question(prompt.text) else "order"


def _answer_without_loop(context: Context, session: Session, prompt: Prompt) -> str:
    """Return an explanation if the user asks what a loop is, else the features' reminders.

    The agent sees the question too: it may be about something else.
    """
    if asks_about_loops(prompt.text):
        return context.agent.pass_prompt(prompt, context=_ABOUT_LOOPS, notice=_ABOUT_LOOPS)
    features = load_used_features(context, Scope(event="UserPromptSubmit", session=session))
    texts = (feature.remind(context, prompt, session) for feature in features)
    text = "\n".join(filter(None, texts))
    return context.agent.pass_prompt(prompt, context=text, notice="") if text else ""
