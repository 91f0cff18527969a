"""A submitted prompt: carries out the user's verbs, starts loops, remembers questions."""

from untildone.agents.events import Prompt
from untildone.core.plan_task import PLANNED
from untildone.engine import verbs
from untildone.engine.active_time import mark_turn_start
from untildone.engine.context import Context, fingerprint_project
from untildone.engine.feature import load_used_features
from untildone.engine.gather import find_project_root
from untildone.engine.grants import parse_grant
from untildone.engine.lost_loops import describe_lost_loop
from untildone.engine.payload import Call
from untildone.engine.phrases import PromptVerb, asks_about_loops, find_loop_request, find_verb
from untildone.engine.request import PromptedLoop
from untildone.engine.scope import Scope
from untildone.engine.session import describe_standing, write_reminder
from untildone.engine.speaker import explain_ignored, is_typed_by_user
from untildone.errors import UserError
from untildone.report.notices import format_status_line
from untildone.store.loops import Record
from untildone.store.sessions import Session

_EXPLAINED = (
    "untildone: a loop holds the agent at each stop until checks that untildone runs itself are"
    " green. `loop: SPEC` or `/untildone:loop SPEC` starts one from a spec that is clear enough,"
    " `/untildone:test` one over the project's tests; `/untildone:status`, `/untildone:pause` and"
    " `/untildone:cancel` are yours at any time. Nothing was started"
)


def answer_prompt(context: Context, call: Call) -> str:
    prompt = context.agent.parse_prompt(call.data, context.environ)
    session = context.session(prompt.session)
    if not session.known or explain_ignored(context.agent, context.environ):
        return ""
    lost = describe_lost_loop(context, session)
    if lost:
        return context.agent.pass_prompt(context="", notice=lost)
    theirs = _is_from_user(context, session, prompt)
    try:
        return _act(context, session, prompt, theirs=theirs)
    except UserError as error:
        hint = f"; {error.hint}" if error.hint else ""
        return context.agent.consume_prompt(f"untildone: {error.message}{hint}")
    finally:
        session.forget_calls()


def _is_from_user(context: Context, session: Session, prompt: Prompt) -> bool:
    """Typed by the user: no notification, nothing the agent scheduled, nothing piped in."""
    scheduled = session.read_json("stop.json").get("scheduled")
    planned = isinstance(scheduled, list) and prompt.text.strip() in scheduled
    return not (prompt.automatic or planned) and is_typed_by_user(
        prompt.text, attended=prompt.attended, agent=context.agent, environ=context.environ
    )


def _act(context: Context, session: Session, prompt: Prompt, *, theirs: bool) -> str:
    spoken = find_verb(prompt.text, has_loop=bool(session.get_loop_id()))
    if spoken:
        return _apply_verb(context, session, prompt, spoken) if theirs else ""
    wanted = None if prompt.automatic else find_loop_request(prompt.text)
    if wanted and not session.get_loop_id():
        return _start_prompted_loop(context, prompt, wanted, theirs=theirs)
    if wanted and wanted.explicit and theirs:
        raise UserError(
            f"this session has the loop `{session.get_loop_id()}` already",
            hint="`/untildone:cancel` ends it, `/untildone:continue` goes on with it",
        )
    return _handle_other_prompt(context, session, prompt, theirs=theirs)


def _handle_other_prompt(
    context: Context, session: Session, prompt: Prompt, *, theirs: bool
) -> str:
    """Not for us; remember the tree, to see at the stop whether anything was changed."""
    if not session.get_loop_id():
        return _answer_without_loop(context, session, prompt) if theirs else ""
    record = context.loops.load(session.get_loop_id())
    going = _resume_by_answer(context, session, record, prompt) if theirs else None
    if going:
        return _pass_resumed_prompt(context, session, prompt, going)
    first = not session.read("prompt.json")
    kind = "automatic" if not theirs else "start" if first else "other"
    asked = session.is_active() and kind == "other"
    tree = fingerprint_project(find_project_root(record.contract, prompt.cwd)) if asked else ""
    _record_turn(session, prompt, record, kind=kind, tree=tree)
    compacted = session.is_active() and session.has("compacting")
    session.remove("compacting")
    is_due = session.is_active() or session.has("remind")
    session.remove("remind")
    return context.agent.pass_prompt(
        context=write_reminder(record) if compacted else "",
        notice=describe_standing(context, record) if is_due else "",
    )


def _resume_by_answer(
    context: Context, session: Session, record: Record, prompt: Prompt
) -> Record | None:
    contract = record.agreed
    scope = Scope(event="UserPromptSubmit", session=session, contract=contract)
    features = load_used_features(context, scope)
    resumed = (each.resume_by_prompt(context, record, prompt.text) for each in features)
    return next(filter(None, resumed), None)


