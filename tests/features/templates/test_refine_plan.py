"""The template `refine-plan`: a loop that ends when no task of a plan is large."""

import json

import pytest

from features.plans.test_task_loops import ONE
from untildone.engine.request import Request
from untildone.features.plans.editing import change_plan
from untildone.features.plans.refinement import split_task
from untildone.features.templates.recipes import apply_template
from world import SESSION, World

PLANS = ("TASKS.json", ".shipspec/planning/notes/TASKS.json", ".plan/status.json")
PARTS = {"TASK-1a": ONE, "TASK-1b": {**ONE, "depends_on": ["TASK-1a"]}}


def start(world: World, path: str) -> None:
    plan = {"version": "1.0", "feature": "notes", "tasks": {"TASK-001": {**ONE, "points": 8}}}
    world.write(path, json.dumps(plan))
    empty = Request(session=SESSION, project=world.project)
    request = apply_template(world.context, empty, f"refine-plan {path}")
    world.start(baseline="run", checks=request.checks, task="", proof=request.proof)


@pytest.mark.parametrize("path", PLANS)
def test_a_plan_whose_large_tasks_were_split_is_done(world: World, path: str) -> None:
    start(world, path)
    world.stop()

    change_plan(world.project / path, lambda plan: split_task(plan, "TASK-001", PARTS))
    world.stop()

    assert (world.outcome, world.concerns) == ("done", [])


def test_a_plan_without_its_tasks_is_not_done(world: World) -> None:
    start(world, PLANS[1])

    world.write(PLANS[1], json.dumps({"version": "1.0", "feature": "notes", "tasks": {}}))
    world.stop()

    assert world.outcome is None
