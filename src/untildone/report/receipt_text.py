"""The receipt as JSON, and as Markdown that also reads well in a terminal."""

import json
from collections.abc import Sequence

import msgspec

from untildone.core.concerns import strip_content_digest
from untildone.core.verdict import OUTCOMES
from untildone.report.receipt import Allowance, Receipt
from untildone.report.totals import describe_improvement


def encode_receipt(receipt: Receipt) -> bytes:
    """Return JSON in ASCII, because a path that is not UTF-8 cannot be encoded otherwise."""
    return json.dumps(msgspec.to_builtins(receipt), indent=2).encode() + b"\n"


def render_receipt(receipt: Receipt) -> str:
    spend = "unknown" if receipt.spend_usd is None else f"{receipt.spend_usd:.2f} USD"
    improvement = describe_improvement(receipt.initial, receipt.final, receipt.improved)
    parts = [
        f"# Receipt of loop {receipt.loop}: {receipt.outcome or receipt.status}",
        f"{receipt.reason}\n" if receipt.reason else "",
        f"- task: {receipt.task.splitlines()[0] if receipt.task else ''}",
        f"- rounds: {receipt.rounds} of {receipt.max_rounds or 'no bound'}",
        f"- done when: {receipt.done_when}",
        f"- verdict: {receipt.verdict}" if receipt.verdict else "",
        f"- {improvement}" if improvement else "",
        f"- counted: {', '.join(receipt.counts)}" if receipt.counts else "",
        f"- only findings in: {', '.join(receipt.targets)}" if receipt.targets else "",
        f"- {receipt.ignored_configuration}" if receipt.ignored_configuration else "",
        f"- follows loop {receipt.follows}" if receipt.follows else "",
        f"- followed by loop {receipt.followed_by}" if receipt.followed_by else "",
        f"- from {receipt.started_at} to {receipt.ended_at}, cost: {spend}",
    ]
    for title, lines in _list_sections(receipt).items():
        parts += [f"\n## {title}", *(f"- {line}" for line in lines)] if lines else []
        if title == "Concerns":
            changes = dict.fromkeys(concern.change for concern in receipt.concerns)
            parts += [f"\n{_indent(change)}" for change in changes if change]
    return "\n".join(part for part in parts if part) + "\n"


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def _list_sections(receipt: Receipt) -> dict[str, Sequence[str]]:
    return {
        "Checked": [f"{run.name}: {run.summary}  `{run.command}`" for run in receipt.checks],
        "Compared with the baseline": receipt.proved,
        "Concerns": [
            f"`{strip_content_digest(concern.id)}`: {concern.because}"
            for concern in receipt.concerns
        ],
        "Reported by the agent": [f"{name}: {text}" for name, text in receipt.claims.items()],
        "Said by the agent": receipt.promises_said,
        "Steps done": receipt.steps_done,
        "Precheck": [receipt.precheck] if receipt.precheck else [],
        "Not verified": receipt.unverified,
        "Allowed by the user": list(map(_format_allowance, receipt.approvals)),
        "Round by round": receipt.history,
        "Notes": receipt.notes,
        "Remaining": receipt.unmet,
        "Next steps": _list_next_steps(receipt),
    }


def _format_allowance(allowance: Allowance) -> str:
    covers = ", ".join(map(strip_content_digest, allowance.covers))
    suffix = f", covers {covers}" if covers else ""
    return f"`{strip_content_digest(allowance.what)}` at {allowance.at}{suffix}"


def _list_next_steps(receipt: Receipt) -> list[str]:
    if receipt.outcome == "claimed":
        return ["review the work yourself: only the agent's words support it"]
    if receipt.outcome == "cancelled" and receipt.unmet:
        return ["start again with `untildone start`, or continue by hand"]
    if receipt.outcome is None or OUTCOMES[receipt.outcome].status != "paused":
        return []
    if receipt.outcome == "needs-approval":
        return [
            f"if you wanted the change: `untildone approve --all --loop {receipt.loop}`",
            "if not: restore it (`untildone show --at-start PATH` prints a file of the baseline),"
            f" then `untildone continue {receipt.loop}`",
            f"to give up: `untildone cancel {receipt.loop}`",
        ]
    resume = OUTCOMES[receipt.outcome].resume
    return [
        f"continue with `untildone {resume}`" if " prompt" not in resume else "answer in a prompt",
        "or fix what is listed above first",
        "to give up: `untildone cancel`",
    ]
