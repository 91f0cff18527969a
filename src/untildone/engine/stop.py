"""One stop, from event to answer: load, gather, decide, check and decide again, save, say."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from untildone.agents.events import Stop
from untildone.core.criteria import apply_amendments
from untildone.core.decide import decide_before_checks
from untildone.core.progress import Progress
from untildone.core.verdict import Continue
from untildone.engine.active_time import count_time
from untildone.engine.agent_verbs import AgentVerb, apply_relayed_verbs
from untildone.engine.check_run import DEADLINE
from untildone.engine.conclusion import conclude
from untildone.engine.context import Context
from untildone.engine.duplicate_events import count_source, is_duplicate_stop
from untildone.engine.feature import Feature, StoppedLoop, load_used_features
from untildone.engine.gather import find_project_root, gather
from untildone.engine.payload import Call
from untildone.engine.scope import Calls, Scope, iterate_calls
from untildone.engine.stop_answer import Answer, JudgedStop
from untildone.engine.stop_checks import await_baseline, run_checks
from untildone.store.lock import hold_lock
from untildone.store.loops import Record
from untildone.store.sessions import Session


def answer_stop(context: Context, call: Call) -> str:
    stop = context.agent.parse_stop(call.data, context.environ)
    if call.fault:
        stop = replace(stop, session=context.environ.get(context.agent.SESSION_VARIABLE, ""))
    session = context.session(stop.session)
    if stop.subagent:
        return ""
    features = load_used_features(context, Scope(event="Stop", session=session))
    notice = _first(each.before_stop(context, stop, session) for each in features)
    if not session.is_active():
        return _first(each.stop_without_loop(context, call, stop) for each in features) or notice
    judged = judge(context, call, stop)
    if judged is None:
        return ""
    return context.agent.format_reply(
        judged.verdict, feedback=judged.feedback, notice=judged.notice, environ=context.environ
    )


def _first(texts: Iterator[str]) -> str:
    return next(filter(None, texts), "")


def judge_return(context: Context, stop: Stop) -> Answer | None:
    """A return of an agent that a run of ours drives: no hook reports it."""
    return judge(context, Call("Stop", context.agent.NAME, "run", str(context.home)), stop)


def judge(context: Context, call: Call, stop: Stop) -> Answer | None:
    """One stop of a session with an active loop; None where it was judged or ended meanwhile."""
    session = context.session(stop.session)
    loop = session.get_loop_id()
    answer = None
    with (
        _mark_judging(session),
        hold_lock(context.loops.get_folder(loop) / "judging.lock", timeout=DEADLINE),
    ):
        # Where another loop has followed meanwhile, this stop was judged.
        if session.is_active() and session.get_loop_id() == loop:
            answer = _judge(context, call, stop, session)
    _clean_up(context, session, loop)
    return answer


@contextmanager
def _mark_judging(session: Session) -> Iterator[None]:
    """The mark stays behind if this process is killed: then the agent was not held."""
    session.write("judging", str(os.getpid()))
    try:
        yield
    except BaseException as error:
        session.write("unjudged", f"{type(error).__name__}: {error}"[:300])
        raise
    finally:
        session.remove("judging")
    session.remove("unjudged")


def _judge(context: Context, call: Call, stop: Stop, session: Session) -> Answer | None:
    record = context.loops.load(session.get_loop_id())
    if is_duplicate_stop(record.progress, call, session):
        count_source(context, record, call)
        return None
    calls = session.read_calls()
    features = load_used_features(context, _scope(context, record, stop, calls))
    loop = _load(context, call, stop, record, calls, features)
    evidence = replace(gather(context, loop, features), fault=call.fault)
    verdict = decide_before_checks(loop.contract, loop.progress, evidence)
    if verdict is None:
        loop = await_baseline(context, loop)
        for feature in features:
            feature.before_checks(context, loop)
        evidence, verdict = run_checks(context, call, loop, evidence)
        for feature in features if isinstance(verdict, Continue) else ():
            evidence = feature.explain(context, loop, evidence)
    judged = JudgedStop(record, loop.contract, loop.progress, evidence, verdict, loop.project)
    answer = conclude(context, loop, judged, features)
    session.drop_calls(list(calls))
    session.forget_calls()
    return answer


def _scope(context: Context, record: Record, stop: Stop, calls: Calls) -> Scope:
    return Scope(
        event="Stop",
        session=context.session_of(record),
        contract=record.contract,
        folder=context.loops.get_folder(record.contract.id),
        calls=calls,
        message=stop.message,
    )


def _load(
    context: Context,
    call: Call,
    stop: Stop,
    record: Record,
    calls: Calls,
    features: tuple[Feature, ...],
) -> StoppedLoop:
    """The loop with what happened since its last stop: tool calls, the agent's verbs, time."""

    def apply_verb(progress: Progress, verb: AgentVerb) -> Progress:
        scope = Scope(event="verb", contract=record.contract, name=verb.verb)
        for feature in load_used_features(context, scope):
            progress = feature.apply_verb(record.contract, progress, verb)
        return progress

    progress = apply_relayed_verbs(
        record.contract, record.progress, iterate_calls(calls), apply_verb
    )
    stops = max(progress.stops_by_source.values(), default=0) + 1
    progress = replace(progress, stops_by_source={**progress.stops_by_source, call.source: stops})
    if calls or not stop.held_before:
        progress = replace(progress, idle_holds=0)
    for feature in features:
        progress = feature.read_message(record.contract, progress, stop.message)
    return StoppedLoop(
        record=record,
        contract=apply_amendments(record.contract, progress.amendments),
        progress=count_time(progress, context.session_of(record)),
        stop=stop,
        calls=calls,
        project=find_project_root(record.contract, stop.cwd),
    )


def _clean_up(context: Context, session: Session, loop: str) -> None:
    """After the lock is released: what a feature removes may be needed until then."""
    folder = context.loops.get_folder(loop)
    for feature in load_used_features(context, Scope(event="end", session=session, folder=folder)):
        feature.clean_up(context, loop)
