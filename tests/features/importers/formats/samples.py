"""Loop files as their tools write them."""

from collections.abc import Mapping

from untildone.features.importers.formats import find_loop_format
from untildone.features.importers.formats.loop_format import ImportedLoop, Source

SHIPKIT = """---
skill: test-relentlessly
iteration: 3
max_iterations: 8
success_command: "npm test"
success_pattern: "passed|0 failures"
failure_pattern: "failed|FAIL"
---

# Task

Implement the login.
"""
SHIPKIT_PROMISE = """---
skill: build-relentlessly
iteration: 1
max_iterations: 10
completion_promise: "BUILD IS GREEN"
enabled: true
---

Make it build.
"""
STRAVINSKY = """---
iteration_count: 1
max_iterations: 15
completion_promise: "All tests passing|Feature complete"
active: true
started_at: 2026-01-12T18:45:00Z
---

Goal: fix test_auth.py

---

- run pytest
"""
RALPH = """---
active: true
iteration: 2
session_id: 5f0c2a9e-0000-4000-8000-00000000000a
max_iterations: 20
completion_promise: "DONE WITH IT"
started_at: "2026-01-12T18:45:00Z"
---

Build a to-do API.
"""
HOPE = """{
  "spec": "Add rate limiting",
  "criteria": ["tests pass", "docs say it"],
  "criteriaStatus": {
    "tests pass": {"met": true, "verification": "execution output"},
    "docs say it": {"met": false, "verification": "code review"}
  },
  "exit_signal": false,
  "steps": ["a", "b"],
  "completedSteps": ["a"],
  "remainingSteps": ["b"],
  "iteration": 4,
  "status": "in_progress",
  "circuitBreaker": {"stuckCount": 0, "lastUnmet": []}
}
"""
HOPE_WORKFLOW = """{"version": 1, "stage": "executing", "task": "Add rate limiting",
 "spec_score": 8, "exit_signal": false}"""
JIKIME = """{
  "active": true, "session_id": "loop-1768243500", "started_at": "2026-01-12T18:45:00Z",
  "updated_at": "2026-01-12T18:50:00Z", "iteration": 2, "max_iterations": 10,
  "task_description": "Fix all errors", "target_files": ["src/a.ts"],
  "completion_criteria": {"zero_errors": true, "zero_warnings": true, "zero_security": false,
                          "tests_pass": true, "stagnation_limit": 4},
  "snapshots": [{"iteration": 1, "error_count": 3}]
}
"""
SMART_RALPH = """{"source": "plan", "name": "login", "basePath": "./specs/login",
 "phase": "execution", "taskIndex": 1, "totalTasks": 9, "taskIteration": 1,
 "maxTaskIterations": 5, "globalIteration": 7, "maxGlobalIterations": 40}"""
OPEN_RALPH = """{"active": true, "iteration": 3, "maxIterations": 0,
 "completionPromise": "COMPLETE",
 "prompt": "Port the parser", "agent": "claude-code"}"""
FIX_PLAN = """# Fix plan

## High priority
- [ ] Parse dates
- [x] Read files
* [ ] Write files
- [NOTE] not a box

## Optional
- [ ] Colours
"""
SHIPSPEC_POINTER = """{"feature": "login", "loop_type": "task-loop",
 "state_path": ".shipspec/planning/login/task-loop.local.json", "created_at": "2026-01-12"}"""
SHIPSPEC_STATE = """{"active": true, "feature": "login", "task_id": "TASK-002", "iteration": 2,
 "max_iterations": 5, "started_at": "2026-01-12"}"""
SHIPSPEC_TASKS = """{"tasks": {"TASK-002": {"title": "Form", "prompt":
 "Write the form.\\n\\n## Completion Promise\\n\\nTHE FORM IS NICE\\n"}}}"""
SHIPSPEC_RETRY = """{"active": true, "feature": "login", "current_task_id": "TASK-003",
 "task_attempt": 2, "max_task_attempts": 4, "tasks_completed": 2, "total_tasks": 5}"""
SHIPSPEC_REFINE = """{"active": true, "feature": "login", "iteration": 1,
 "large_tasks": ["TASK-001", "TASK-004"], "tasks_refined": 0}"""
SHIPSPEC_OLD = """---
active: true
feature: login
task_id: TASK-001
iteration: 1
max_iterations: 5
---

Write the schema.

---
It has two tables.
"""


def read(path: str, text: str | bytes, beside: Mapping[str, str] | None = None) -> ImportedLoop:
    data = text if isinstance(text, bytes) else text.encode()
    others = {name: content.encode() for name, content in (beside or {}).items()}
    return find_loop_format(path).read_loop(
        Source(path=path, data=data, read_other_file=others.get)
    )
