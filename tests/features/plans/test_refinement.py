"""A large task divided into smaller ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from features.plans.samples import LOGIN, document
from untildone.errors import UserError
from untildone.features.plans.plan_file import read_plan
from untildone.features.plans.plan_rules import check_rules
from untildone.features.plans.refinement import correct_blocks, split_task

ROUTE = '"depends_on": ["TASK-001"]'
LARGE = (
    ROUTE.join(LOGIN.split(ROUTE)[:2])
    + '"depends_on": ["TASK-001", "TASK-002"]'
    + LOGIN.split(ROUTE)[2]
)


def part(*needs: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401  any field
    return {
        "title": "P",
        "points": 2,
        "acceptance_criteria": ["x"],
        "prompt": "p",
        "depends_on": [*needs],
        **more,
    }


def test_parts_take_the_place_of_the_whole(tmp_path: Path) -> None:
    parts = {
        "P1": part("TASK-001", status="completed"),
        "P2": part("P1", prd_refs=["REQ-009"]),
        "P3": part("P1"),
    }

    after = split_task(document(tmp_path, LARGE), "TASK-002", parts)

    tasks = json.loads(after)["tasks"]
    assert list(tasks) == ["TASK-001", "P1", "P2", "P3", "TASK-003"]
    assert {name: task["depends_on"] for name, task in tasks.items()} == {
        "TASK-001": [],
        "P1": ["TASK-001"],
        "P2": ["P1"],
        "P3": ["P1"],
        "TASK-003": ["TASK-001", "P2", "P3"],
    }
    assert tasks["P1"]["status"] == "not_started"
    assert tasks["P2"] == {**part("P1", prd_refs=["REQ-009"]), "status": "not_started", "phase": 2}
    assert tasks["TASK-001"]["blocks"] == ["P1", "TASK-003"]
    assert tasks["TASK-001"]["notes"] == "keep me — é"
    assert json.loads(after)["summary"]["total_points"] == 14


def test_what_comes_out_is_a_plan_without_mistakes(tmp_path: Path) -> None:
    after = split_task(document(tmp_path, LARGE), "TASK-002", {"P1": part(), "TASK-002": part()})
    path = tmp_path / "after.json"
    path.write_text(after, encoding="utf-8")

    assert check_rules(read_plan(path, all_mistakes=True).plan) == ()


@pytest.mark.parametrize(
    ("name", "parts", "message"),
    [
        ("TASK-001", {"A": part(), "B": part()}, "`TASK-001` is completed and cannot be split"),
        (
            "TASK-002",
            {"TASK-003": part(), "B": part()},
            "`TASK-003` is already a task of this plan",
        ),
        ("TASK-002", {"A": part()}, "one part does not split `TASK-002`"),
        ("TASK-002", {"A": part(points=8), "B": part()}, "`A` has 8 points, more than 5"),
        ("TASK-009", {}, "is not a task of"),
        ("TASK-002", {"A": part("B"), "B": part("A")}, "depends on itself: `A` → `B` → `A`"),
        (
            "TASK-002",
            {"A": part(points=None), "B": part()},
            "`A`: expected `int`, got `null` - at `$.points`",
        ),
        ("TASK-002", {"A": {}, "B": part()}, "`A`: object missing required field `title`"),
        ("TASK-002", {"A": part("Z"), "B": part()}, "`A`: `depends_on` names `Z`"),
    ],
)
def test_parts_that_do_not_fit_are_refused(
    tmp_path: Path, name: str, parts: dict[str, dict[str, Any]], message: str
) -> None:
    with pytest.raises(UserError) as caught:
        split_task(document(tmp_path), name, parts)
    assert message in caught.value.message


def test_blocks_are_corrected_where_the_document_has_them(tmp_path: Path) -> None:
    found = document(tmp_path, LOGIN.replace('["TASK-002", "TASK-003"]', '["TASK-002"]'))

    assert correct_blocks(found) == {"TASK-001": {"blocks": ["TASK-002", "TASK-003"]}}