def _record_turn(
    session: Session, prompt: Prompt, record: Record, *, kind: str, tree: str = ""
) -> None:
    begins = mark_turn_start(record.progress, session)
    session.write_json("prompt.json", {"id": prompt.prompt, "kind": kind, "tree": tree, **begins})


def _answer_without_loop(context: Context, session: Session, prompt: Prompt) -> str:
    """The agent may answer as well: the question may be about something else."""
    if asks_about_loops(prompt.text):
        return context.agent.pass_prompt(context=_EXPLAINED, notice=_EXPLAINED)
    return _remind(context, session, prompt)


def _remind(context: Context, session: Session, prompt: Prompt) -> str:
    features = load_used_features(context, Scope(event="UserPromptSubmit", session=session))
    text = "\n".join(filter(None, (each.remind(context, prompt, session) for each in features)))
    return context.agent.pass_prompt(context=text, notice="") if text else ""


def _start_prompted_loop(
    context: Context, prompt: Prompt, wanted: PromptedLoop, *, theirs: bool
) -> str:
    if not theirs or (not wanted.explicit and not prompt.attended):
        return context.agent.pass_prompt(
            context=_propose_to_agent(wanted), notice=_describe_proposal(wanted)
        )
    from untildone.engine.prompt_start import start_from_prompt

    try:
        record, notice = start_from_prompt(context, prompt, wanted)
    except UserError as error:
        if wanted.explicit:
            raise
        # A phrase may be just a way of speaking: the prompt goes its way.
        notice = f"untildone: no loop was started: {error.message}; {error.hint}"
        return context.agent.pass_prompt(context="", notice=notice)
    _record_turn(context.session(prompt.session), prompt, record, kind="start")
    return context.agent.pass_prompt(context=write_reminder(record), notice=notice)


def _describe_proposal(wanted: PromptedLoop) -> str:
    return f"untildone: no loop was started; `/untildone:{wanted.preset}` in a session starts one"


def _propose_to_agent(wanted: PromptedLoop) -> str:
    return (
        "[untildone] This asks for work until it is proved done, but nobody who could start a loop"
        f" is here. You may start one yourself: {_describe_command(wanted)}; you are then held"
        " until its checks pass, within its bounds."
    )


def _describe_command(wanted: PromptedLoop) -> str:
    if wanted.preset in PLANNED:
        return "`untildone plan start` (with the task's id, where it is about one)"
    return (
        f"`untildone start --preset {wanted.preset}` (with `--task`, and `--check COMMAND` where"
        " none is found)"
    )


def _apply_verb(context: Context, session: Session, prompt: Prompt, spoken: PromptVerb) -> str:
    loop = session.get_loop_id()
    if not loop:
        raise UserError("this session has no loop", hint="`untildone status` shows what runs")
    named = spoken.rest.split() if spoken.verb in ("cancel", "pause", "status") else []
    if named and not loop.startswith(named[0]):
        raise UserError(
            f"this session's loop is `{loop}`, not `{named[0]}`",
            hint=f"`untildone {spoken.verb} {named[0]}` in your own terminal",
        )
    match spoken.verb:
        case "cancel":
            verbs.cancel(context, loop)
            return context.agent.consume_prompt(f"untildone: loop {loop} is cancelled")
        case "pause":
            verbs.pause(context, loop)
            return context.agent.consume_prompt(
                f"untildone: loop {loop} is paused; `/untildone:continue` resumes it"
            )
        case "status":
            return context.agent.consume_prompt(format_status_line(context.loops.load(loop)))
        case "approve":
            return context.agent.consume_prompt(_approve(context, loop, spoken.rest))
        case "continue":
            return _continue_loop(context, session, prompt, spoken)


def _approve(context: Context, loop: str, named: str) -> str:
    # Imported where it is used: hardly any prompt approves.
    from untildone.core.concerns import strip_content_digest
    from untildone.engine.approval import approve

    given = approve(context, context.loops.load(loop), tuple(named.split()))
    names = ", ".join(strip_content_digest(finding) for finding in given.approved)
    wakes = "; `/untildone:continue` wakes the agent" if given.goes_on else ""
    left = (
        f"; still asked about: {', '.join(map(strip_content_digest, given.left))}"
        if given.left
        else ""
    )
    return f"untildone: approved {names}{left}{wakes}"


def _continue_loop(context: Context, session: Session, prompt: Prompt, spoken: PromptVerb) -> str:
    """The loop goes on before the model sees the prompt, which then wakes the agent."""
    loop = session.get_loop_id()
    granted = parse_grant(spoken.rest)
    if granted or not session.is_active():
        verbs.resume(context, loop, granted)
    return _pass_resumed_prompt(context, session, prompt, context.loops.load(loop))


def _pass_resumed_prompt(context: Context, session: Session, prompt: Prompt, record: Record) -> str:
    _record_turn(session, prompt, record, kind="continue")
    return context.agent.pass_prompt(
        context=write_reminder(record), notice=f"untildone: loop {record.contract.id} goes on"
    )
