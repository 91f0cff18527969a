"""What the person is told of a loop from a spec beside the notice: `[LOOP] …` and its verdict."""

from untildone.loop.criteria import agreed
from untildone.loop.model import Continue, Contract, Finish, Pause, Progress, Verdict
from untildone.loop.spec.rubric import MOST, shape
from untildone.loop.spec.verdict import Trust, kinds, learnable, trust
from untildone.loop.spec.workflow import workflow
from untildone.store.loops import Record

_MARKS: dict[Trust, str] = {"SHIP": "🟢", "MONITOR": "🟡", "RESEARCH": "🔴"}
_WIDE = 76


def starting(record: Record) -> str:
    contract = record.contract
    kind = workflow(contract.task)
    score = contract.score or 0
    parts = [
        f"Shape: {shape(score)} ({score}/{MOST})",
        f"Workflow: {kind.letter} ({kind.first})" if kind else "",
        "" if contract.reversibility == "2A" else f"Type: {contract.reversibility}",
        f"Steps: {len(contract.steps)}" if contract.steps else "",
        f"Budget: ${contract.bounds.budget_usd:g}" if contract.bounds.budget_usd else "",
    ]
    return _line("Starting", *parts)


def announcement(record: Record, verdict: Verdict) -> str:
    contract = agreed(record.contract, record.progress.amendments)
    progress = record.progress
    match verdict:
        case Continue():
            return _round(contract, progress)
        case Pause():
            done = len(progress.steps_done)
            steps = f"Progress: {done} steps complete, {len(contract.steps) - done} remaining"
            answer = "your next prompt" if verdict.outcome == "gate" else "/untildone:loop continue"
            return _line(f"Paused: {verdict.reason}", steps, f"Resume: {answer}")
        case Finish(outcome="done" | "claimed"):
            return "\n".join(box(contract, progress))
        case _:
            return ""


def _line(*parts: str) -> str:
    return "[LOOP] " + " | ".join(part for part in parts if part)


def _round(contract: Contract, progress: Progress) -> str:
    bounds = contract.bounds
    spent = "unknown" if progress.spend_usd is None else f"${progress.spend_usd:.2f}"
    left = [step for step in contract.steps if step not in progress.steps_done]
    told = _line(
        f"Round {progress.round}" + (f"/{bounds.rounds}" if bounds.rounds else ""),
        f"Cost: {spent}" + (f"/${bounds.budget_usd:g}" if bounds.budget_usd else ""),
        f"Step: {left[0]}" if left else "",
    )
    again = learnable(progress.steps_done)
    if not again:
        return told
    return f"{told}\n[LOOP] `{again}` for the third time: a pattern you may want to learn yourself"


def box(contract: Contract, progress: Progress) -> list[str]:
    """The verdict on an ended loop, by how its criteria were verified."""
    found = kinds(contract, progress)
    counted = [kind for kind in found.values() if kind != "assumption"]
    verdict = trust(contract, progress)
    lines = [
        f"Verified: {', '.join(sorted(set(found.values()))) or 'nothing'}",
        f"Checklist: {len(counted)}/{len(found)} criteria verified",
        f"Type {contract.reversibility}, spec {contract.score}/{MOST}",
        *(f"Unverified: must not {limit}" for limit in contract.limits),
    ]
    return [f"╭─ {_MARKS[verdict]} {verdict}", *(f"│ {line[:_WIDE]}" for line in lines), "╰─"]
