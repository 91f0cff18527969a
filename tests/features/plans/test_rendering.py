"""TASKS.md, and where a plan lies."""

from pathlib import Path

import pytest

from features.plans.samples import document, plan, task, write_plan
from untildone.errors import UserError
from untildone.features.plans.plan_file import find_plan
from untildone.features.plans.rendering import render_markdown

LOGIN_MD = """# Tasks: login

<!-- written by `untildone plan render`; changes made here are lost -->

- 1 of 3 tasks completed
- 3 of 9 points
- critical path: TASK-001 → TASK-003

## Phase 1: Foundation

### [x] TASK-001: Users table

3 points; blocks TASK-002, TASK-003; references REQ-001, Section 7.1

**Acceptance criteria**

- [x] The table has a unique e-mail

**Testing**

- Run migration: npm run db:migrate

Write the migration.

## Phase 2: Surface

### [ ] TASK-002: Form

1 point; depends on TASK-001

**Acceptance criteria**

- [ ] It looks nice

Write the form.

### [ ] TASK-003: Route

5 points; depends on TASK-001

**Acceptance criteria**

- [ ] `npm test` exits 0

Write the route.
"""


def test_a_plan_is_rendered(tmp_path: Path) -> None:
    assert render_markdown(document(tmp_path).plan) == LOGIN_MD


def test_a_bare_plan_is_rendered() -> None:
    text = render_markdown(
        plan(A=task(points=8, status="in_progress", phase=4), B=task(title="a\n# b"))
    )

    assert "- over 5 points, better split: A\n" in text
    assert "## Phase 4\n\n### [~] A: Something\n" in text
    assert "### [ ] B: a # b\n" in text
    assert render_markdown(plan()).startswith("# Tasks: login\n")


def test_a_plan_is_found_upward_to_the_top_of_the_repository(tmp_path: Path) -> None:
    top = tmp_path / "project"
    below = top / "a" / "b"
    below.mkdir(parents=True)
    write_plan(tmp_path)
    top.joinpath(".git").mkdir()

    with pytest.raises(UserError) as caught:
        find_plan(below)
    assert caught.value.message == f"there is no plan in `{below}`"
    assert find_plan(tmp_path) == tmp_path / "TASKS.json"
    own = write_plan(top)
    assert find_plan(below) == own


def test_a_plan_of_shipspec_is_found_and_several_are_listed(tmp_path: Path) -> None:
    one = tmp_path / ".shipspec" / "planning" / "one"
    one.mkdir(parents=True)
    first = write_plan(one)
    assert find_plan(tmp_path) == first
    second = write_plan(tmp_path)

    with pytest.raises(UserError) as caught:
        find_plan(tmp_path)

    assert caught.value.message == f"there are several plans: `{second}`, `{first}`"
