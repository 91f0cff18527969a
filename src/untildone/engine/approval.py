"""Carries out `untildone approve`: the user accepts changes that a loop has paused for.

Such a change, say a removed test, is a concern with an id like `remove-test:tests/a.py#1f3a`. The
part after `#` is a digest of the content: if that changes again, the approval no longer holds. With
`--always` kind and path are approved for good, in later loops of the project too.
"""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.concerns import (
    is_allowed,
    is_lasting,
    make_lasting_approval,
    name_approval,
    strip_content_digest,
)
from untildone.core.contract import Amendment
from untildone.core.evidence import Concern
from untildone.core.progress import Progress
from untildone.core.questions import OpenQuestion
from untildone.engine import verbs
from untildone.engine.context import Context, project_folder
from untildone.engine.open_questions import load_open_questions
from untildone.errors import UserError
from untildone.report.question_text import list_questions
from untildone.store.lasting_approvals import LastingApproval, add_approvals
from untildone.store.loops import Record

ALL = "--all"
ALWAYS = "--always"


class ApprovalResult(Struct, frozen=True, kw_only=True):
    """What `approve --json` prints; the concerns of `left` still wait for approval."""

    loop: str
    approved: tuple[str, ...]
    left: tuple[str, ...]
    goes_on: bool
    # Whether the approval was all that was missing, so that the loop is done now.
    done: bool = False
    # Then what a stop tells of the end: outcome, rounds, time, cost and where the receipt is.
    ending: str = ""
    # What is approved for good in this project, as `KIND:PATH[:KEY]`.
    always: tuple[str, ...] = ()


def approve(
    context: Context, record: Record, words: tuple[str, ...], *, resumes: bool = True
) -> ApprovalResult:
    """Approve what the words name: ids of concerns, numbers of questions, or all by `--all`.

    Without any the only open question is approved. If the loop asks nothing, `--all` approves what
    differs from the baseline now: the user has pulled, or switched the branch. With `--always` the
    approval holds for good. With `resumes`, a loop that waited for the last of them goes on.
    """
    loop = record.contract.id
    verbs.require_unfinished(record)
    named = tuple(word for word in words if word != ALWAYS)
    concerns = _require_concerns(context, record, named)
    always = _list_lasting(concerns, named) if ALWAYS in words else ()
    if always:
        remembered = [LastingApproval(what=what, at=context.now(), loop=loop) for what in always]
        add_approvals(project_folder(context.home, Path(record.contract.project)), remembered)
    approved = tuple(concern.id for concern in concerns)
    record = _record_approval(context, loop, approved, always)
    left = _list_left(context, record)
    asked = record.progress.outcome == "needs-approval"
    was_last = not left and (asked or bool(record.progress.open_concerns))
    ending = _finish_confirmed(context, record) if was_last else ""
    # A loop at a bound goes on only if the user grants it more.
    goes_on = resumes and was_last and asked and not ending
    if goes_on:
        verbs.resume(context, loop)
    return ApprovalResult(
        loop=loop,
        approved=approved,
        left=left,
        goes_on=goes_on,
        done=bool(ending),
        ending=ending,
        always=always,
    )


def describe_approval(result: ApprovalResult, *, headless: bool) -> list[str]:
    """Return the lines that tell the user what was approved, and what that means for the loop."""
    lines = [f"approved {name_approval(finding)}" for finding in result.approved]
    lines += [f"always approved in this project: {what}" for what in result.always]
    if result.left:
        findings = ", ".join(strip_content_digest(finding) for finding in result.left)
        lines.append(f"still open: {findings}")
    elif result.done:
        lines.append(result.ending)
    elif headless:
        lines.append(f"run `untildone continue {result.loop}` to continue")
    elif result.goes_on:
        lines.append(f"loop {result.loop} continues: prompt the agent, its next stop is judged")
    return lines


def _require_concerns(
    context: Context, record: Record, named: tuple[str, ...]
) -> tuple[Concern, ...]:
    """Return the concerns that the words name; raise UserError if there is none."""
    questions = load_open_questions(context, record)
    concerns = _select_concerns(questions, named)
    if not questions and named == (ALL,):
        concerns = _find_current_concerns(context, record)
    if not concerns:
        loop = record.contract.id
        raise UserError(
            f"loop `{loop}` asks for no approval", hint=f"`untildone show {loop}` tells how it is"
        )
    return concerns


