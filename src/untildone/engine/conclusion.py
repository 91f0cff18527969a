"""The end of a stop: the verdict is saved in the journal and becomes an answer."""

from typing import TypeVar

from msgspec.structs import replace

from untildone.core.criteria import apply_amendments
from untildone.core.decide import decide
from untildone.core.progress import Progress
from untildone.core.transitions import advance
from untildone.core.verdict import Finish, Pause
from untildone.engine.context import Context, update_index
from untildone.engine.feature import Feature, StoppedLoop
from untildone.engine.journal_entry import make_round_entry
from untildone.engine.stop_answer import Answer, JudgedStop, build_answer
from untildone.report.notices import format_status_line
from untildone.store.loops import Record

T = TypeVar("T")


def conclude(
    context: Context, loop: StoppedLoop, judged: JudgedStop, features: tuple[Feature, ...]
) -> Answer:
    loops = context.loops
    with loops.lock(loop.contract.id):
        record = loops.load(loop.contract.id)
        if record.progress.status != "active":
            return _answer(context, record, _overtake(judged, record), features)
        judged = _add_later_words(judged, record)
        progress = _advance(context, judged)
        record = loops.save(
            record,
            progress,
            kind="round" if progress.round > judged.progress.round else "stop",
            data=make_round_entry(judged, progress, message=loop.stop.message, at=context.now()),
            at=context.now(),
        )
        update_index(context, record, format_status_line(record))
    context.session_of(record).write_json(
        "stop.json", {"answered_at": context.clock(), "scheduled": list(loop.stop.scheduled)}
    )
    lines = _make_known(context, loop, judged, record, features)
    return _answer(context, record, judged, features, lines)


def _advance(context: Context, judged: JudgedStop) -> Progress:
    progress = advance(judged.contract, judged.progress, judged.evidence, judged.verdict)
    return replace(progress, updated_at=context.now())


def _make_known(
    context: Context,
    loop: StoppedLoop,
    judged: JudgedStop,
    record: Record,
    features: tuple[Feature, ...],
) -> tuple[str, ...]:
    """Writes the receipt and tells who else wants to know; returns lines for the user."""
    counted = record.progress.round > judged.progress.round
    for feature in features:
        feature.announce(context, record, judged.verdict, counted)
    if not isinstance(judged.verdict, Finish | Pause):
        return ()
    # Imported where it is used: most stops end no loop.
    from untildone.engine.artifacts import publish_receipt

    publish_receipt(context, record, judged.evidence, project=loop.project)
    return tuple(line for feature in features for line in feature.loop_ended(context, record))


def _answer(
    context: Context,
    record: Record,
    judged: JudgedStop,
    features: tuple[Feature, ...],
    lines: tuple[str, ...] = (),
) -> Answer:
    answer = build_answer(context, record, judged)
    answer = replace(answer, notice=" | ".join(filter(None, (answer.notice, *lines))))
    for feature in features:
        answer = feature.finish_answer(context, record, judged, answer)
    return answer


def _overtake(judged: JudgedStop, record: Record) -> JudgedStop:
    """Cancelled or paused while the checks ran: the user's word stands as it was recorded."""
    status = record.progress.status
    evidence = replace(
        judged.evidence, cancelled=status == "finished", paused=status == "paused", ignore_reason=""
    )
    verdict = decide(judged.contract, judged.progress, evidence)
    return replace(judged, record=record, evidence=evidence, verdict=verdict)


def _add_later_words(judged: JudgedStop, record: Record) -> JudgedStop:
    """What was said while the checks ran counts: bounds changed, claims reported, notes."""
    now, then = record.progress, judged.record.progress
    progress = _merge(judged.progress, now, then)
    judged = replace(judged, record=record, progress=progress)
    if now.amendments == then.amendments:
        return judged
    contract = apply_amendments(record.contract, progress.amendments)
    verdict = decide(contract, progress, judged.evidence)
    return replace(judged, contract=contract, verdict=verdict)


def _merge(mine: Progress, now: Progress, then: Progress) -> Progress:
    return replace(
        mine,
        amendments=(*mine.amendments, *_new(now.amendments, then.amendments)),
        met={**mine.met, **now.met},
        notes=(*mine.notes, *_new(now.notes, then.notes)),
        steps_done=tuple(dict.fromkeys((*mine.steps_done, *now.steps_done))),
        precheck=now.precheck or mine.precheck,
        baseline=now.baseline,
        baseline_totals=now.baseline_totals,
        checks_seen_red=tuple(dict.fromkeys((*now.checks_seen_red, *mine.checks_seen_red))),
    )


def _new(now: tuple[T, ...], then: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(item for item in now if item not in then)
