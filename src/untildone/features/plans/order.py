"""The order of tasks by their dependencies: ready tasks, cycles, the critical path."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter

from msgspec import Struct

from untildone.features.plans.plan import Mistake, Task

Tasks = Mapping[str, Task]


class OpenTasks(Struct, frozen=True, kw_only=True):
    """The ids of the tasks that are not completed."""

    ready: tuple[str, ...] = ()
    in_progress: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()


def group_open_tasks(tasks: Tasks) -> OpenTasks:
    completed = {name for name, task in tasks.items() if task.status == "completed"}
    waiting = [name for name, task in tasks.items() if task.status == "not_started"]
    ready = [name for name in waiting if completed.issuperset(tasks[name].depends_on)]
    free = set(ready)
    return OpenTasks(
        ready=tuple(ready),
        in_progress=tuple(name for name, task in tasks.items() if task.status == "in_progress"),
        blocked=tuple(name for name in waiting if name not in free),
    )


def sort_by_dependency(tasks: Tasks) -> tuple[str, ...]:
    """Every task after those it depends on, otherwise in the plan's order, without cycles."""
    sorter = TopologicalSorter(dict.fromkeys(tasks, ()))
    for name, task in tasks.items():
        sorter.add(name, *(other for other in task.depends_on if other in tasks))
    # After this error the sorter still gives the tasks that depend on no cycle.
    with suppress(CycleError):
        sorter.prepare()
    found: list[str] = []
    while ready := sorter.get_ready():
        found += ready
        sorter.done(*ready)
    return tuple(found)


def find_cycles(tasks: Tasks) -> tuple[tuple[str, ...], ...]:
    """Each cycle in order: a task comes before the one it depends on."""
    left = tasks.keys() - set(sort_by_dependency(tasks))
    # Every task left depends on another one left, so following these always ends in a cycle.
    following = {
        name: next(other for other in tasks[name].depends_on if other in left)
        for name in tasks
        if name in left
    }
    seen: set[str] = set()
    found: list[tuple[str, ...]] = []
    for start in following:
        walked: dict[str, int] = {}
        name = start
        while name not in seen:
            seen.add(name)
            walked[name] = len(walked)
            name = following[name]
        if name in walked:
            found.append(tuple(walked)[walked[name] :])
    return tuple(found)


def find_critical_path(tasks: Tasks) -> tuple[str, ...]:
    """The chain of tasks with the most points."""
    before: dict[str, str] = {}
    reach: dict[str, int] = {}
    for name in sort_by_dependency(tasks):
        known = [other for other in tasks[name].depends_on if other in reach]
        longest = max(known, key=reach.__getitem__, default="")
        if longest:
            before[name] = longest
        reach[name] = tasks[name].points + reach.get(longest, 0)
    end = max(reach, key=reach.__getitem__, default="")
    path = [end] if end else []
    while path and path[-1] in before:
        path.append(before[path[-1]])
    return tuple(reversed(path))


def check_order(tasks: Tasks) -> Iterator[Mistake]:
    """The mistakes because of which the tasks have no order."""
    before: set[str] = set()
    forward = False
    for name, task in tasks.items():
        forward = forward or not before.issuperset(task.depends_on)
        before.add(name)
        for other in task.depends_on:
            if other not in tasks:
                yield Mistake(
                    task=name,
                    text=f"`depends_on` names `{other}`, which is not a task of this plan",
                    remedy="correct the id, or take it out of `depends_on`",
                )
    # Without a dependency on a later task there is no cycle.
    for cycle in find_cycles(tasks) if forward else ():
        chain = " → ".join(f"`{name}`" for name in (*cycle, cycle[0]))
        yield Mistake(
            task=cycle[0],
            text=f"depends on itself: {chain}",
            remedy=f"take one of them out of the `depends_on` of another, such as `{cycle[-1]}`",
        )


def list_ready(tasks: Tasks, *, finished: Collection[str], taken: Collection[str]) -> list[str]:
    """The tasks that can be worked on now, in the plan's order, without those `taken`.

    `finished` are completed in addition to those that the plan calls so.
    """
    done = {*finished, *(name for name, task in tasks.items() if task.status == "completed")}
    return [
        name
        for name, task in tasks.items()
        if name not in done and name not in taken and done.issuperset(task.depends_on)
    ]


def list_left(tasks: Tasks, *, finished: Collection[str]) -> tuple[str, ...]:
    return tuple(
        name for name, task in tasks.items() if task.status != "completed" and name not in finished
    )
