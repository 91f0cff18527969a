"""Which task comes after which."""

import pytest

from features.plans.samples import plan, task
from untildone.features.plans.order import (
    OpenTasks,
    find_critical_path,
    find_cycles,
    find_order_mistakes,
    group_open_tasks,
    sort_by_dependency,
)
from untildone.features.plans.plan import Mistake, Task


def test_a_task_is_ready_when_all_it_depends_on_is_completed() -> None:
    tasks = plan(
        A=task(status="completed"),
        B=task("A"),
        C=task("B"),
        D=task(status="in_progress"),
        E=task("A", "D"),
    ).tasks

    assert group_open_tasks(tasks) == OpenTasks(
        ready=("B",), in_progress=("D",), blocked=("C", "E")
    )


def test_tasks_stand_behind_what_they_depend_on() -> None:
    assert sort_by_dependency(plan(A=task("C"), B=task(), C=task("B", "B")).tasks) == (
        "B",
        "C",
        "A",
    )


@pytest.mark.parametrize(
    ("tasks", "expected"),
    [
        pytest.param({"A": task(), "B": task("A")}, (), id="none"),
        pytest.param({"A": task("A")}, (("A",),), id="itself"),
        pytest.param(
            {"A": task("C"), "B": task("A"), "C": task("B"), "D": task("A")},
            (("A", "C", "B"),),
            id="three, and one that only waits for them",
        ),
        pytest.param(
            {"A": task("B"), "B": task("A"), "C": task("D"), "D": task("C")},
            (("A", "B"), ("C", "D")),
            id="two of them",
        ),
        pytest.param({"X": task("A"), "A": task("B"), "B": task("A")}, (("A", "B"),), id="led to"),
    ],
)
def test_cycles_are_named_in_order(
    tasks: dict[str, Task], expected: tuple[tuple[str, ...], ...]
) -> None:
    assert find_cycles(tasks) == expected


@pytest.mark.parametrize(
    ("tasks", "expected"),
    [
        pytest.param({}, (), id="empty"),
        pytest.param({"A": task(points=2)}, ("A",), id="one"),
        pytest.param(
            {"A": task(points=1), "B": task("A", points=8), "C": task("A", points=5)},
            ("A", "B"),
            id="the one with more points",
        ),
        pytest.param({"A": task("A", points=8), "B": task(points=1)}, ("B",), id="no cycle in it"),
    ],
)
def test_the_critical_path_has_the_most_points(
    tasks: dict[str, Task], expected: tuple[str, ...]
) -> None:
    assert find_critical_path(tasks) == expected


def test_what_has_no_order_is_reported_all_at_once() -> None:
    tasks = plan(A=task("Z"), B=task("C"), C=task("B")).tasks

    assert list(find_order_mistakes(tasks)) == [
        Mistake(
            task="A",
            text="`depends_on` names `Z`, which is not a task of this plan",
            remedy="correct the id, or take it out of `depends_on`",
        ),
        Mistake(
            task="B",
            text="depends on itself: `B` → `C` → `B`",
            remedy="take one of them out of the `depends_on` of another, such as `C`",
        ),
    ]


def test_many_cycles_and_long_chains_end_soon() -> None:
    chain = {f"T{number}": task(f"T{number - 1}") for number in range(1, 10_000)}
    rings = {f"R{number}": task(f"R{number ^ 1}") for number in range(10_000)}

    assert len(find_cycles({"T0": task(), **chain, **rings})) == 5_000
    assert len(find_critical_path({"T0": task(), **chain})) == 10_000
