"""The end of a stop: saves the verdict in the journal and turns it into an answer.

The checks may have run for minutes. What the user or the agent recorded meanwhile, such as a pause
or a note, is taken into account here, under the loop's lock.
"""

import os
from typing import TypeVar

from msgspec.structs import replace

from untildone.core.concerns import find_unapproved
from untildone.core.criteria import apply_amendments
from untildone.core.decide import decide
from untildone.core.feedback import write_feedback
from untildone.core.left_out import drop_left_out
from untildone.core.progress import Progress
from untildone.core.transitions import advance
from untildone.core.verdict import Continue, Finish, Pause, Wait
from untildone.engine.context import Context, update_index
from untildone.engine.feature import Feature
from untildone.engine.journal_entry import make_round_entry
from untildone.engine.stopped_loop import Answer, JudgedStop
from untildone.report.notices import describe_verdict, format_status_line
from untildone.store.loops import Record
from untildone.store.sessions import Session

T = TypeVar("T")


def conclude(context: Context, judged: JudgedStop, features: tuple[Feature, ...]) -> Answer:
    """Save the verdict, let the features announce it, and return the answer to the stop."""
    loops, loop = context.loops, judged.contract.id
    judged = _add_git_tree(judged)
    with loops.lock(loop):
        record = loops.load(loop)
        if record.progress.status != "active":
            return _build_answer(context, record, _apply_end(judged, record), features)
        loaded, saved = judged.record.progress, record.progress
        judged = _add_feedback(_add_later_reports(judged, record))
        progress = advance(judged.contract, judged.progress, judged.evidence, judged.verdict)
        progress = _keep_for_next_stop(progress, loaded, saved)
        at = context.now()
        progress = replace(progress, updated_at=at)
        is_round = progress.round > judged.progress.round
        diffs = _load_diffs(context, judged, progress)
        record = loops.save(
            record,
            progress,
            kind="round" if is_round else "stop",
            data=make_round_entry(judged, progress, at=at, diffs=diffs),
            at=at,
        )
        update_index(context, record, format_status_line(record))
    session = context.session_of(record)
    _record_release(session, judged)
    session.write_json(
        "stop.json", {"answered_at": context.clock(), "scheduled": list(judged.stop.scheduled)}
    )
    for feature in features:
        feature.announce(context, record, judged.verdict, is_round)
    lines: tuple[str, ...] = ()
    if isinstance(judged.verdict, Finish | Pause):
        # Imported where it is used: most stops end no loop.
        from untildone.engine.receipts import publish_receipt

        publish_receipt(context, record, project=judged.project)
        lines = tuple(line for feature in features for line in feature.loop_ended(context, record))
    answer = _build_answer(context, record, judged, features, lines)
    return _add_summary(context, record, judged, answer)


def _add_git_tree(judged: JudgedStop) -> JudgedStop:
    """Return the stop with the git tree of what was judged, if it ends the loop.

    A pause after the confirmation counts too: the user's approval may end the loop as it is.
    """
    evidence, verdict = judged.evidence, judged.verdict
    is_confirmed = evidence.change is not None or evidence.if_approved is not None
    ends = isinstance(verdict, Finish) or (isinstance(verdict, Pause) and is_confirmed)
    git_tree = ""
    if evidence.tree and ends:
        # Imported where it is used: most stops end no loop.
        from untildone.engine.judged_tree import find_git_tree

        git_tree = find_git_tree(judged.project, evidence)
    return replace(judged, evidence=replace(evidence, git_tree=git_tree))


def _add_summary(context: Context, record: Record, judged: JudgedStop, answer: Answer) -> Answer:
    """Return the answer with what was tried, what blocks and how to go on, at a bound."""
    if not isinstance(judged.verdict, Pause):
        return answer
    # Imported where it is used: most stops reach no bound.
    from untildone.report.bound_summary import summarize_bound

    rounds = context.loops.read_rounds(record.contract.id)
    summary = summarize_bound(record, rounds, in_session=judged.stop.shown)
    return replace(answer, notice="\n".join((answer.notice, *summary)))


def _load_diffs(context: Context, judged: JudgedStop, progress: Progress) -> dict[str, str]:
    """Return the changes that the user is asked about, if the loop pauses for approval."""
    if not progress.open_concerns:
        return {}
    # Imported where it is used: hardly any loop pauses for this.
    from untildone.engine.concern_diffs import load_concern_diffs

    concerns = find_unapproved(judged.evidence, judged.contract.allow)
    return load_concern_diffs(context, judged.record, concerns, project=judged.project)


def _build_answer(
    context: Context,
    record: Record,
    judged: JudgedStop,
    features: tuple[Feature, ...],
    lines: tuple[str, ...] = (),
) -> Answer:
    """Return the answer, as changed by each feature; `lines` are added to the notice."""
    asked = _describe_questions(context, record, judged)
    described = asked or _describe_verdict(context, record, judged)
    tell = context.session_of(record).take("tell")
    separator = "\n" if asked else " | "
    others = separator.join(filter(None, (*record.warnings, tell)))
    notice = "\n".join(filter(None, (separator.join(filter(None, (described, others))), *lines)))
    answer = Answer(verdict=judged.verdict, feedback=judged.feedback, notice=notice)
    for feature in features:
        answer = feature.finish_answer(context, record, judged, answer)
    if judged.stop.shown and isinstance(answer.verdict, Continue):
        # Imported where it is used: most stops are judged without a user who reads along.
        from untildone.engine.brief_answer import shorten_answer

        return shorten_answer(judged, answer, described=described, others=others)
    return answer


