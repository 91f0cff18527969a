"""What a plan must keep to."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from features.plans.samples import document, plan, task
from untildone.features.plans.plan import Mistake, Phase, Plan, Summary
from untildone.features.plans.plan_rules import (
    check_references,
    check_rules,
    correct_summary,
    derive_blocks,
    find_large_tasks,
    summarize,
)

FIX = "run `untildone plan validate --fix`"


def sum_points(found: Plan) -> Plan:
    return replace(found, summary=summarize(found.tasks))


def test_a_good_plan_has_no_mistakes(tmp_path: Path) -> None:
    assert check_rules(document(tmp_path).plan) == ()


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param(
            plan(**{"a b": task()}),
            ["`a b`: is not a valid id: up to 64 letters, digits, `.`, `_` and `-`"],
            id="id",
        ),
        pytest.param(plan(A=task(title=" ")), ["`A`: has no title"], id="title"),
        pytest.param(plan(A=task(points=4)), ["`A`: has 4 points"], id="points"),
        pytest.param(plan(A=task(points=0)), ["`A`: has no points"], id="no points"),
        pytest.param(
            plan(A=task(acceptance_criteria=(" ",))),
            ["`A`: has no acceptance criterion"],
            id="criteria",
        ),
        pytest.param(plan(A=task(allow=("all:x",))), ["`A`: `allow` has `all:x`"], id="allow"),
        pytest.param(plan(A=task(allow=("config:a.toml",))), [], id="allowed"),
        pytest.param(
            plan(A=task(status="in_progress"), B=task(status="in_progress")),
            ["`B`: `A`, `B` are in progress at once"],
            id="two in progress",
        ),
        pytest.param(
            plan(
                A=task(status="in_progress", worker="x"),
                B=task(status="in_progress", worker="x"),
                C=task(status="in_progress", worker="y"),
            ),
            ["`B`: `A`, `B` are in progress for `x`"],
            id="one a worker",
        ),
        pytest.param(
            plan(A=task("Q")),
            ["`A`: `depends_on` names `Q`, which is not a task of this plan"],
            id="reference",
        ),
        pytest.param(plan(), ["it has no task"], id="empty"),
        pytest.param(plan(A=task(prompt=" ")), ["`A`: has no prompt"], id="prompt"),
        pytest.param(
            replace(plan(A=task()), version="2"),
            ["`version` is `2`, which is unknown"],
            id="version",
        ),
        pytest.param(
            plan(A=task(), B=task("A", "Q", status="completed")),
            [
                "`B`: `depends_on` names `Q`, which is not a task of this plan",
                "`B`: is completed, but `A`, which it needs, is not started",
            ],
            id="completed too early",
        ),
        pytest.param(
            plan(A=task(status="completed"), B=task("A", status="in_progress")),
            [],
            id="begun in order",
        ),
    ],
)
def test_mistakes(found: Plan, expected: list[str]) -> None:
    mistakes = check_rules(sum_points(found))

    assert [str(mistake) for mistake in mistakes] == expected
    assert all(mistake.remedy and not mistake.warning for mistake in mistakes)


def test_a_phase_must_be_one_of_the_plan() -> None:
    phases = (Phase(id=1, name="one"), Phase(id="two"))
    found = sum_points(
        replace(plan(A=task(phase=1), B=task(phase=3), C=task(phase="two")), phases=phases)
    )

    assert check_rules(found) == (
        Mistake(
            task="B",
            text="`phase` is `3`, which is not a phase of this plan",
            remedy="one of `1`, `two`",
        ),
    )


def test_a_wrong_summary_and_wrong_blocks_are_warnings() -> None:
    found = replace(
        plan(A=task(points=2, blocks=("B", "C")), B=task("A"), C=task()),
        summary=Summary(total_tasks=3, total_points=1, critical_path=("A", "C")),
    )

    assert check_rules(found) == (
        Mistake(
            task="A",
            text="`blocks` and the `depends_on` of others differ about `C`",
            remedy=FIX,
            warning=True,
        ),
        Mistake(text="`summary.total_points` is 1, not 4", remedy=FIX, warning=True),
        Mistake(text="`summary.critical_path` is `A, C`, not `A, B`", remedy=FIX, warning=True),
    )


@pytest.mark.parametrize(
    ("path", "right"),
    [(("A", "B"), True), (("A", "C"), True), (("B", "C"), False), (("A",), False), (("Z",), False)],
)
def test_any_chain_as_long_as_the_longest_is_a_critical_path(
    path: tuple[str, ...], right: bool
) -> None:
    found = plan(A=task(), B=task("A"), C=task("A"))
    said = replace(found, summary=Summary(total_tasks=3, total_points=3, critical_path=path))

    assert (correct_summary(said) is None) is right


def test_large_tasks_are_those_over_five_points_that_are_not_done() -> None:
    tasks = plan(A=task(points=8), B=task(points=5), C=task(points=8, status="completed")).tasks

    assert find_large_tasks(tasks) == ("A",)


def test_blocks_follow_from_the_dependencies() -> None:
    assert derive_blocks(plan(A=task(), B=task("A", "A", "Z")).tasks) == {"A": ["B"], "B": []}


PRD = """\
# Needs

## REQ-001: Sign in

REQ-0021 is another one.
"""
SDD = """\
# Design

## 7. Data

### 7.1 Tables

## Error  handling
"""


@pytest.mark.parametrize(
    ("references", "missing"),
    [
        (("REQ-001",), []),
        (("REQ-002",), ["REQ-002"]),
        (("req-001",), []),
    ],
)
def test_requirements_are_looked_up_in_the_prd(
    references: tuple[str, ...], missing: list[str]
) -> None:
    found = check_references(plan(A=task(prd_refs=references)), prd=PRD, sdd=None)

    assert [str(each) for each in found] == [
        f"`A`: `prd_refs` names `{name}`, which is not in `PRD.md`" for name in missing
    ]


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("Section 7.1", True),
        ("§7", True),
        ("7.2", False),
        ("Error handling", True),
        ("error Handling", True),
        ("Caching", False),
        ("SDD-7", False),
        ("", False),
    ],
)
def test_sections_are_looked_up_in_the_sdd_by_title_or_number(reference: str, found: bool) -> None:
    mistakes = list(check_references(plan(A=task(sdd_refs=(reference,))), prd=None, sdd=SDD))

    assert (mistakes == []) is found


def test_references_without_their_file_are_one_warning() -> None:
    both = plan(A=task(prd_refs=("REQ-001",)), B=task(prd_refs=("REQ-002",)))

    assert list(check_references(both, prd=None, sdd=None)) == [
        Mistake(
            text="`prd_refs` cannot be looked up: there is no `PRD.md` beside the plan",
            remedy="write `PRD.md`, or take out the references",
            warning=True,
        )
    ]
