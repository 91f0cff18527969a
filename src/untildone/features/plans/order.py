"""The order of a plan's tasks by their `depends_on`.

Every function takes the tasks by id and answers with ids: which tasks can start, which order
respects all dependencies, which tasks depend on each other in a cycle, which chain has the most
points. `find_order_mistakes` says why a plan has no valid order.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter

from msgspec import Struct

from untildone.features.plans.plan import Mistake, Task

Tasks = Mapping[str, Task]


class OpenTasks(Struct, frozen=True, kw_only=True):
    """The ids of the tasks that are not completed, by whether work on them can start."""

    # Not started, and everything they depend on is completed.
    ready: tuple[str, ...] = ()
    in_progress: tuple[str, ...] = ()
    # Not started, and they depend on a task that is not completed.
    blocked: tuple[str, ...] = ()


def group_open_tasks(tasks: Tasks) -> OpenTasks:
    """Return the tasks that are not completed, each group in the plan's order."""
    completed = {name for name, task in tasks.items() if task.status == "completed"}
    not_started = [name for name, task in tasks.items() if task.status == "not_started"]
    ready = [name for name in not_started if completed.issuperset(tasks[name].depends_on)]
    blocked = [name for name in not_started if not completed.issuperset(tasks[name].depends_on)]
    return OpenTasks(
        ready=tuple(ready),
        in_progress=tuple(name for name, task in tasks.items() if task.status == "in_progress"),
        blocked=tuple(blocked),
    )


def sort_by_dependency(tasks: Tasks) -> tuple[str, ...]:
    """Return the ids so that every task follows those it depends on.

    Tasks in a cycle, and tasks that depend on one in a cycle, are left out.
    """
    # All tasks are added first so that independent ones keep the plan's order.
    sorter = TopologicalSorter(dict.fromkeys(tasks, ()))
    for name, task in tasks.items():
        sorter.add(name, *(other for other in task.depends_on if other in tasks))
    # After this error the sorter still gives the tasks that depend on no cycle.
    with suppress(CycleError):
        sorter.prepare()
    ordered: list[str] = []
    while batch := sorter.get_ready():
        ordered += batch
        sorter.done(*batch)
    return tuple(ordered)


def find_cycles(tasks: Tasks) -> tuple[tuple[str, ...], ...]:
    """Return cycles of dependencies, no task in two of them; none only if there is no cycle.

    `("A", "B")` means: A depends on B, and B on A. Of cycles that share a task one is returned.
    """
    unsorted = tasks.keys() - set(sort_by_dependency(tasks))
    # Every unsorted task depends on another unsorted one, so following these ends in a cycle.
    dependency = {
        name: next(other for other in tasks[name].depends_on if other in unsorted)
        for name in tasks
        if name in unsorted
    }
    visited: set[str] = set()
    cycles: list[tuple[str, ...]] = []
    for first in dependency:
        positions: dict[str, int] = {}
        name = first
        while name not in visited:
            visited.add(name)
            positions[name] = len(positions)
            name = dependency[name]
        # A task of this walk was reached again: the cycle is the walk from there on.
        if name in positions:
            cycles.append(tuple(positions)[positions[name] :])
    return tuple(cycles)


def find_critical_path(tasks: Tasks) -> tuple[str, ...]:
    """Return the chain of dependent tasks whose points have the largest sum, first task first."""
    predecessor: dict[str, str] = {}
    # The largest sum of points of a chain that ends with the task.
    chain_points: dict[str, int] = {}
    for name in sort_by_dependency(tasks):
        sorted_before = [other for other in tasks[name].depends_on if other in chain_points]
        longest = max(sorted_before, key=chain_points.__getitem__, default="")
        if longest:
            predecessor[name] = longest
        chain_points[name] = tasks[name].points + chain_points.get(longest, 0)
    end = max(chain_points, key=chain_points.__getitem__, default="")
    path = [end] if end else []
    while path and path[-1] in predecessor:
        path.append(predecessor[path[-1]])
    return tuple(reversed(path))


def find_order_mistakes(tasks: Tasks) -> Iterator[Mistake]:
    """Yield a mistake for each unknown id in `depends_on` and for each cycle found."""
    listed: set[str] = set()
    depends_on_later_task = False
    for name, task in tasks.items():
        depends_on_later_task = depends_on_later_task or not listed.issuperset(task.depends_on)
        listed.add(name)
        for other in task.depends_on:
            if other not in tasks:
                yield Mistake(
                    task=name,
                    text=f"`depends_on` names `{other}`, which is not a task of this plan",
                    remedy="correct the id, or take it out of `depends_on`",
                )
    # Without a dependency on a later task there is no cycle.
    for cycle in find_cycles(tasks) if depends_on_later_task else ():
        chain = " → ".join(f"`{name}`" for name in (*cycle, cycle[0]))
        yield Mistake(
            task=cycle[0],
            text=f"depends on itself: {chain}",
            remedy=f"take one of them out of the `depends_on` of another, such as `{cycle[-1]}`",
        )


def list_startable(
    tasks: Tasks, *, completed: Collection[str], excluded: Collection[str]
) -> list[str]:
    """Return the tasks that a run of the plan can start now, in the plan's order.

    A task that the plan calls `in_progress` is among them: a run takes it up again. `completed`
    are completed by the run, in addition to those that the plan calls so; `excluded` are left
    out, such as the tasks another worker has.
    """
    all_completed = {
        *completed,
        *(name for name, task in tasks.items() if task.status == "completed"),
    }
    return [
        name
        for name, task in tasks.items()
        if name not in all_completed
        and name not in excluded
        and all_completed.issuperset(task.depends_on)
    ]


def list_uncompleted(tasks: Tasks, *, completed: Collection[str]) -> tuple[str, ...]:
    """Return the tasks that neither the plan nor `completed` calls completed."""
    return tuple(
        name for name, task in tasks.items() if task.status != "completed" and name not in completed
    )