def _describe_verdict(context: Context, record: Record, judged: JudgedStop) -> str:
    """Return the notice of the verdict; that of an ending says where the receipt is."""
    receipt = ""
    if isinstance(judged.verdict, Finish | Pause):
        # Imported where it is used: most stops end no loop.
        from untildone.engine.receipts import locate_receipt

        receipt = locate_receipt(context, record, project=judged.project)
    evidence = judged.evidence
    return describe_verdict(
        *(record, judged.verdict, evidence.checks, evidence.change, receipt),
        concerns=find_unapproved(evidence, judged.contract.allow),
        in_session=judged.stop.shown,
    )


def _describe_questions(context: Context, record: Record, judged: JudgedStop) -> str:
    """Return the questions with their diffs, if the loop pauses for approval."""
    if not isinstance(judged.verdict, Pause) or judged.verdict.outcome != "needs-approval":
        return ""
    # Imported where it is used: hardly any loop pauses for this.
    from untildone.engine.open_questions import SLASH_COMMAND, describe_open_questions

    loop = record.contract.id
    in_terminal = f"`untildone approve --loop {loop}`"
    command = in_terminal if judged.evidence.unattended else SLASH_COMMAND
    lines = describe_open_questions(context, record, command=command)
    return "\n".join((f"untildone: paused (needs-approval): {lines[0]}", *lines[1:]))


def _record_release(session: Session, judged: JudgedStop) -> None:
    """Write the file `released` if the stop was let through for the user's sake, else remove it.

    `status` and the status line say by it that the agent is not held until the next prompt.
    """
    if isinstance(judged.verdict, Wait) and judged.evidence.turn != "agent":
        session.write("released", judged.verdict.reason)
    else:
        session.remove("released")


def _apply_end(judged: JudgedStop, record: Record) -> JudgedStop:
    """Return the stop with a new verdict: the user has ended the loop while the checks ran."""
    status = record.progress.status
    evidence = replace(
        judged.evidence, cancelled=status == "finished", paused=status == "paused", ignore_reason=""
    )
    verdict = decide(judged.contract, judged.progress, evidence)
    return replace(judged, record=record, evidence=evidence, verdict=verdict)


def _add_later_reports(judged: JudgedStop, record: Record) -> JudgedStop:
    """Return the stop with what was recorded while the checks ran: bounds, claims, notes, steps.

    Three versions of the progress are merged: `loaded` is from the beginning of this stop, `ours`
    what this stop made of it, `saved` what is in the store now. Amendments decide anew.
    """
    saved, loaded, ours = record.progress, judged.record.progress, judged.progress
    progress = replace(
        ours,
        amendments=(*ours.amendments, *_find_new(saved.amendments, loaded.amendments)),
        met={**ours.met, **saved.met},
        notes=(*ours.notes, *_find_new(saved.notes, loaded.notes)),
        steps_done=tuple(dict.fromkeys((*ours.steps_done, *saved.steps_done))),
        precheck=saved.precheck or ours.precheck,
        baseline=saved.baseline,
        baseline_totals=saved.baseline_totals,
        checks_seen_red=tuple(dict.fromkeys((*saved.checks_seen_red, *ours.checks_seen_red))),
    )
    judged = replace(judged, record=record, progress=progress)
    if saved.amendments == loaded.amendments:
        return judged
    contract = apply_amendments(record.contract, progress.amendments)
    contract = drop_left_out(contract, judged.evidence)
    verdict = decide(contract, progress, judged.evidence)
    return replace(judged, contract=contract, verdict=verdict)


def _add_feedback(judged: JudgedStop) -> JudgedStop:
    """Return the stop with what the agent is told, if it is held."""
    verdict = judged.verdict
    if not isinstance(verdict, Continue):
        return judged
    # Output of checks is quoted between marks with this number, so that it cannot forge them.
    nonce = os.urandom(4).hex()
    feedback = write_feedback(
        judged.contract, judged.progress, judged.evidence, verdict, nonce=nonce
    )
    return replace(judged, feedback=feedback)


def _keep_for_next_stop(progress: Progress, loaded: Progress, saved: Progress) -> Progress:
    """Return the progress with a signal, block or verifier's report that came too late for this.

    A round uses them up (`advance` clears them). One that was recorded while the checks of this
    stop ran has not been judged yet.
    """
    return replace(
        progress,
        signalled=progress.signalled or (saved.signalled and not loaded.signalled),
        blocked=saved.blocked if saved.blocked != loaded.blocked else progress.blocked,
        report=saved.report if saved.report != loaded.report else progress.report,
    )


def _find_new(items: tuple[T, ...], earlier: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(item for item in items if item not in earlier)
