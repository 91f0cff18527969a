"""The receipt as JSON, and as Markdown that also reads well in a terminal."""

import json
from collections.abc import Iterator

import msgspec

from untildone.core.concerns import strip_content_digest
from untildone.core.verdict import OUTCOMES
from untildone.report.receipt import Allowance, Receipt, ReceiptConcern
from untildone.report.totals import describe_improvement


def encode_receipt(receipt: Receipt) -> bytes:
    """JSON in ASCII, because a path that is not UTF-8 cannot be encoded otherwise."""
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
        f"- follows loop {receipt.follows}" if receipt.follows else "",
        f"- followed by loop {receipt.followed_by}" if receipt.followed_by else "",
        f"- from {receipt.started_at} to {receipt.ended_at}, cost: {spend}",
        *_render_section(
            "Checked", [f"{each.name}: {each.summary}  `{each.command}`" for each in receipt.checks]
        ),
        *_render_section("Compared with the baseline", list(receipt.proved)),
        *_render_concerns(receipt.concerns),
        *_render_section(
            "Reported by the agent", [f"{name}: {text}" for name, text in receipt.claims.items()]
        ),
        *_render_section("Said by the agent", list(receipt.promises_said)),
        *_render_section("Steps done", list(receipt.steps_done)),
        *_render_section("Precheck", [receipt.precheck] if receipt.precheck else []),
        *_render_section("Not verified", list(receipt.unverified)),
        *_render_section(
            "Allowed by the user", [_format_allowance(each) for each in receipt.approvals]
        ),
        *_render_section("Round by round", list(receipt.history)),
        *_render_section("Notes", list(receipt.notes)),
        *_render_section("Remaining", list(receipt.unmet)),
        *_render_section("Next steps", _list_next_steps(receipt)),
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _format_allowance(allowance: Allowance) -> str:
    covers = (
        f", covers {', '.join(map(strip_content_digest, allowance.covers))}"
        if allowance.covers
        else ""
    )
    return f"`{strip_content_digest(allowance.what)}` at {allowance.at}{covers}"


def _render_concerns(concerns: tuple[ReceiptConcern, ...]) -> Iterator[str]:
    if not concerns:
        return
    yield "\n## Concerns"
    for concern in concerns:
        yield f"- `{strip_content_digest(concern.id)}`: {concern.because}"
    for change in dict.fromkeys(each.change for each in concerns if each.change):
        yield f"\n{_indent(change)}"


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def _render_section(title: str, lines: list[str]) -> list[str]:
    return [f"\n## {title}", *(f"- {line}" for line in lines)] if lines else []


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
