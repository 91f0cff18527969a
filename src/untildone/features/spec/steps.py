"""The steps of a loop: the agent names and completes them, the user can roll them back.

A loop of reversibility 2B (undone within five minutes) saves a checkpoint of the tree before
each step: `step-1` is the tree before the first one.
"""

from pathlib import Path

from msgspec.structs import replace

from untildone.core.agent_message import truncate
from untildone.core.contract import Amendment, Contract
from untildone.core.criteria import apply_amendments
from untildone.core.progress import Progress
from untildone.engine.context import Context
from untildone.engine.early_evidence import find_project_root
from untildone.engine.verbs import change_loop, require_unfinished
from untildone.errors import UserError
from untildone.features.spec import checkpoints
from untildone.features.spec.checkpoints import Restoration
from untildone.store.loops import Record

MAX_STEPS = 100


def add_steps(context: Context, loop: str, names: tuple[str, ...]) -> Record:
    """Add steps to a running loop; they can never be removed. Return the changed loop."""

    def edit(record: Record) -> Progress:
        return append_steps(record.contract, require_unfinished(record), names, at=context.now())

    return change_loop(context, loop, edit, kind="steps", names=names)


def append_steps(
    contract: Contract, progress: Progress, names: tuple[str, ...], *, at: str
) -> Progress:
    """Return the progress with an amendment that adds the steps which are not known yet."""
    known = apply_amendments(contract, progress.amendments).steps
    new = tuple(truncate(name) for name in dict.fromkeys(names) if truncate(name) not in known)
    if len(known) + len(new) > MAX_STEPS:
        raise UserError(
            f"a loop takes {MAX_STEPS} steps at most", hint="join what belongs together"
        )
    amendment = Amendment(by="agent", at=at, steps=new)
    return replace(progress, amendments=(*progress.amendments, amendment)) if new else progress


def complete_step(context: Context, loop: str, step: str, *, cwd: Path) -> Record:
    """Mark a step, given by its name or number, as done; return the changed loop.

    Saves a checkpoint for the next step if the loop has checkpoints.
    """
    done_before: list[int] = []

    def edit(record: Record) -> Progress:
        progress = require_unfinished(record)
        done_before.append(len(progress.steps_done))
        return mark_step_done(record.contract, progress, step)

    record = change_loop(context, loop, edit, kind="step done", step=truncate(step))
    # After a rollback an older checkpoint has this name.
    save_step_checkpoint(record, cwd=cwd, anew=len(record.progress.steps_done) > done_before[0])
    return record


def mark_step_done(contract: Contract, progress: Progress, step: str) -> Progress:
    """Return the progress with this step done; raise UserError if the loop has no such step."""
    steps = apply_amendments(contract, progress.amendments).steps
    name = _find_step(steps, step)
    if name not in steps:
        known = ", ".join(f"`{name}`" for name in steps) or "none"
        raise UserError(
            f"`{step}` is not a step of this loop (steps: {known})",
            hint='`untildone steps set "STEP"…` names them',
        )
    return replace(progress, steps_done=tuple(dict.fromkeys((*progress.steps_done, name))))


def _find_step(steps: tuple[str, ...], step: str) -> str:
    """Return the name of a step that is given by its number (from 1) or its name."""
    is_number = step.isdecimal() and 0 < int(step) <= len(steps)
    return steps[int(step) - 1] if is_number else truncate(step)


def save_step_checkpoint(record: Record, *, cwd: Path, anew: bool = False) -> str:
    """Save the tree before the next step of a loop of reversibility 2B; return the git ref.

    Other loops have no checkpoints: the ref is empty. `anew` replaces an older checkpoint.
    """
    if record.contract.reversibility != "2B":
        return ""
    number = len(record.progress.steps_done) + 1
    place = find_project_root(record.contract, str(cwd))
    return checkpoints.save_checkpoint(place, record.contract.id, f"step-{number}", anew=anew)


def roll_back(context: Context, record: Record, step: str, *, cwd: Path) -> Restoration:
    """Restore the tree before a step, given by its number, its name or its checkpoint.

    Steps completed since then are open again, and so is every claim.
    """
    contract = record.agreed
    place = find_project_root(contract, str(cwd))
    known = checkpoints.list_checkpoints(checkpoints.require_repository(place), contract.id)
    candidates = (step, f"step-{_find_position(contract, record.progress, step)}", f"step-{step}")
    name = next((checkpoint for checkpoint in candidates if checkpoint in known), "")
    if not name:
        listed = ", ".join(f"`{checkpoint}`" for checkpoint in known) or "none"
        raise UserError(
            f"loop `{contract.id}` has no checkpoint of `{step}` (there are: {listed})",
            hint=f"for example `untildone rollback {next(iter(known))}`"
            if known
            else "a loop started with `--reversibility 2B` makes one before each step",
        )
    restored = checkpoints.restore_checkpoint(place, contract.id, name)
    change_loop(
        context,
        contract.id,
        lambda now: _reset_progress(now.progress, name),
        kind="rolled back",
        to=name,
        saved=restored.saved,
    )
    return restored


def _find_position(contract: Contract, progress: Progress, step: str) -> int:
    """Return the number of the step in the order in which steps were begun; 0 if it was not."""
    done = progress.steps_done
    current = [name for name in contract.steps if name not in done][:1]
    begun = (*done, *current)
    name = _find_step(contract.steps, step)
    return begun.index(name) + 1 if name in begun else 0


def _reset_progress(progress: Progress, checkpoint: str) -> Progress:
    """Return the progress as it was before the step `step-N`.

    Unchanged for the checkpoint of a rollback (`undo-N`) and for a finished loop.
    """
    kind, _, number = checkpoint.partition("-")
    if kind != "step" or progress.status == "finished":
        return progress
    done = progress.steps_done[: int(number) - 1]
    reported = min(progress.steps_reported, len(done))
    return replace(progress, steps_done=done, steps_reported=reported, met={}, confirmed=False)
