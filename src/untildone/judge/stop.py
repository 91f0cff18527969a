"""One stop, from event to answer."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec.structs import replace

from untildone.agents.events import Stop
from untildone.hook.payload import Call
from untildone.judge import evidence as gather
from untildone.judge.checking import DEADLINE, Site, checked, confirmed, end_of
from untildone.judge.clock import clocked
from untildone.judge.context import Context, mirror, project_folder
from untildone.judge.handover import handed_over
from untildone.loop.criteria import against_start, agreed
from untildone.loop.decide import before_checks, decide
from untildone.loop.feedback import feedback
from untildone.loop.model import (
    CheckResult,
    Continue,
    Contract,
    Evidence,
    Finish,
    Pause,
    Progress,
    Round,
    Verdict,
)
from untildone.loop.progress import advance
from untildone.report.lines import notice, status_line
from untildone.store.lock import locked
from untildone.store.loops import Record
from untildone.store.sessions import Session

T = TypeVar("T")
Calls: TypeAlias = dict[str, list[dict[str, object]]]
# Two installed commands (plugin and settings) fire for one stop within this many seconds.
_SAME_STOP = 1.5


def answer(context: Context, call: Call) -> str:
    stop = context.agent.stop(call.data, context.environ)
    if call.fault:
        stop = replace(stop, session=context.environ.get(context.agent.SESSION_VARIABLE, ""))
    session = context.session(stop.session)
    if stop.subagent or not session.active():
        return ""
    lock = context.loops.folder(session.loop()) / "judging.lock"
    with _judging(session), locked(lock, timeout=DEADLINE):
        if not session.active():
            return ""
        return _judge(context, call, stop, session)


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


def _judge(context: Context, call: Call, stop: Stop, session: Session) -> str:
    record = context.loops.load(session.loop())
    if _duplicate(record.progress, call, session):
        _count_source(context, record, call)
        return ""
    calls = session.calls()
    progress = _brought_up(record, stop, call, calls)
    evidence = gather.before_checks(context, record, progress, stop)
    evidence = replace(evidence, fault=call.fault)
    verdict = before_checks(record.contract, progress, evidence)
    if verdict is None:
        progress = _with_the_start(context, record, progress)
        site = _site(context, call, stop, record)
        evidence, verdict = _with_checks(record, progress, site, evidence)
    answer = _conclude(context, stop, _Judged(record, progress, evidence, verdict))
    session.drop_calls(list(calls))
    session.forget_calls()
    return answer


class _Judged(msgspec.Struct, frozen=True):
    record: Record
    progress: Progress
    evidence: Evidence
    verdict: Verdict


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
    with loops.locked(record.contract.id):
        record = loops.load(record.contract.id)
        mine = record.progress.stops_by_source.get(call.source, 0) + 1
        counted = {**record.progress.stops_by_source, call.source: mine}
        progress = replace(record.progress, stops_by_source=counted)
        loops.save(
            record, progress, kind="seen twice", data={"source": call.source}, at=context.now()
        )


def _brought_up(record: Record, stop: Stop, call: Call, calls: Calls) -> Progress:
    """The progress with what happened since the last stop: time, tool calls, the agent's verbs."""
    progress = clocked(record.progress)
    stops = max(progress.stops_by_source.values(), default=0) + 1
    progress = replace(
        handed_over(record.contract, progress, chain.from_iterable(calls.values())),
        stops_by_source={**progress.stops_by_source, call.source: stops},
    )
    if calls or not stop.held_before:
        progress = replace(progress, idle_holds=0)
    return progress


def _with_the_start(context: Context, record: Record, progress: Progress) -> Progress:
    """The first judged stop waits for the start's own results, if they are on their way."""
    if progress.start_failures is not None or not context.session_of(record).has("baseline"):
        return progress
    from untildone.judge.baseline import wait

    now = wait(context, record).progress
    red = tuple(dict.fromkeys((*progress.seen_red, *now.seen_red)))
    return replace(
        progress, seen_red=red, start_failures=now.start_failures, start_tests=now.start_tests
    )


def _with_checks(
    record: Record, progress: Progress, site: Site, evidence: Evidence
) -> tuple[Evidence, Verdict]:
    contract = agreed(record.contract, progress.amendments)
    evidence = _compared(checked(evidence, contract, site), contract, progress)
    verdict = decide(contract, progress, evidence)
    if isinstance(verdict, Continue) and verdict.because == "unconfirmed":
        evidence = _compared(confirmed(evidence, contract, site), contract, progress)
        verdict = decide(contract, progress, evidence)
    return evidence, verdict


