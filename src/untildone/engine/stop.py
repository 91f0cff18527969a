"""One stop, from event to answer."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import TypeAlias, TypeVar

from msgspec.structs import replace

from untildone.agents.events import Stop
from untildone.core.check_results import BaselineResult
from untildone.core.contract import Contract
from untildone.core.criteria import apply_amendments, compare_with_baseline
from untildone.core.decide import decide, decide_before_checks
from untildone.core.evidence import Evidence, Todo
from untildone.core.progress import Progress
from untildone.core.transitions import advance
from untildone.core.verdict import Continue, Finish, Pause, Verdict
from untildone.engine import gather
from untildone.engine.check_run import DEADLINE, Site, checked, confirmed, end_of
from untildone.engine.context import Context, mirror, project_folder
from untildone.engine.journal_entry import entry, touched
from untildone.engine.judgement import Answer, Judged, answered
from untildone.engine.payload import EDITING, TODO, Call
from untildone.engine.relayed_verbs import handed_over
from untildone.errors import UserError
from untildone.features.budget.clock import count_time
from untildone.features.edits.switch import AUTO
from untildone.report.notices import format_status_line
from untildone.store import baseline
from untildone.store.lock import hold_lock
from untildone.store.loops import Record
from untildone.store.sessions import Session

T = TypeVar("T")
Calls: TypeAlias = dict[str, list[dict[str, object]]]
# Two installed commands (plugin and settings) fire for one stop within this many seconds.
_SAME_STOP = 1.5


def answer(context: Context, call: Call) -> str:
    stop = context.agent.parse_stop(call.data, context.environ)
    if call.fault:
        stop = replace(stop, session=context.environ.get(context.agent.SESSION_VARIABLE, ""))
    session = context.session(stop.session)
    if stop.subagent:
        return ""
    told = _other_tools(context, stop, session)
    if not session.is_active():
        return _without_loop(context, call, stop, session) or told
    judged = judge(context, call, stop)
    if judged is None:
        return ""
    return context.agent.format_reply(
        judged.verdict, feedback=judged.feedback, notice=judged.notice, environ=context.environ
    )


def judge_return(context: Context, stop: Stop) -> Answer | None:
    """A return of an agent that we drive ourselves: no hook tells of it."""
    return judge(context, Call("Stop", context.agent.NAME, "run", str(context.home)), stop)


def judge(context: Context, call: Call, stop: Stop) -> Answer | None:
    """One stop of a session with an active loop; None where it was judged or ended meanwhile."""
    session = context.session(stop.session)
    loop = session.get_loop_id()
    with (
        _judging(session),
        hold_lock(context.loops.get_folder(loop) / "judging.lock", timeout=DEADLINE),
    ):
        # Where another loop has followed meanwhile, this stop was judged.
        same = session.is_active() and session.get_loop_id() == loop
        answer = _judge(context, call, stop, session) if same else None
    if session.get_loop_id() != loop:
        from untildone.features.spec.cleanup import remove_finished_loop

        remove_finished_loop(context, loop)
    return answer


def _other_tools(context: Context, stop: Stop, session: Session) -> str:
    """Their loop files begin and end loops where the person trusts them."""
    if not session.has("dialects"):
        return ""
    from untildone.features.importers.follow import check_loop_files

    return check_loop_files(context, stop, session)


def _without_loop(context: Context, call: Call, stop: Stop, session: Session) -> str:
    if AUTO not in session.read_stop_reasons():
        return ""
    from untildone.features.edits import automatic

    return automatic.answer_stop(context, call, stop)


@contextmanager
def _judging(session: Session) -> Iterator[None]:
    """A mark that stays behind if this process is killed: then nobody held the agent."""
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
    if _duplicate(record.progress, call, session):
        _count_source(context, record, call)
        return None
    calls = session.read_calls()
    progress = count_time(_brought_up(record, stop, call, calls), session)
    evidence = gather.before_checks(context, record, progress, stop)
    evidence = replace(
        evidence,
        fault=call.fault,
        reverted_files=_thrashed(record, calls),
        written_files=touched(calls, record.contract.project),
        todos=_todos(context, record, stop, calls),
    )
    verdict = decide_before_checks(record.contract, progress, evidence)
    if verdict is None:
        progress = _with_the_start(context, record, progress)
        evidence = replace(evidence, baseline=_start(context, record, progress))
        site = _site(context, call, stop, record)
        edited = _edited(context, site, calls) if record.contract.checks else ()
        evidence, verdict = _with_checks(record, progress, site, evidence)
        if edited and isinstance(verdict, Continue):
            from untildone.features.edits.feedback import add_diagnostics

            evidence = add_diagnostics(evidence, context, site.project, edited)
    answer = _conclude(context, stop, Judged(record, progress, evidence, verdict))
    session.drop_calls(list(calls))
    session.forget_calls()
    if session.has("dialects"):
        from untildone.features.importers.bound_file import update_bound_file

        update_bound_file(context, record.contract.id)
    return answer


def _thrashed(record: Record, calls: Calls) -> tuple[str, ...]:
    if record.contract.preset != "loop":
        return ()
    from untildone.features.spec.thrashing import find_thrashed_files

    return find_thrashed_files(chain.from_iterable(calls.values()))


def _todos(context: Context, record: Record, stop: Stop, calls: Calls) -> tuple[Todo, ...]:
    made = [call for call in chain.from_iterable(calls.values()) if call.get("tool_name") == TODO]
    if not made and not record.contract.todos:
        return ()
    from untildone.features.todos.lists import load_todos, remember_todo_call

    session = context.session_of(record)
    remember_todo_call(context, session, made)
    return load_todos(context, gather.root(record.contract, stop.cwd), session)


def _edited(context: Context, site: Site, calls: Calls) -> tuple[Path, ...]:
    if not any(call.get("tool_name") in EDITING for call in chain.from_iterable(calls.values())):
        return ()
    from untildone.features.edits.feedback import warm_servers

    return warm_servers(context, site.project, calls)


def _duplicate(progress: Progress, call: Call, session: Session) -> bool:
    """The same stop, told by another of our installed commands that was answered already."""
    stops = max(progress.stops_by_source.values(), default=0)
    mine = progress.stops_by_source.get(call.source, 0)
    if mine >= stops:
        return False
    answered = session.read_json("stop.json").get("answered_at")
    return isinstance(answered, float) and call.received < answered + _SAME_STOP


def _count_source(context: Context, record: Record, call: Call) -> None:
    loops = context.loops
    with loops.lock(record.contract.id):
        record = loops.load(record.contract.id)
        mine = record.progress.stops_by_source.get(call.source, 0) + 1
        counted = {**record.progress.stops_by_source, call.source: mine}
        progress = replace(record.progress, stops_by_source=counted)
        loops.save(
            record, progress, kind="seen twice", data={"source": call.source}, at=context.now()
        )


def _brought_up(record: Record, stop: Stop, call: Call, calls: Calls) -> Progress:
    """The progress with what happened since the last stop: tool calls, the agent's verbs."""
    progress = record.progress
    stops = max(progress.stops_by_source.values(), default=0) + 1
    progress = replace(
        handed_over(record.contract, progress, chain.from_iterable(calls.values())),
        stops_by_source={**progress.stops_by_source, call.source: stops},
    )
    if calls or not stop.held_before:
        progress = replace(progress, idle_holds=0)
    # Without a plan the same markers may stand in the promises.
    if record.contract.plan is None and "-complete>" not in stop.message:
        return progress
    from untildone.features.plans.reports import read_markers

    return read_markers(record.contract, progress, stop.message)


