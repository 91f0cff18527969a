"""Plans as people and tools write them."""

import json
from pathlib import Path
from typing import Any

from untildone.features.plans.plan import Plan, Task, TaskStatus
from untildone.features.plans.plan_file import Document, read_plan

# Hand-written on purpose: lists on one line, a field nobody knows, an odd space.
LOGIN = """{
  "version": "1.0",
  "feature": "login",
  "x-owner": {"team": "accounts"},
  "summary": { "total_tasks": 3, "total_points": 9, "critical_path": ["TASK-001", "TASK-003"] },
  "phases": [{"id": 1, "name": "Foundation"}, {"id": 2, "name": "Surface"}],
  "tasks": {
    "TASK-001": {
      "title": "Users table",
      "status": "completed",
      "phase": 1,
      "points": 3,
      "depends_on": [],
      "blocks": ["TASK-002", "TASK-003"],
      "prd_refs": ["REQ-001"],
      "sdd_refs": ["Section 7.1"],
      "acceptance_criteria": ["The table has a unique e-mail"],
      "testing": ["Run migration: npm run db:migrate"],
      "prompt": "Write the migration.",
      "notes" : "keep me — é"
    },
    "TASK-002": {
      "title": "Form",
      "status": "not_started",
      "phase": 2,
      "points": 1,
      "depends_on": ["TASK-001"],
      "blocks": [],
      "prd_refs": [],
      "sdd_refs": [],
      "acceptance_criteria": ["It looks nice"],
      "testing": [],
      "prompt": "Write the form."
    },
    "TASK-003": {
      "title": "Route",
      "status": "not_started",
      "phase": 2,
      "points": 5,
      "depends_on": ["TASK-001"],
      "blocks": [],
      "prd_refs": [],
      "sdd_refs": [],
      "acceptance_criteria": ["`npm test` exits 0"],
      "testing": [],
      "prompt": "Write the route."
    }
  }
}
"""


def task(*needs: str, points: int = 1, status: TaskStatus = "not_started", **more: Any) -> Task:  # noqa: ANN401  any field
    return Task(
        **{
            "title": "Something",
            "points": points,
            "status": status,
            "depends_on": needs,
            "acceptance_criteria": ("it works",),
            "prompt": "Do it.",
            **more,
        }
    )


def plan(**tasks: Task) -> Plan:
    """`A=task("B")`; ids of one letter read well in a test."""
    return Plan(tasks=tasks, feature="login")


def write_plan(folder: Path, text: str = LOGIN) -> Path:
    path = folder / "TASKS.json"
    path.write_bytes(text.encode())
    return path


def document(folder: Path, text: str = LOGIN) -> Document:
    return read_plan(write_plan(folder, text))


def plan_text(**fields: object) -> str:
    """The plan with these fields at its top."""
    return json.dumps(json.loads(LOGIN) | fields)
