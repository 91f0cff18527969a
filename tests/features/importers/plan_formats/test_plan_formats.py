"""Other tools' task lists, read into tasks of ours."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets import snippet
from untildone.errors import UserError
from untildone.features.importers.plan_formats import PLAN_FORMATS, read_foreign_plan
from untildone.features.importers.plan_formats.plan_format import ImportedPlan, chain_tasks
from untildone.features.plans.plan import Task, TaskStatus

POINTS = "the file has no estimates: each task has 3 points"
CRITERIA = "a task without criteria has its title as the only one"

SNARKTANK = """{"project": "Shop", "branchName": "ralph/shop", "description": "d", "userStories": [
 {"id": "US-002", "title": "Cart", "description": "As a buyer", "priority": 2, "passes": false,
  "acceptanceCriteria": ["Typecheck passes"], "notes": "small"},
 {"id": "US-001", "title": "List", "description": "", "priority": 1, "passes": true,
  "acceptanceCriteria": ["`npm test` exits 0"], "notes": ""}]}"""
RALPH_TUI = """{"name": "Shop", "userStories": [
 {"id": "a", "title": "One", "acceptanceCriteria": ["x"]},
 {"id": "b", "title": "Two", "dependsOn": ["a", "gone"], "labels": ["ui"]}]}"""
STORIES = """{"version": 1, "qualityGates": ["make test"], "stories": [
 {"id": "s 1", "title": "One", "status": "done", "dependsOn": [], "acceptanceCriteria": ["x"]}]}"""
HOPE = """# Dates

Some words.

### T-001: Parse dates
<!-- task
id: T-001
blockedBy: []
parallel: true
-->

Use the library.

**Acceptance Criteria:**
- [x] File `a.py` contains `parse`

## T-002: Show them

<!-- task
blockedBy: [T-001]
-->

- [x] `make test` exits 0
- [ ] It looks nice

## Later
"""
RALPHEX = """# Plan: Dates

## Validation Commands
- `make test`
- `make lint` (no warnings)
- by hand

### Task 1: Parse
Read the standard.
- [x] iso
```
- [ ] not a box
```

### Task 2: Show
- [ ] page
"""
FIX_PLAN = """# Fix plan

## High
- [ ] Parse dates
  - [ ] iso
- [x] Read files
- [NOTE] no box
- [2026-01-01] no box

## Future
- [ ] Colours
"""
ISSUE = {
    "id": "bd-2",
    "title": "Two",
    "description": "d",
    "design": "e",
    "status": "in_progress",
    "priority": 1,
    "acceptance_criteria": "- [ ] a\n\nb",
    "dependencies": [
        {"issue_id": "bd-2", "depends_on_id": "bd-1", "type": "blocks"},
        {"issue_id": "bd-2", "depends_on_id": "bd-9", "type": "related"},
        3,
    ],
}
BEADS = f"""{json.dumps(ISSUE)}

{{"id": "bd-1", "title": "old", "status": "open", "priority": 0}}
{{"id": "bd-1", "title": "One", "status": "closed", "priority": 0}}
{{"id": "bd-3", "title": "Gone", "status": "tombstone"}}
{{"id": "bd-4", "title": "Four", "blocked_by": ["bd-2"], "acceptance_criteria": ["x"]}}
"""
CHECK_LIST = """## Release 2

1. [x] Tag it
* [ ] Announce it
    - [ ] on the list
    - [ ] in the blog