def _with_the_start(context: Context, record: Record, progress: Progress) -> Progress:
    """The first judged stop waits for the start's own results, if they are on their way."""
    if progress.baseline or not context.session_of(record).has("baseline"):
        return progress
    from untildone.engine.baseline import wait

    now = wait(context, record).progress
    red = tuple(dict.fromkeys((*progress.checks_seen_red, *now.checks_seen_red)))
    return replace(
        progress, checks_seen_red=red, baseline=now.baseline, baseline_totals=now.baseline_totals
    )


def _start(
    context: Context, record: Record, progress: Progress
) -> tuple[BaselineResult, ...] | None:
    """What is known of the start; a check that could not be judged then is not."""
    if not progress.baseline:
        return None
    folder = context.loops.get_folder(record.contract.id)
    results = baseline.read_results(folder, progress.baseline, tuple[BaselineResult, ...])
    return tuple(result for result in results if result.outcome in ("green", "red"))


def _with_checks(
    record: Record, progress: Progress, site: Site, evidence: Evidence
) -> tuple[Evidence, Verdict]:
    contract = apply_amendments(record.contract, progress.amendments)
    evidence = compare_with_baseline(contract, checked(evidence, contract, site))
    verdict = decide(contract, progress, evidence)
    if isinstance(verdict, Continue) and verdict.cause == "unconfirmed":
        evidence = compare_with_baseline(contract, confirmed(evidence, contract, site))
        verdict = decide(contract, progress, evidence)
    return evidence, verdict


