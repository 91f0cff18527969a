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
            return "\n".join((*completed(contract, progress), *box(contract, progress)))
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
    pattern = f"`{again}` for the third time: a pattern you may want to learn yourself"
    lines = (_step_done(contract, progress, left), told, _line(pattern) if again else "")
    return "\n".join(filter(None, lines))


def _step_done(contract: Contract, progress: Progress, left: list[str]) -> str:
    if not contract.steps or not progress.steps_done:
        return ""
    total = len(contract.steps)
    following = f"Next: {left[0]}" if left else ""
    done = f"✓ {progress.steps_done[-1]} complete"
    return _line(done, f"Progress: {total - len(left)}/{total}", following)


def completed(contract: Contract, progress: Progress) -> list[str]:
    """Each criterion with how it was verified; what the last stop left unmet is not."""
    left = progress.unmet or ()
    lines = [
        f"- {name}: ✗ not verified"
        if kind == "assumption" or name in left
        else f"- {name}: ✓ {kind}"
        for name, kind in kinds(contract, progress).items()
    ]
    return ["<loop-complete>", *lines, "</loop-complete>"] if lines else []


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