Some words.
"""


@pytest.mark.parametrize("blockers", ['"a"', "5", "null", '{"a": 1}', '[3, ""]'])
def test_blockers_of_beads_that_are_no_list_of_ids_block_nothing(blockers: str) -> None:
    text = f'{{"id": "a", "title": "A"}}\n{{"id": "b", "title": "B", "blocked_by": {blockers}}}\n'

    assert read_foreign_plan("issues.jsonl", text.encode()).tasks["b"].depends_on == ()


def tasks(**known: Task) -> dict[str, Task]:
    return {name.replace("_", "-"): task for name, task in known.items()}


def task(title: str, *criteria: str, **more: Any) -> Task:  # noqa: ANN401  any field
    fields = {"prompt": title, "acceptance_criteria": criteria or (title,), **more}
    return Task(title=title, phase=1, points=3, **fields)


def test_a_task_done_out_of_order_waits_for_none() -> None:
    titles: dict[str, TaskStatus] = {
        "a": "completed",
        "b": "not_started",
        "c": "completed",
        "d": "not_started",
    }

    chained = chain_tasks(
        (name, Task(title=name, status=status)) for name, status in titles.items()
    )

    assert [task.depends_on for _, task in chained] == [(), ("a",), (), ("b",)]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        pytest.param(
            "scripts/ralph/prd.json",
            SNARKTANK,
            ImportedPlan(
                feature="Shop",
                tasks=tasks(
                    US_001=task("List", "`npm test` exits 0", status="completed"),
                    US_002=task(
                        "Cart",
                        "Typecheck passes",
                        depends_on=("US-001",),
                        prompt="As a buyer\n\nsmall",
                    ),
                ),
                notes=("no story names another: each depends on the one before", POINTS),
            ),
            id="snarktank",
        ),
        pytest.param(
            "prd.json",
            RALPH_TUI,
            ImportedPlan(
                feature="Shop",
                tasks=tasks(a=task("One", "x"), b=task("Two", depends_on=("a",))),
                notes=(POINTS, CRITERIA),
            ),
            id="ralph-tui",
        ),
        pytest.param(
            "prd.json",
            STORIES,
            ImportedPlan(
                tasks=tasks(s_1=task("One", "x", status="completed", checks=("make test",))),
                notes=(POINTS,),
            ),
            id="iannuttall",
        ),
        pytest.param(
            "PRD.md",
            HOPE,
            ImportedPlan(
                feature="Dates",
                tasks=tasks(
                    T_001=task(
                        "Parse dates",
                        "File `a.py` contains `parse`",
                        status="completed",
                        prompt="Use the library.\n\n**Acceptance Criteria:**",
                    ),
                    T_002=task(
                        "Show them",
                        "`make test` exits 0",
                        "It looks nice",
                        depends_on=("T-001",),
                    ),
                ),
                notes=(POINTS,),
            ),
            id="hope",
        ),
        pytest.param(
            "docs/plans/dates.md",
            RALPHEX,
            ImportedPlan(
                feature="Dates",
                tasks=tasks(
                    TASK_001=task(
                        "Parse",
                        "iso",
                        status="completed",
                        checks=("make test", "make lint"),
                        prompt=snippet("""
                            Read the standard.
                            ```
                            - [ ] not a box
                            ```"""),
                    ),
                    TASK_002=task(
                        "Show", "page", depends_on=("TASK-001",), checks=("make test", "make lint")
                    ),
                ),
                notes=(
                    "each task depends on the one before",
                    "2 validation commands became checks of every task",
                    POINTS,
                ),
            ),
            id="ralphex",
        ),
        pytest.param(
            ".ralph/fix_plan.md",
            FIX_PLAN,
            ImportedPlan(
                tasks=tasks(
                    TASK_001=task("Parse dates", "iso"),
                    TASK_002=task("Read files", status="completed"),
                ),
                notes=(
                    "1 boxes below headings such as `Optional` are left out",
                    POINTS,
                    CRITERIA,
                ),
            ),
            id="fix_plan",
        ),
        pytest.param(
            ".beads/issues.jsonl",
            BEADS,
            ImportedPlan(
                tasks=tasks(
                    bd_1=task("One", status="completed"),
                    bd_2=task("Two", "a", "b", depends_on=("bd-1",), prompt="d\n\ne"),
                    bd_4=task("Four", "x", depends_on=("bd-2",)),
                ),
                notes=("tasks in progress there are not started here", POINTS, CRITERIA),
            ),
            id="beads",
        ),
        pytest.param(
            "TODO.md",
            CHECK_LIST,
            ImportedPlan(
                feature="Release 2",
                tasks=tasks(
                    TASK_001=task("Tag it", status="completed"),
                    TASK_002=task("Announce it", "on the list", "in the blog"),
                ),
                notes=(POINTS, CRITERIA),
            ),
            id="check list",
        ),
    ],
)
def test_a_plan_of_each_tool(path: str, text: str, expected: ImportedPlan) -> None:
    assert read_foreign_plan(path, text.encode()) == expected


def test_a_long_title_becomes_a_valid_id() -> None:
    title = f"{'x' * 63} and more"
    found = read_foreign_plan("prd.json", json.dumps({"stories": [{"title": title}]}).encode())

    # Cut after 64 characters it would end with a hyphen, which no id may.
    assert list(found.tasks) == ["x" * 63]


def test_a_heading_without_an_id_names_its_task() -> None:
    found = read_foreign_plan("p.md", b"### Dates\n<!-- task -->\nx\n### Task 2\n")

    assert list(found.tasks) == ["Dates"]
    assert read_foreign_plan("p.md", b"### Task 2\n").tasks["TASK-002"].title == "Task 2"
    assert read_foreign_plan("p.md", b"- [ ] a\n").feature == ""


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("a.rst", "- [ ] a", "`a.rst` is not a known kind of plan"),
        ("a.md", "no boxes", "`a.md` is not a known kind of plan"),
        ("prd.json", "{}", "`prd.json` has no `userStories`"),
        ("prd.json", '{"stories": [1]}', "`prd.json`: story 1 is not an object"),
        ("prd.json", '{"stories": []}', "`prd.json` has no task"),
        (
            "prd.json",
            '{"stories": [{"id": "a"}, {"id": "a"}]}',
            "`prd.json`: `a` appears twice",
        ),
        (
            "prd.json",
            '{"stories": [{"id": "a b"}, {"id": "a-b"}]}',
            "`prd.json`: two ids differ only in punctuation",
        ),
        ("i.jsonl", '{"id": "a"}\n[]', "`i.jsonl`, line 2: is not a JSON object"),
        ("fix_plan.md", "# nothing", "`fix_plan.md` has no task"),
    ],
)
def test_what_cannot_be_a_plan_is_reported(path: str, text: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        read_foreign_plan(path, text.encode())

    assert (caught.value.message, bool(caught.value.hint)) == (message, True)


def test_ids_that_cannot_be_ours_are_numbered() -> None:
    text = json.dumps({"stories": [{"id": "é", "title": "x"}, {"title": "äö"}]})

    assert list(read_foreign_plan("prd.json", text.encode()).tasks) == ["TASK-001", "TASK-002"]


def test_a_format_may_be_named() -> None:
    assert list(read_foreign_plan("notes", b"- [ ] a", kind="check-list").tasks) == ["TASK-001"]


@pytest.mark.parametrize("kind", PLAN_FORMATS)
@given(
    noise=st.binary(max_size=200),
    sample=st.sampled_from([SNARKTANK, HOPE, RALPHEX, BEADS, FIX_PLAN]),
    at=st.integers(0, 500),
)
def test_any_bytes_are_a_plan_or_a_mistake(kind: str, noise: bytes, sample: str, at: int) -> None:
    data = sample.encode()
    for each in (noise, data[:at] + noise + data[at:], data[at:]):
        with suppress(UserError):
            assert read_foreign_plan("a.md", each, kind=kind).tasks
