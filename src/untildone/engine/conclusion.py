"""The end of a stop: the verdict is saved in the journal and becomes an answer."""

import os
from typing import TypeVar

from msgspec.structs import replace

from untildone.core.criteria import apply_amendments
from untildone.core.decide import decide
from untildone.core.feedback import write_feedback
from untildone.core.transitions import advance
from untildone.core.verdict import Continue, Finish, Pause
from untildone.engine.context import Context, update_index
from untildone.engine.feature import Feature
from untildone.engine.journal_entry import make_round_entry
from untildone.engine.stopped_loop import Answer, JudgedStop
from untildone.report.notices import describe_verdict, format_status_line
from untildone.store.loops import Record

T = TypeVar("T")


def conclude(context: Context, judged: JudgedStop, features: tuple[Feature, ...]) -> Answer:
    """Saves the verdict and announces it; what the user did while the checks ran counts too."""
    loops, loop = context.loops, judged.contract.id
    with loops.lock(loop):
        record = loops.load(loop)
        if record.progress.status != "active":
            return _build_answer(context, record, _apply_end(judged, record), features)
        judged = _add_later_reports(judged, record)
        progress = advance(judged.contract, judged.progress, judged.evidence, judged.verdict)
        progress = replace(progress, updated_at=context.now())
        is_round = progress.round > judged.progress.round
        record = loops.save(
            record,
            progress,
            kind="round" if is_round else "stop",
            data=make_round_entry(judged, progress, at=context.now()),
            at=context.now(),
        )
        update_index(context, record, format_status_line(record))
    context.session_of(record).write_json(
        "stop.json", {"answered_at": context.clock(), "scheduled": list(judged.stop.scheduled)}
    )
    for feature in features:
        feature.announce(context, record, judged.verdict, is_round)
    lines: tuple[str, ...] = ()
    if isinstance(judged.verdict, Finish | Pause):
        # Imported where it is used: most stops end no loop.
        from untildone.engine.receipts import publish_receipt

        publish_receipt(context, record, judged.evidence, project=judged.project)
        lines = tuple(line for feature in features for line in feature.loop_ended(context, record))
    return _build_answer(context, record, judged, features, lines)


def _build_answer(
    context: Context,
    record: Record,
    judged: JudgedStop,
    features: tuple[Feature, ...],
    lines: tuple[str, ...] = (),
) -> Answer:
    """The answer with what each feature makes of it; `lines` are added to the notice."""
    verdict, feedback = judged.verdict, ""
    if isinstance(verdict, Continue):
        nonce = os.urandom(4).hex()
        feedback = write_feedback(
            judged.contract, judged.progress, judged.evidence, verdict, nonce=nonce
        )
    notices = (
        describe_verdict(record, verdict, judged.evidence.checks),
        *record.warnings,
        context.session_of(record).take("tell"),
        *lines,
    )
    notice = " | ".join(filter(None, notices))
    answer = Answer(verdict=verdict, feedback=feedback, notice=notice)
    for feature in features:
        answer = feature.finish_answer(context, record, judged, answer)
    return answer


def _apply_end(judged: JudgedStop, record: Record) -> JudgedStop:
    """The stop judged anew: the user has cancelled or paused the loop while the checks ran."""
    status = record.progress.status
    evidence = replace(
        judged.evidence, cancelled=status == "finished", paused=status == "paused", ignore_reason=""
    )
    verdict = decide(judged.contract, judged.progress, evidence)
    return replace(judged, record=record, evidence=evidence, verdict=verdict)


def _add_later_reports(judged: JudgedStop, record: Record) -> JudgedStop:
    """The stop with what was recorded while the checks ran: bounds, claims, notes, steps."""
    now, then, mine = record.progress, judged.record.progress, judged.progress
    progress = replace(
        mine,
        amendments=(*mine.amendments, *_find_new(now.amendments, then.amendments)),
        met={**mine.met, **now.met},
        notes=(*mine.notes, *_find_new(now.notes, then.notes)),
        steps_done=tuple(dict.fromkeys((*mine.steps_done, *now.steps_done))),
        precheck=now.precheck or mine.precheck,
        baseline=now.baseline,
        baseline_totals=now.baseline_totals,
        checks_seen_red=tuple(dict.fromkeys((*now.checks_seen_red, *mine.checks_seen_red))),
    )
    judged = replace(judged, record=record, progress=progress)
    if now.amendments == then.amendments:
        return judged
    contract = apply_amendments(record.contract, progress.amendments)
    verdict = decide(contract, progress, judged.evidence)
    return replace(judged, contract=contract, verdict=verdict)


def _find_new(now: tuple[T, ...], then: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(item for item in now if item not in then)