def _site(context: Context, call: Call, stop: Stop, record: Record) -> Site:
    project = gather.root(record.contract, stop.cwd)
    log = _logs(project, record.contract, record.progress.round + 1)
    session = context.session_of(record)
    shared = project_folder(context.home, project)
    return Site(
        project=project,
        log=log,
        session=session,
        end=end_of(call),
        shared=shared,
        loop=context.loops.get_folder(record.contract.id),
        kept=record.progress.baseline_tree_digest,
        unkept=record.progress.baseline_missing,
    )


def _logs(project: Path, contract: Contract, number: int) -> Path | None:
    if not contract.checks:
        return None
    from untildone.engine.artifacts import log_folder

    return log_folder(project, contract.id, number)


def _conclude(context: Context, stop: Stop, judged: Judged) -> Answer:
    loops = context.loops
    loop = judged.record.contract.id
    with loops.lock(loop):
        record = loops.load(loop)
        if record.progress.status != "active":
            return answered(context, record, _overtaken(judged, record))
        judged = _with_later_words(judged, record)
        progress = advance(record.contract, judged.progress, judged.evidence, judged.verdict)
        progress = replace(progress, updated_at=context.now())
        record = loops.save(
            record,
            progress,
            kind="round" if progress.round > judged.progress.round else "stop",
            data=entry(judged, progress, message=stop.message, at=context.now()),
            at=context.now(),
        )
        mirror(context, record, format_status_line(record))
    _made_known(context, stop, judged, record)
    _answered(context, record, stop)
    answer = answered(context, record, judged)
    if record.contract.plan:
        answer = _with_plan(record, answer)
    if _is_followed(record):
        from untildone.features.chains.next_loop import start_next_loop

        return start_next_loop(context, record, judged, answer)
    return answer


def _made_known(context: Context, stop: Stop, judged: Judged, record: Record) -> None:
    """To who waits for milestones, in the receipt, and as a checkpoint of the step that begins."""
    if (context.loops.get_folder(record.contract.id) / "milestones.json").exists():
        from untildone.features.milestones.milestones import announce_milestones

        counted = record.progress.round > judged.progress.round
        announce_milestones(context, record, judged.verdict, counted=counted)
    if isinstance(judged.verdict, Finish | Pause):
        from untildone.engine.artifacts import publish

        publish(context, record, judged.evidence, project=gather.root(record.contract, stop.cwd))
    if record.contract.reversibility == "2B":
        from untildone.features.spec.steps import save_step_checkpoint

        # Without it a step cannot be taken back; that changes nothing of the verdict.
        with suppress(UserError):
            save_step_checkpoint(record, cwd=Path(stop.cwd))


def _is_followed(record: Record) -> bool:
    contract = record.contract
    more = contract.then or (contract.plan and contract.plan.followed)
    return bool(more) and record.progress.outcome in ("done", "claimed")


def _with_plan(record: Record, answer: Answer) -> Answer:
    from untildone.features.plans.task_loops import mark_outcome

    return replace(answer, notice=" | ".join(filter(None, (answer.notice, *mark_outcome(record)))))


def _overtaken(judged: Judged, record: Record) -> Judged:
    """Cancelled or paused while the checks ran: the person's word stands as it was recorded."""
    status = record.progress.status
    evidence = replace(
        judged.evidence, cancelled=status == "finished", paused=status == "paused", ignored=""
    )
    verdict = decide(record.contract, judged.progress, evidence)
    return Judged(record, judged.progress, evidence, verdict)


def _with_later_words(judged: Judged, record: Record) -> Judged:
    """What was said while the checks ran counts: bounds changed, claims reported, notes."""
    now, then = record.progress, judged.record.progress
    progress = replace(
        judged.progress,
        amendments=(*judged.progress.amendments, *_new(now.amendments, then.amendments)),
        met={**judged.progress.met, **now.met},
        notes=(*judged.progress.notes, *_new(now.notes, then.notes)),
        steps_done=tuple(dict.fromkeys((*judged.progress.steps_done, *now.steps_done))),
        precheck=now.precheck or judged.progress.precheck,
        baseline=now.baseline,
        baseline_totals=now.baseline_totals,
        checks_seen_red=tuple(
            dict.fromkeys((*now.checks_seen_red, *judged.progress.checks_seen_red))
        ),
    )
    verdict = judged.verdict
    if now.amendments != then.amendments:
        verdict = decide(record.contract, progress, judged.evidence)
    return Judged(record, progress, judged.evidence, verdict)


def _new(now: tuple[T, ...], then: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(item for item in now if item not in then)


def _answered(context: Context, record: Record, stop: Stop) -> None:
    session = context.session_of(record)
    session.write_json(
        "stop.json", {"answered_at": context.clock(), "scheduled": list(stop.scheduled)}
    )
