"""The user approves concerns; an approval holds only for the content it was given for."""

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
    """What `approve --json` prints; `left` still waits for approval."""

    loop: str
    approved: tuple[str, ...]
    left: tuple[str, ...]
    goes_on: bool


def approve(
    context: Context, record: Record, findings: tuple[str, ...], *, resumes: bool = True
) -> ApprovalResult:
    """Approve findings by their ids, with or without the content digest, or all that are open.

    Where none is open, `--all` approves what differs from the baseline now: the user has pulled,
    or switched the branch. With the last of them approved a loop that waited for it goes on.
    """
    loop = record.contract.id
    verbs.require_unfinished(record)
    asked = _list_open_findings(record)
    if findings == (ALL,):
        approved = asked or _find_current_concerns(context, record)
    else:
        approved = _select_findings(asked, findings)
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
    allow = record.agreed.allow
    return tuple(finding for finding in record.progress.reported_concerns if finding not in allow)


def _select_findings(asked: tuple[str, ...], findings: Iterable[str]) -> tuple[str, ...]:
    meant = {
        finding: [known for known in asked if finding in (known, strip_content_digest(known))]
        for finding in findings
    }
    unknown = ", ".join(f"`{finding}`" for finding, ids in meant.items() if not ids)
    if asked and (unknown or not meant):
        known = ", ".join(f"`{strip_content_digest(finding)}`" for finding in asked)
        what = f"{unknown} is not asked about" if unknown else "no finding is named"
        raise UserError(f"{what} (asked: {known})", hint=f"give ids, or `{ALL}`")
    return tuple(dict.fromkeys(id_ for ids in meant.values() for id_ in ids))


def _record_approval(context: Context, loop: str, approved: tuple[str, ...]) -> Record:
    amendment = Amendment(by="user", at=context.now(), allow=approved)

    def edit(record: Record) -> Progress:
        return replace(record.progress, amendments=(*record.progress.amendments, amendment))

    return verbs.change_loop(context, loop, edit, kind="approved", findings=approved)


def _find_current_concerns(context: Context, record: Record) -> tuple[str, ...]:
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
    found = find_differences(inputs)
    return tuple(lost.id for lost in found if not is_allowed(lost, contract.allow))
