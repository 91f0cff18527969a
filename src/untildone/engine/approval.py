"""Carries out `untildone approve`: the user accepts changes that a loop has paused for.

Such a change, say a removed test, is a concern with an id like `remove-test:tests/a.py#1f3a`. The
part after `#` is a digest of the content: if that changes again, the approval no longer holds.
"""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.concerns import is_allowed, strip_content_digest
from untildone.core.contract import Amendment
from untildone.core.progress import Progress
from untildone.engine import verbs
from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.store.loops import Record

ALL = "--all"


class ApprovalResult(Struct, frozen=True, kw_only=True):
    """What `approve --json` prints; the concerns of `left` still wait for approval."""

    loop: str
    approved: tuple[str, ...]
    left: tuple[str, ...]
    goes_on: bool


def approve(
    context: Context, record: Record, findings: tuple[str, ...], *, resumes: bool = True
) -> ApprovalResult:
    """Approve concerns by their ids, with or without the content digest, or all by `--all`.

    If the loop asks about none, `--all` approves what differs from the baseline now: the user has
    pulled, or switched the branch. With `resumes`, a loop that waited for the last of them goes on.
    """
    loop = record.contract.id
    verbs.require_unfinished(record)
    open_findings = _list_open_findings(record)
    if findings == (ALL,):
        approved = open_findings or _find_current_concerns(context, record)
    else:
        approved = _select_findings(open_findings, findings)
    if not approved:
        raise UserError(
            f"loop `{loop}` asks for no approval", hint=f"`untildone show {loop}` tells how it is"
        )
    record = _record_approval(context, loop, approved)
    left = _list_open_findings(record)
    goes_on = resumes and not left and record.progress.outcome == "needs-approval"
    if goes_on:
        verbs.resume(context, loop)
    return ApprovalResult(loop=loop, approved=approved, left=left, goes_on=goes_on)


def _list_open_findings(record: Record) -> tuple[str, ...]:
    """Return the ids of the concerns that the loop has reported and nobody has approved."""
    allow = record.agreed.allow
    return tuple(finding for finding in record.progress.reported_concerns if finding not in allow)


def _select_findings(open_findings: tuple[str, ...], findings: Iterable[str]) -> tuple[str, ...]:
    """Return the open findings that the user names; raise UserError if one is not open."""
    matches = {
        finding: [id_ for id_ in open_findings if finding in (id_, strip_content_digest(id_))]
        for finding in findings
    }
    unknown = ", ".join(f"`{finding}`" for finding, ids in matches.items() if not ids)
    if open_findings and (unknown or not matches):
        known = ", ".join(f"`{strip_content_digest(finding)}`" for finding in open_findings)
        what = f"{unknown} is not asked about" if unknown else "no finding is named"
        raise UserError(f"{what} (asked: {known})", hint=f"give ids, or `{ALL}`")
    return tuple(dict.fromkeys(id_ for ids in matches.values() for id_ in ids))


def _record_approval(context: Context, loop: str, approved: tuple[str, ...]) -> Record:
    """Add the approved ids to the loop's contract by an amendment, and return the loop."""
    amendment = Amendment(by="user", at=context.now(), allow=approved)

    def edit(record: Record) -> Progress:
        return replace(record.progress, amendments=(*record.progress.amendments, amendment))

    return verbs.change_loop(context, loop, edit, kind="approved", findings=approved)


def _find_current_concerns(context: Context, record: Record) -> tuple[str, ...]:
    """Return the ids of all concerns that a comparison with the baseline finds now."""
    # Imported where it is used: a prompt that approves nothing must not pay for it.
    from untildone.integrity.confirmation import find_differences
    from untildone.integrity.confirmation_inputs import load_inputs

    contract = record.agreed
    inputs = load_inputs(
        contract,
        Path(contract.project),
        folder=context.loops.get_folder(contract.id) / "baseline",
        digest=record.progress.baseline_tree_digest,
    )
    concerns = find_differences(inputs)
    return tuple(concern.id for concern in concerns if not is_allowed(concern, contract.allow))