def _compared(evidence: Evidence, contract: Contract, progress: Progress) -> Evidence:
    return replace(evidence, checks=against_start(contract, progress, evidence.checks))


def _site(context: Context, call: Call, stop: Stop, record: Record) -> Site:
    project = gather.root(record.contract, stop.cwd)
    log = _logs(project, record.contract, record.progress.round + 1)
    session = context.session_of(record)
    shared = project_folder(context.home, project)
    return Site(project=project, log=log, session=session, end=end_of(call), shared=shared)


def _logs(project: Path, contract: Contract, number: int) -> Path | None:
    if not contract.checks:
        return None
    from untildone.judge.papers import log_folder

    return log_folder(project, contract.id, number)


def _conclude(context: Context, stop: Stop, judged: _Judged) -> str:
    loops = context.loops
    loop = judged.record.contract.id
    with loops.locked(loop):
        record = loops.load(loop)
        if record.progress.status != "active":
            return _reply(context, record, _overtaken(judged, record))
        judged = _with_later_words(judged, record)
        progress = advance(record.contract, judged.progress, judged.evidence, judged.verdict)
        progress = replace(progress, updated_at=context.now())
        record = loops.save(
            record,
            progress,
            kind="round" if progress.round > judged.progress.round else "stop",
            data=_entry(context, stop, judged, progress),
            at=context.now(),
        )
        mirror(context, record, status_line(record))
    if isinstance(judged.verdict, Finish | Pause):
        from untildone.judge.papers import publish

        publish(context, record, judged.evidence, project=gather.root(record.contract, stop.cwd))
    _answered(context, record, stop)
    return _reply(context, record, judged)


def _overtaken(judged: _Judged, record: Record) -> _Judged:
    """Cancelled or paused while the checks ran: the person's word stands as it was recorded."""
    status = record.progress.status
    evidence = replace(
        judged.evidence, cancelled=status == "finished", paused=status == "paused", ignored=""
    )
    verdict = decide(record.contract, judged.progress, evidence)
    return _Judged(record, judged.progress, evidence, verdict)


def _with_later_words(judged: _Judged, record: Record) -> _Judged:
    """What was said while the checks ran counts: bounds changed, claims reported, notes."""
    now, then = record.progress, judged.record.progress
    progress = replace(
        judged.progress,
        amendments=(*judged.progress.amendments, *_new(now.amendments, then.amendments)),
        met={**judged.progress.met, **now.met},
        notes=(*judged.progress.notes, *_new(now.notes, then.notes)),
        start_failures=now.start_failures,
        start_tests=now.start_tests,
        seen_red=tuple(dict.fromkeys((*now.seen_red, *judged.progress.seen_red))),
    )
    verdict = judged.verdict
    if now.amendments != then.amendments:
        verdict = decide(record.contract, progress, judged.evidence)
    return _Judged(record, progress, judged.evidence, verdict)


def _new(now: tuple[T, ...], then: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(item for item in now if item not in then)


def _entry(context: Context, stop: Stop, judged: _Judged, progress: Progress) -> dict[str, Any]:
    entry = Round(
        number=progress.round,
        at=context.now(),
        verdict=judged.verdict,
        unmet=progress.unmet or (),
        failures=progress.failures[:200],
        checks=tuple(_trimmed(result) for result in judged.evidence.checks),
        message=stop.message[:2_000],
        tree=judged.evidence.tree,
    )
    return dict(msgspec.to_builtins(entry))


def _trimmed(result: CheckResult) -> CheckResult:
    return replace(result, findings=result.findings[:50], output=result.output[-2_000:])


def _answered(context: Context, record: Record, stop: Stop) -> None:
    session = context.session_of(record)
    session.write_json(
        "stop.json", {"answered_at": context.clock(), "scheduled": list(stop.scheduled)}
    )


def _reply(context: Context, record: Record, judged: _Judged) -> str:
    text = ""
    if isinstance(judged.verdict, Continue):
        text = feedback(
            record.contract,
            judged.progress,
            judged.evidence,
            judged.verdict,
            nonce=os.urandom(4).hex(),
        )
    return context.agent.reply(
        judged.verdict,
        feedback=text,
        notice=" | ".join(
            part
            for part in (notice(record, judged.verdict, judged.evidence.checks), *record.warnings)
            if part
        ),
        environ=context.environ,
    )