def _finish_confirmed(context: Context, record: Record) -> str:
    """Finish the loop if its last stop has confirmed this very tree, but for what is approved now.

    The user's approval stands for the agent's word that it is done. Returns what a stop would tell
    of this end, or an empty text.
    """
    # Imported where they are used: a prompt that approves nothing must not pay for them.
    from untildone.core.decide import decide
    from untildone.core.evidence import Evidence
    from untildone.core.verdict import Finish
    from untildone.engine.context import fingerprint_project
    from untildone.engine.receipts import locate_receipt
    from untildone.report.notices import describe_verdict

    last = context.loops.read_rounds(record.contract.id)[-1]
    project = Path(record.contract.project)
    shown = last.if_approved or last
    if shown.change is None or fingerprint_project(project) != last.tree:
        return ""
    evidence = Evidence(
        checks=last.checks, concerns=shown.concerns, changed=last.changed, change=shown.change
    )
    verdict = decide(record.agreed, replace(record.progress, confirmed=True), evidence)
    if not isinstance(verdict, Finish) or verdict.outcome != "done":
        return ""
    ended = verbs.end(context, record.contract.id, verdict)
    receipt = locate_receipt(context, ended, project=project)
    notice = describe_verdict(ended, verdict, last.checks, shown.change, receipt)
    return " | ".join((notice, *ended.warnings))


def _list_left(context: Context, record: Record) -> tuple[str, ...]:
    """Return the ids of the concerns that the loop has reported and nobody has approved."""
    questions = load_open_questions(context, record)
    return tuple(concern.id for each in questions for concern in each.question.concerns)


def _select_concerns(
    questions: Sequence[OpenQuestion], words: tuple[str, ...]
) -> tuple[Concern, ...]:
    """Return the concerns that the user names; raise UserError if one is not asked about."""
    concerns = {each.number: each.question.concerns for each in questions}
    everything = tuple(concern for group in concerns.values() for concern in group)
    if words == (ALL,) or not questions or (not words and len(questions) == 1):
        return everything
    matches = {
        word: concerns.get(int(word), ())
        if word.isdecimal()
        else tuple(concern for concern in everything if is_allowed(concern, (word,)))
        for word in words
    }
    unknown = ", ".join(f"`{word}`" for word, found in matches.items() if not found)
    if unknown or not matches:
        what = f"{unknown} is not asked about" if unknown else "several questions are open"
        raise UserError(
            f"{what}:\n{list_questions(questions)}",
            hint=f"`approve {questions[0].number}` approves the first of them, `{ALL}` all",
        )
    return tuple({each.id: each for found in matches.values() for each in found}.values())


def _list_lasting(concerns: Sequence[Concern], words: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is approved for good: as the user named it, else kind and path.

    Raises UserError for what is no property of a file: that is agreed when a loop starts.
    """
    for concern in concerns:
        if not is_lasting(concern):
            raise UserError(
                f"`{concern.id}` cannot be approved for good, as it is about no file",
                hint="approve it without `--always`",
            )
    named = {word for word in words if ":" in word and "#" not in word}
    lasting = (
        next((word for word in named if is_allowed(concern, (word,))), None)
        or make_lasting_approval(concern)
        for concern in concerns
    )
    return tuple(dict.fromkeys(lasting))


def _record_approval(
    context: Context, loop: str, approved: tuple[str, ...], always: tuple[str, ...]
) -> Record:
    """Add what is approved to the loop's contract by an amendment, and return the loop."""
    amendment = Amendment(by="user", at=context.now(), allow=(*approved, *always), always=always)

    def edit(record: Record) -> Progress:
        return replace(record.progress, amendments=(*record.progress.amendments, amendment))

    return verbs.change_loop(context, loop, edit, kind="approved", findings=approved)


def _find_current_concerns(context: Context, record: Record) -> tuple[Concern, ...]:
    """Return all concerns that a comparison with the baseline finds now."""
    # Imported where it is used: a prompt that approves nothing must not pay for it.
    from untildone.integrity.confirmation import find_differences
    from untildone.integrity.confirmation_inputs import load_inputs

    contract = record.agreed
    inputs = load_inputs(
        contract,
        Path(contract.project),
        folder=context.loops.get_folder(contract.id) / "baseline",
        state_home=context.home,
        digest=record.progress.baseline_tree_digest,
    )
    concerns = find_differences(inputs)
    return tuple(concern for concern in concerns if not is_allowed(concern, contract.allow))
