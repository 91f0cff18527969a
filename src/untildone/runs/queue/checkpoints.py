"""The work of a loop after each round, stored so that another worker can go on with it."""

import os
import tempfile
from pathlib import Path

from msgspec.structs import replace

from untildone.core.contract import Bounds
from untildone.core.text import shorten
from untildone.engine.context import Context
from untildone.engine.request import Request
from untildone.runs.conversation import write_note
from untildone.runs.queue.redaction import redact
from untildone.runs.queue.repositories import Push, Repository
from untildone.runs.queue.taken_task import TakenTask
from untildone.runs.queue.values import Checkpoint, get_work_ref
from untildone.runs.tasks import worktrees
from untildone.runs.tasks.git_answers import Git

_LONGEST_NOTE = 20_000


def push_checkpoint(
    context: Context,
    loop: str,
    *,
    task: TakenTask,
    repository: Repository,
    before: Checkpoint | None,
    name: str = "",
) -> Checkpoint:
    """Push the worktree's content and return what another worker needs to go on.

    `name` replaces the number of the round for what was left in the middle of one.
    """
    record = context.loops.load(loop)
    git = Git(Path(record.contract.project))
    commit = _commit_aside(git, message=f"untildone: work on {task.id}, not done yet")
    ref = get_work_ref(task.id, task.token, name or str(record.progress.round))
    repository.push([Push(ref=ref, commit=commit)])
    note = write_note("", record.progress, context.loops.read_rounds(loop))
    return Checkpoint(
        ref=ref,
        commit=commit,
        rounds=record.progress.round + (before.rounds if before else 0),
        spend_usd=add_spend(record.progress.spend_usd, before),
        note=shorten(redact(note, context.environ), _LONGEST_NOTE),
    )


def _commit_aside(git: Git, *, message: str) -> str:
    """Commit the files with an index of our own: the agent's index and branch stay as they are."""
    with tempfile.TemporaryDirectory(prefix="untildone-") as folder:
        env = {"GIT_INDEX_FILE": os.fspath(Path(folder) / "index")}
        git.ask("read-tree", "HEAD", env=env)
        worktrees.stage(git, env=env)
        tree = git.ask("write-tree", env=env)
    return git.make_commit(tree, git.ask("rev-parse", "HEAD"), message=message)


def restore_checkpoint(git: Git, repository: Repository, checkpoint: Checkpoint) -> None:
    """Bring the files of the checkpoint into a worktree whose baseline is recorded already."""
    if not repository.has(checkpoint.commit):
        repository.fetch(checkpoint.ref)
    worktrees.restore_tree(git, f"{checkpoint.commit}^{{tree}}")


def continue_request(
    request: Request, checkpoint: Checkpoint, *, used: Checkpoint | None
) -> Request:
    """Return the request for the rest of the work, with what `used` left of the bounds."""
    begun = "This was begun before; the files are as they were left."
    task = "\n\n".join(filter(None, (request.task, begun, checkpoint.note)))
    bounds = _reduce(request.bounds, used) if used else request.bounds
    return replace(request, task=task, bounds=bounds)


def _reduce(bounds: Bounds, checkpoint: Checkpoint) -> Bounds:
    """Return what is left of the bounds: at least one round and a cent."""
    rounds = max(bounds.rounds - checkpoint.rounds, 1) if bounds.rounds else 0
    spent = checkpoint.spend_usd or 0
    budget = max(bounds.budget_usd - spent, 0.01) if bounds.budget_usd else 0
    return replace(bounds, rounds=rounds, budget_usd=budget)


def add_spend(spend_usd: float | None, before: Checkpoint | None) -> float | None:
    """Return what was spent with what the workers before had spent; None if nothing is known."""
    earlier = before.spend_usd if before else None
    return None if spend_usd is None and earlier is None else (spend_usd or 0) + (earlier or 0)
