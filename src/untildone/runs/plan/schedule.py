"""Which tasks of a plan can be worked on now."""

from collections.abc import Collection, Mapping

from untildone.features.plans.plan import Task


def list_ready(
    tasks: Mapping[str, Task], *, finished: Collection[str], taken: Collection[str]
) -> list[str]:
    """Return ready tasks in the plan's order; `taken` are in progress or given up."""
    done = {*finished, *(name for name, task in tasks.items() if task.status == "completed")}
    return [
        name
        for name, task in tasks.items()
        if name not in done and name not in taken and done.issuperset(task.depends_on)
    ]


def list_left(tasks: Mapping[str, Task], *, finished: Collection[str]) -> tuple[str, ...]:
    return tuple(
        name for name, task in tasks.items() if task.status != "completed" and name not in finished
    )
