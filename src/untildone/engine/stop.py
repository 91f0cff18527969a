"""Handles one stop of the agent: the event goes in, the answer for the agent's client comes out.

The order: load the loop, gather evidence, decide without checks if that is possible, else run the
checks and decide by them, save the verdict, and build the answer.
"""

from collections.abc import Iterator

from msgspec.structs import asdict, replace

from untildone.agents.events import Stop
from untildone.core.criteria import apply_amendments
from untildone.core.decide import decide, decide_before_checks
from untildone.core.evidence import Evidence
from untildone.core.progress import Progress
from untildone.core.verdict import Continue
from untildone.engine.active_time import count_time
from untildone.engine.agent_verbs import AgentVerb, apply_relayed_verbs
from untildone.engine.conclusion import conclude
from untildone.engine.context import Context
from untildone.engine.duplicate_events import count_source, is_duplicate_stop
from untildone.engine.early_evidence import find_project_root, gather_evidence
from untildone.engine.feature import Feature, load_used_features
from untildone.engine.judging import mark_judging
from untildone.engine.payload import STOP_DEADLINE, Call
from untildone.engine.scope import Calls, Scope, iterate_calls
from untildone.engine.speaker import read_tail, runs_headless
from untildone.engine.stopped_loop import Answer, JudgedStop, StoppedLoop
from untildone.store.lock import hold_lock
from untildone.store.loops import Record


def answer_stop(context: Context, call: Call) -> str:
    """Return what the Stop hook prints; an empty text lets the agent stop."""
    stop = _complete(context, context.agent.parse_stop(call.data, context.environ))
    if call.fault:
        # An unreadable payload names no session; the environment may.
        stop = replace(stop, session=call.session)
    session = context.session(stop.session)
    if call.fault and not session.known:
        # The installed line has seen an active loop; whose it is nobody can tell.
        text = f"untildone: {call.fault}, so no session is known; the agent was not held"
        return str(call.client.notify(text))
    # Only the main agent is held, never one that it started.
    if stop.subagent or stop.interrupted:
        return ""
    features = load_used_features(context, Scope(event="Stop", session=session))
    notice = _find_first(feature.before_stop(context, stop, session) for feature in features)
    if not session.is_active():
        answers = (feature.stop_without_loop(context, call, stop) for feature in features)
        return _find_first(answers) or notice
    answer = judge(context, call, stop)
    if answer is None:
        return ""
    if isinstance(answer.verdict, Continue):
        # Some clients report it back as a prompt.
        session.write("said", answer.feedback)
    return context.agent.format_reply(
        answer.verdict, feedback=answer.feedback, notice=answer.notice, environ=context.environ
    )


def _complete(context: Context, stop: Stop) -> Stop:
    """Return the stop with what some clients leave out: the message, whether a user is there."""
    if stop.attended and runs_headless(context.agent, context.environ):
        stop = replace(stop, attended=False)
    if stop.message:
        return stop
    message = context.session(stop.session).take("response")
    if not message and stop.transcript:
        message = context.agent.find_message(read_tail(stop.transcript))
    return replace(stop, message=message)


def _find_first(texts: Iterator[str]) -> str:
    """Return the first text that is not empty, or an empty one."""
    return next(filter(None, texts), "")


def judge_return(context: Context, stop: Stop) -> Answer | None:
    """Judge the stop of an agent that `untildone run` has started: no hook reports it."""
    return judge(context, Call("Stop", context.agent.NAME, "run", str(context.home)), stop)


def judge(context: Context, call: Call, stop: Stop) -> Answer | None:
    """Judge one stop of a session with an active loop.

    Returns None if there is nothing to answer: the stop was judged already, or the loop has ended
    while this process waited for the lock.
    """
    session = context.session(stop.session)
    loop_id = session.get_loop_id()
    folder = context.loops.get_folder(loop_id)
    answer = None
    with (
        mark_judging(context, call, session),
        hold_lock(folder / "judging.lock", timeout=STOP_DEADLINE),
    ):
        # If the session has another loop by now, another process has judged this stop.
        if session.is_active() and session.get_loop_id() == loop_id:
            answer = _judge_loaded_loop(context, call, stop, context.loops.load(loop_id))
    # After the lock is released: a stop being judged may need the files that a feature removes.
    for feature in load_used_features(context, Scope(event="end", session=session, folder=folder)):
        feature.clean_up(context, loop_id)
    return answer


def _judge_loaded_loop(context: Context, call: Call, stop: Stop, record: Record) -> Answer | None:
    """Judge the stop under the lock; None if another installed hook has reported it before."""
    session = context.session_of(record)
    if is_duplicate_stop(record.progress, call, session):
        count_source(context, record, call)
        return None
    calls = session.read_calls()
    scope = Scope(
        event="Stop",
        session=session,
        contract=record.contract,
        folder=context.loops.get_folder(record.contract.id),
        calls=calls,
        message=stop.message,
    )
    features = load_used_features(context, scope)
    progress = _update_progress(context, call, stop, record, calls)
    for feature in features:
        progress = feature.read_message(record.contract, progress, stop.message)
    loop = StoppedLoop(
        record=record,
        contract=apply_amendments(record.contract, progress.amendments),
        progress=count_time(progress, session),
        stop=stop,
        calls=calls,
        project=find_project_root(record.contract, stop.cwd),
    )
    evidence = replace(gather_evidence(context, loop, features), fault=call.fault)
    answer = conclude(context, _decide(context, call, loop, evidence, features), features)
    session.drop_calls(list(calls))
    session.forget_calls()
    return answer


def _update_progress(
    context: Context, call: Call, stop: Stop, record: Record, calls: Calls
) -> Progress:
    """Return the progress with what happened since the last stop.

    It has the agent's relayed verbs (`agent_verbs` explains them), one more stop of this source,
    and no idle holds if the client counts them from 0 again: the agent was not held before this
    stop, or, in most clients, has called a tool.
    """

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
    is_reset = not stop.held_before or (bool(calls) and not stop.cap_counts_calls)
    return replace(progress, idle_holds=0) if is_reset else progress


def _decide(
    context: Context,
    call: Call,
    loop: StoppedLoop,
    evidence: Evidence,
    features: tuple[Feature, ...],
) -> JudgedStop:
    """Return the stop with its verdict; the checks run only if the verdict depends on them."""
    contract, progress = loop.contract, loop.progress
    verdict = decide_before_checks(contract, progress, evidence)
    if verdict is not None:
        return JudgedStop(**asdict(loop), evidence=evidence, verdict=verdict)
    for feature in features:
        feature.before_checks(context, loop)
    if contract.checks or contract.must_not:
        # Imported where it is used: a stop without checks must not pay for it.
        from untildone.engine.stop_checks import judge_by_checks

        judged = judge_by_checks(context, call, loop, evidence)
    else:
        verdict = decide(contract, progress, evidence)
        judged = JudgedStop(**asdict(loop), evidence=evidence, verdict=verdict)
    for feature in features if isinstance(judged.verdict, Continue) else ():
        judged = replace(judged, evidence=feature.explain(context, judged, judged.evidence))
    return judged
