"""What a loop from a spec announces to the user: `[LOOP] …` lines and a box at the end.

[LOOP] ✓ write the parser complete | Progress: 1/3 | Next: write its tests
[LOOP] Round 2/10 | Cost: $0.40/$5 | Step: write its tests
"""

from collections.abc import Iterator

from untildone.core.contract import Contract
from untildone.core.criteria import lacks_criteria
from untildone.core.progress import Progress
from untildone.core.reminders import classify_workflow
from untildone.core.trust_rating import Trust, list_verifications, rate_trust
from untildone.core.verdict import Continue, Finish, Pause, Verdict
from untildone.engine.context import Context
from untildone.features.spec.rubric import MAX_SCORE, choose_grade
from untildone.features.spec.text_box import draw_box
from untildone.store.loops import Record

_DOTS: dict[Trust, str] = {"SHIP": "🟢", "MONITOR": "🟡", "RESEARCH": "🔴"}
# Kinds of verification that rest on judgement.
_SUBJECTIVE = ("review", "assumption")
_ASK_FOR_CRITERION = (
    "untildone: no check was found and no criterion is named. What must be true in the end?"
    ' `untildone criterion add "…"` adds it; else the agent names the criteria'
)
# So often the same kind of step is mentioned as a pattern.
_PATTERN_REPEATS = 3


def describe_start(context: Context, record: Record) -> tuple[str, ...]:
    """Return the lines about a started loop: its terms, and where its state is.

    None for loops that were not started from a spec.
    """
    contract = record.contract
    if contract.preset != "loop":
        return ()
    folder = context.loops.get_folder(contract.id)
    duration = (
        "deleted when it ends"
        if contract.clean
        else "kept when it ends (`--clean` deletes it then)"
    )
    state = (
        f"untildone: its state is in `{folder}`, {duration};"
        f" `untildone show {contract.id}` shows it, `untildone cancel {contract.id}` ends it"
    )
    missing = (_ASK_FOR_CRITERION,) if lacks_criteria(contract) else ()
    return (announce_start(contract), *missing, state)


def announce_start(contract: Contract) -> str:
    """Return the line about a loop's terms; what it does not have, and the usual type, is left out.

    [LOOP] Starting | Shape: colleague (6/10) | Workflow: B (find the root cause …) | Type: 2B
    """
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
    """Return the lines about the verdict on a stop; empty if there is nothing to announce.

    `announced` is the number of completed steps that the user knows already, `next_step` what the
    agent plans next.
    """
    contract = record.agreed
    progress = record.progress
    match verdict:
        case Continue():
            new_steps = progress.steps_done[announced:]
            return "\n".join(_announce_round(contract, progress, new_steps, next_step))
        case Pause():
            completed = len(progress.steps_done)
            remaining = len(contract.steps) - completed
            steps = f"Progress: {completed} steps complete, {remaining} remaining"
            answer = "your next prompt" if verdict.outcome == "gate" else "/untildone:loop continue"
            return _format_line(f"Paused: {verdict.reason}", steps, f"Resume: {answer}")
        # "claimed": the loop ended well, but by the agent's word alone.
        case Finish(outcome="done" | "claimed"):
            lines = (*list_criteria(contract, progress), *draw_verdict_box(contract, progress))
            return "\n".join(lines)
        case _:
            return ""


def _format_line(*parts: str) -> str:
    """Return a line `[LOOP] A | B` of the parts that are not empty."""
    return "[LOOP] " + " | ".join(part for part in parts if part)


