"""The rounds of tasks that ended without being done: kept for `retry`, removed after a while."""

from pathlib import Path

import sqlalchemy as sa

from untildone.core.text import pluralize
from untildone.errors import UserError
from untildone.runs.queue.repositories import Repository
from untildone.runs.queue.tables import STEPS, TASKS
from untildone.runs.queue.values import QueueChange, get_work_pattern

# One push names each ref that it removes, and a command line is limited.
_BATCH = 200


def remove_old_work(engine: sa.Engine, cache: Path, *, before: str) -> QueueChange:
    """Remove the refs of the rounds of tasks that ended before this time, in their repositories."""
    with engine.connect() as connection:
        chosen = sa.select(TASKS.c.repository, TASKS.c.id).where(_is_old(before))
        found = connection.execute(chosen.order_by(TASKS.c.number)).all()
    tasks: dict[str, set[str]] = {}
    for repository, task in found:
        tasks.setdefault(repository, set()).add(task)
    changed: list[str] = []
    failed: list[str] = []
    for url, names in tasks.items():
        try:
            changed += _clean_repository(engine, Repository(cache, url), names, before=before)
        except UserError as error:
            failed.append(error.message)
    note = f"the rounds of {pluralize(len(changed), 'task')} are removed"
    return QueueChange(changed=tuple(changed), note="; ".join((note, *failed)))


def _is_old(before: str) -> sa.ColumnElement[bool]:
    return sa.and_(TASKS.c.state.in_(("ended", "cancelled")), TASKS.c.updated_at < before)


def _clean_repository(
    engine: sa.Engine, repository: Repository, names: set[str], *, before: str
) -> list[str]:
    """Return the tasks whose rounds were there.

    The refs are listed first: those that a retry makes meanwhile are not among them.
    """
    repository.prepare()
    prefix, _, _ = get_work_pattern("").rpartition("/")
    listed: dict[str, list[str]] = {}
    for ref in repository.list_refs(f"{prefix}/*"):
        task = ref.removeprefix(f"{prefix}/").partition("-")[0]
        if task in names:
            listed.setdefault(task, []).append(ref)
    removed = [task for task in listed if _forget_rounds(engine, task, before=before)]
    refs = [ref for task in removed for ref in listed[task]]
    for start in range(0, len(refs), _BATCH):
        repository.remove_refs(refs[start : start + _BATCH])
    return removed


def _forget_rounds(engine: sa.Engine, task: str, *, before: str) -> bool:
    """Let a later retry begin anew; return False if one was asked for meanwhile."""
    still_old = sa.exists().where(TASKS.c.id == task, _is_old(before))
    with engine.begin() as connection:
        forgotten = sa.update(STEPS).where(STEPS.c.task == task, still_old).values(data="")
        return bool(connection.execute(forgotten).rowcount)
