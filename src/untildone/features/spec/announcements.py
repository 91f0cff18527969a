"""What a spec loop announces to the user beside the notice: `[LOOP] …` lines and its verdict."""

from untildone.core.contract import Contract
from untildone.core.progress import Progress
from untildone.core.reminders import classify_workflow
from untildone.core.trust_rating import Trust, list_verifications, rate_trust
from untildone.core.verdict import Continue, Finish, Pause, Verdict
from untildone.engine.context import Context
from untildone.features.spec.rubric import MAX_SCORE, choose_grade
from untildone.store.loops import Record

_MARKS: dict[Trust, str] = {"SHIP": "🟢", "MONITOR": "🟡", "RESEARCH": "🔴"}
_WIDE = 76
_REPEATS = 3


def describe_start(context: Context, record: Record) -> tuple[str, ...]:
    """What a loop from a spec agrees on, and where its state is."""
    contract = record.contract
    if contract.preset != "loop":
        return ()
    place = context.loops.get_folder(contract.id)
    until = "removed when it ends" if contract.clean else "kept when it ends"
    state = (
        f"untildone: its state is in `{place}`, {until}; `untildone show {contract.id}` shows it,"
        f" `untildone cancel {contract.id}` ends it"
    )
    return announce_start(contract), state


def announce_start(contract: Contract) -> str:
    kind = classify_workflow(contract.task)
    score = contract.score or 0
    parts = [
        f"Shape: {choose_grade(score)} ({score}/{MAX_SCORE})",
        f"Workflow: {kind.letter} ({kind.first})" if kind else "",
        "" if contract.reversibility == "2A" else f"Type: {contract.reversibility}",
        f"Steps: {len(contract.steps)}" if contract.steps else "",
        f"Budget: ${contract.bounds.budget_usd:g}" if contract.bounds.budget_usd else "",
    ]
    return _format_line("Starting", *parts)


def announce_verdict(
    record: Record, verdict: Verdict, *, announced: int = 0, next_step: str = ""
) -> str:
    """`announced` steps are known to the user already; `next_step` is what the agent plans next."""
    contract = record.agreed
    progress = record.progress
    match verdict:
        case Continue():
            new = progress.steps_done[announced:]
            return "\n".join(_announce_round(contract, progress, new, next_step))
        case Pause():
            done = len(progress.steps_done)
            steps = f"Progress: {done} steps complete, {len(contract.steps) - done} remaining"
            answer = "your next prompt" if verdict.outcome == "gate" else "/untildone:loop continue"
            return _format_line(f"Paused: {verdict.reason}", steps, f"Resume: {answer}")
        case Finish(outcome="done" | "claimed"):
            lines = (*list_criteria(contract, progress), *draw_verdict_box(contract, progress))
            return "\n".join(lines)
        case _:
            return ""


def _format_line(*parts: str) -> str:
    return "[LOOP] " + " | ".join(part for part in parts if part)


def _announce_round(
    contract: Contract, progress: Progress, new: tuple[str, ...], next_step: str
) -> list[str]:
    bounds = contract.bounds
    spent = "unknown" if progress.spend_usd is None else f"${progress.spend_usd:.2f}"
    left = [step for step in contract.steps if step not in progress.steps_done]
    announcement = _format_line(
        f"Round {progress.round}" + (f"/{bounds.rounds}" if bounds.rounds else ""),
        f"Cost: {spent}" + (f"/${bounds.budget_usd:g}" if bounds.budget_usd else ""),
        f"Step: {left[0]}" if left else f"Next: {next_step}" if next_step else "",
    )
    return [
        *_announce_steps(contract, new, left),
        announcement,
        *_announce_patterns(progress, len(new)),
    ]


def _announce_steps(contract: Contract, new: tuple[str, ...], left: list[str]) -> list[str]:
    total = len(contract.steps)
    next_step = f"Next: {left[0]}" if left else ""
    done = f"✓ {', '.join(new)} complete"
    return [_format_line(done, f"Progress: {total - len(left)}/{total}", next_step)] if new else []


def _announce_patterns(progress: Progress, new: int) -> list[str]:
    done = progress.steps_done
    again = [find_repeated_work(done[: len(done) - later]) for later in reversed(range(new))]
    advice = "for the third time. This is a learnable pattern: ask for the steps to run it yourself"
    return [_format_line(f"`{kind}` {advice}") for kind in again if kind]


def find_repeated_work(steps_done: tuple[str, ...]) -> str:
    """The first word of the last step, if exactly three of the finished steps begin with it."""
    last = [step.split()[0].casefold() for step in steps_done if step.split()]
    return last[-1] if last and last.count(last[-1]) == _REPEATS else ""


def list_criteria(contract: Contract, progress: Progress) -> list[str]:
    """Each criterion with how it was verified; one that was unmet at the last stop is not."""
    left = progress.unmet or ()
    lines = [
        f"- {name}: ✗ not verified"
        if kind == "assumption" or name in left
        else f"- {name}: ✓ {kind}"
        for name, kind in list_verifications(contract, progress).items()
    ]
    return ["<loop-complete>", *lines, "</loop-complete>"] if lines else []


def draw_verdict_box(contract: Contract, progress: Progress) -> list[str]:
    """The verdict on an ended loop, by how its criteria were verified."""
    found = list_verifications(contract, progress)
    counted = [kind for kind in found.values() if kind != "assumption"]
    verdict = rate_trust(contract, progress)
    asides = {"Alt": _find_note(progress, "alt"), "Risk": _describe_risk(contract, progress)}
    lines = [
        f"Verified: {', '.join(sorted(set(found.values()))) or 'nothing'}",
        f"Checklist: {len(counted)}/{len(found)} criteria verified",
        f"Type {contract.reversibility}, spec {contract.score}/{MAX_SCORE}",
        *(f"Unverified: must not {limit}" for limit in contract.limits),
        *(f"↳ {name}: {text}" for name, text in asides.items() if text),
    ]
    return [f"╭─ {_MARKS[verdict]} {verdict}", *(f"│ {line[:_WIDE]}" for line in lines), "╰─"]


def _find_note(progress: Progress, word: str) -> str:
    """The agent's last note under this word: `untildone note "Alt: …"`."""
    notes = [note.partition(":") for note in progress.notes]
    texts = [text.strip() for name, _, text in notes if name.strip().casefold() == word]
    return texts[-1] if texts else ""


def _describe_risk(contract: Contract, progress: Progress) -> str:
    """The agent's note on it, else its precheck, else the claims that only its word supports."""
    claims = ", ".join(claim.name for claim in contract.claims)
    rests = f"the agent's word for {claims}" if claims else ""
    return _find_note(progress, "risk") or progress.precheck or rests