def _announce_round(
    contract: Contract, progress: Progress, new_steps: tuple[str, ...], next_step: str
) -> Iterator[str]:
    """Yield the lines about a round that is over; `new_steps` were completed in it."""
    open_steps = [step for step in contract.steps if step not in progress.steps_done]
    if new_steps:
        total = len(contract.steps)
        yield _format_line(
            f"✓ {', '.join(new_steps)} complete",
            f"Progress: {total - len(open_steps)}/{total}",
            f"Next: {open_steps[0]}" if open_steps else "",
        )
    bounds = contract.bounds
    spent = "unknown" if progress.spend_usd is None else f"${progress.spend_usd:.2f}"
    yield _format_line(
        f"Round {progress.round}" + (f"/{bounds.rounds}" if bounds.rounds else ""),
        f"Cost: {spent}" + (f"/${bounds.budget_usd:g}" if bounds.budget_usd else ""),
        f"Step: {open_steps[0]}" if open_steps else f"Next: {next_step}" if next_step else "",
    )
    yield from _announce_patterns(progress.steps_done, len(new_steps))


def _announce_patterns(steps_done: tuple[str, ...], new_steps: int) -> Iterator[str]:
    """Yield a hint for each of the new steps that was the third of its kind: fix, fix, fix."""
    advice = "for the third time. This is a learnable pattern: ask for the steps to run it yourself"
    for new_step in range(len(steps_done) - new_steps, len(steps_done)):
        kind = find_repeated_work(steps_done[: new_step + 1])
        if kind:
            yield _format_line(f"`{kind}` {advice}")


def find_repeated_work(steps_done: tuple[str, ...]) -> str:
    """Return the first word of the last step if exactly three completed steps begin with it."""
    first_words = [step.split()[0].casefold() for step in steps_done if step.split()]
    last_word = first_words[-1] if first_words else ""
    return last_word if first_words.count(last_word) == _PATTERN_REPEATS else ""


def list_criteria(contract: Contract, progress: Progress) -> list[str]:
    """Return a line for each criterion that says how it was verified.

    One that was unmet at the last stop, or that is only assumed, is shown as not verified.
    """
    unmet = progress.unmet or ()
    lines = [
        f"- {name}: ✗ not verified"
        if kind == "assumption" or name in unmet
        else f"- {name}: ✓ {kind}"
        for name, kind in list_verifications(contract, progress).items()
    ]
    return ["<loop-complete>", *lines, "</loop-complete>"] if lines else []


def draw_verdict_box(contract: Contract, progress: Progress) -> list[str]:
    """Return the lines of the box about an ended loop: SHIP, MONITOR or RESEARCH, and why."""
    verifications = list_verifications(contract, progress)
    verified = [kind for kind in verifications.values() if kind != "assumption"]
    verdict = rate_trust(contract, progress)
    asides = {"Alt": _find_note(progress, "alt"), "Risk": _describe_risk(contract, progress)}
    subjective = sum(kind in _SUBJECTIVE for kind in verifications.values())
    share = f"Subjective: ~{100 * subjective // len(verifications)}%" if verifications else ""
    parts = (share, f"Type {contract.reversibility}", f"spec {contract.score or 0}/{MAX_SCORE}")
    return draw_box(
        f"{_DOTS[verdict]} {verdict}",
        (
            f"Verified: {', '.join(sorted(set(verifications.values()))) or 'nothing'}",
            f"Checklist: {len(verified)}/{len(verifications)} criteria verified",
            " · ".join(filter(None, parts)),
            *(f"Unverified: must not {limit}" for limit in contract.limits),
        ),
        tuple(f"↳ {name}: {text}" for name, text in asides.items() if text),
    )


def _find_note(progress: Progress, word: str) -> str:
    """Return the agent's last note under this word: `untildone note "Alt: …"`."""
    notes = [note.partition(":") for note in progress.notes]
    texts = [text.strip() for name, _, text in notes if name.strip().casefold() == word]
    return texts[-1] if texts else ""


def _describe_risk(contract: Contract, progress: Progress) -> str:
    """Return the agent's note "Risk: …", else its pre-check, else the claims nobody verified.

    The pre-check says how a change that is hard to undo could go wrong.
    """
    claims = ", ".join(claim.name for claim in contract.claims)
    unproved = f"the agent's word for {claims}" if claims else ""
    return _find_note(progress, "risk") or progress.precheck or unproved
