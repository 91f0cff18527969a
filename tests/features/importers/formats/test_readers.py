"""Each tool's file, read into our words."""

import pytest

from features.importers.formats import samples
from features.importers.formats.samples import read
from snippets import snippet
from untildone.core.check_results import Totals
from untildone.core.contract import Check, Claim
from untildone.errors import UserError
from untildone.features.importers.formats import LOOP_FORMATS, find_loop_format
from untildone.features.importers.formats.loop_format import ImportedLoop, Snapshot

STATE = ".shipspec/planning/login/task-loop.local.json"
BESIDE = {STATE: samples.SHIPSPEC_STATE}
TASKS = {".shipspec/planning/login/TASKS.json": samples.SHIPSPEC_TASKS}
VERIFIED = "<task-loop-complete>VERIFIED</task-loop-complete>"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        pytest.param(
            ".shipkit/relentless-state.local.md",
            samples.SHIPKIT,
            ImportedLoop(
                task="Implement the login.",
                count=3,
                rounds=8,
                checks=(
                    Check(
                        name="test",
                        command="npm test",
                        success_pattern="passed|0 failures",
                        failure_pattern="failed|FAIL",
                        reason="`success_command` of .shipkit/relentless-state.local.md",
                    ),
                ),
            ),
            id="shipkit with a command",
        ),
        pytest.param(
            ".shipkit/relentless-state.local.md",
            samples.SHIPKIT_PROMISE,
            ImportedLoop(task="Make it build.", rounds=10, promises=("BUILD IS GREEN",)),
            id="shipkit with a promise",
        ),
        pytest.param(
            ".stravinsky/continuation-loop.md",
            samples.STRAVINSKY,
            ImportedLoop(
                task=snippet("""
                    Goal: fix test_auth.py

                    ---

                    - run pytest"""),
                counter_key="iteration_count",
                count=1,
                round_offset=0,
                rounds=15,
                promises=("All tests passing", "Feature complete"),
                ignored_fields=("started_at",),
            ),
            id="stravinsky",
        ),
        pytest.param(
            ".claude/ralph-loop.local.md",
            samples.RALPH,
            ImportedLoop(
                task="Build a to-do API.",
                count=2,
                rounds=20,
                promises=("DONE WITH IT",),
                session="5f0c2a9e-0000-4000-8000-00000000000a",
                ignored_fields=("started_at",),
            ),
            id="ralph-loop",
        ),
        pytest.param(
            ".claude/ralph-loop.local.md",
            samples.RALPH.replace('"DONE WITH IT"', "null").replace("20", "0"),
            ImportedLoop(
                task="Build a to-do API.",
                count=2,
                rounds=0,
                session="5f0c2a9e-0000-4000-8000-00000000000a",
                defaults=("`completion_promise` is missing: the project's checks decide",),
                ignored_fields=("started_at",),
            ),
            id="ralph-loop without end",
        ),
        pytest.param(
            ".loop/state.json",
            samples.HOPE,
            ImportedLoop(
                task="Add rate limiting",
                count=4,
                claims=(
                    Claim(name="tests pass", verification="execution"),
                    Claim(name="docs say it", verification="review"),
                ),
                done_when="both",
                keep_at_end=True,
                defaults=("what `criteriaStatus` calls met must be reported again",),
                steps=("a", "b"),
                steps_done=("a",),
                ignored_fields=("circuitBreaker",),
            ),
            id="hope",
        ),
        pytest.param(
            ".loop/workflow-state.json",
            samples.HOPE_WORKFLOW,
            ImportedLoop(
                task="Add rate limiting",
                preset="loop",
                done_when="both",
                keep_at_end=True,
                ignored_fields=("version", "spec_score"),
            ),
            id="hope's workflow",
        ),
        pytest.param(
            ".jikime/cache/.jikime_loop_state.json",
            samples.JIKIME,
            ImportedLoop(
                task="Fix all errors\n\nWork on: src/a.ts",
                preset="fix",
                count=2,
                rounds=10,
                stagnation=4,
                zero_counts=("zero_errors", "zero_warnings", "tests_pass"),
                targets=("src/a.ts",),
                done_when="either",
                snapshots=(Snapshot(number=1, at="", totals=Totals(errors=3)),),
                ignored_fields=("started_at", "updated_at"),
            ),
            id="jikime",
        ),
        pytest.param(
            "specs/login/.ralph-state.json",
            samples.SMART_RALPH,
            ImportedLoop(
                task="Carry out every task of `./specs/login/tasks.md` (login), one after another,"
                " and check each off there.",
                counter_key="globalIteration",
                count=7,
                rounds=40,
                promises=("ALL_TASKS_COMPLETE",),
                ignored_fields=(
                    *("source", "taskIndex", "totalTasks", "taskIteration", "maxTaskIterations"),
                ),
            ),
            id="smart-ralph",
        ),
        pytest.param(
            ".ralph/ralph-loop.state.json",
            samples.OPEN_RALPH,
            ImportedLoop(
                task="Port the parser",
                count=3,
                rounds=0,
                promises=("COMPLETE",),
                ignored_fields=("agent",),
            ),
            id="open-ralph-wiggum",
        ),
        pytest.param(
            ".ralph/fix_plan.md",
            samples.FIX_PLAN,
            ImportedLoop(
                task="Carry out what `.ralph/fix_plan.md` lists and check it off there.",
                counter_key="",
                claims=(Claim(name="Parse dates"), Claim(name="Write files")),
                done_when="both",
                defaults=("1 boxes are checked off and left out",),
            ),
            id="frankbria",
        ),
    ],
)
def test_a_file_is_read(path: str, text: str, expected: ImportedLoop) -> None:
    assert read(path, text) == expected


@pytest.mark.parametrize(
    ("path", "text", "beside", "expected"),
    [
        pytest.param(
            ".shipspec/active-loop.local.json",
            samples.SHIPSPEC_POINTER,
            {**BESIDE, **TASKS},
            ImportedLoop(
                task=snippet("""
                    Write the form.

                    ## Completion Promise

                    THE FORM IS NICE"""),
                counter_file=STATE,
                count=2,
                rounds=5,
                promises=(VERIFIED, "THE FORM IS NICE"),
                plan_file=".shipspec/planning/login/TASKS.json",
                plan_task="TASK-002",
                ignored_fields=("started_at",),
            ),
            id="pointer, state and plan",
        ),
        pytest.param(
            ".shipspec/active-loop.local.md",
            f"---\nfeature: login\nstate_path: {STATE}\n---\n",
            BESIDE,
            ImportedLoop(
                task="Implement `TASK-002` of `.shipspec/planning/login/` and verify its"
                " acceptance criteria.",
                counter_file=STATE,
                count=2,
                rounds=5,
                promises=(VERIFIED,),
                ignored_fields=("started_at",),
            ),
            id="an older pointer, no plan",
        ),
        pytest.param(
            STATE,
            samples.SHIPSPEC_STATE,
            {".shipspec/planning/login/TASKS.json": "{"},
            ImportedLoop(
                task="Implement `TASK-002` of `.shipspec/planning/login/` and verify its"
                " acceptance criteria.",
                counter_file=STATE,
                count=2,
                rounds=5,
                promises=(VERIFIED,),
                plan_file=".shipspec/planning/login/TASKS.json",
                plan_task="TASK-002",
                ignored_fields=("started_at",),
            ),
            id="a plan that is damaged",
        ),
        pytest.param(
            ".shipspec/planning/login/feature-retry.local.json",
            samples.SHIPSPEC_RETRY,
            {},
            ImportedLoop(
                task="Implement `TASK-003` of `.shipspec/planning/login/` and verify its"
                " acceptance criteria.",
                counter_key="task_attempt",
                counter_file=".shipspec/planning/login/feature-retry.local.json",
                count=2,
                rounds=4,
                promises=(
                    "<feature-task-complete>VERIFIED</feature-task-complete>",
                    "<feature-complete>APPROVED</feature-complete>",
                    "<feature-complete>APPROVED_WITH_WARNINGS</feature-complete>",
                ),
                ignored_fields=("tasks_completed", "total_tasks"),
            ),
            id="a feature",
        ),
        pytest.param(
            ".shipspec/planning/login/planning-refine.local.json",
            samples.SHIPSPEC_REFINE,
            {},
            ImportedLoop(
                task="Split the tasks over 5 points (TASK-001, TASK-004) of"
                " `.shipspec/planning/login/` into smaller ones.",
                counter_file=".shipspec/planning/login/planning-refine.local.json",
                rounds=3,
                promises=("<planning-refine-complete>",),
                defaults=("`max_iterations` is missing: 3 is used",),
                ignored_fields=("tasks_refined",),
            ),
            id="a plan's large tasks",
        ),
        pytest.param(
            ".claude/shipspec-task-loop.local.md",
            samples.SHIPSPEC_OLD,
            {},
            ImportedLoop(
                task=snippet("""
                    Write the schema.

                    ---
                    It has two tables."""),
                counter_file=".claude/shipspec-task-loop.local.md",
                rounds=5,
                promises=(VERIFIED,),
            ),
            id="the first generation",
        ),
    ],
)
def test_shipspec_is_read_with_what_lies_beside_it(
    path: str, text: str, beside: dict[str, str], expected: ImportedLoop
) -> None:
    assert read(path, text, beside) == expected


def test_boxes_in_code_and_below_an_optional_section_are_no_claims() -> None:
    text = "- [ ] Parse\n```\n- [ ] in code\n```\n## Optional\n### Colours\n- [ ] Red\n"

    assert [claim.name for claim in read("fix_plan.md", text).claims] == ["Parse"]


def test_the_prompt_beside_a_fix_plan_is_its_task() -> None:
    found = read(".ralph/fix_plan.md", samples.FIX_PLAN, {".ralph/PROMPT.md": "Port it.\n"})

    assert found.task == "Port it."


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".stravinsky/continuation-loop.md", samples.STRAVINSKY.replace("true", "false")),
        (".stravinsky/continuation-loop.md", samples.STRAVINSKY.replace("true", "flase")),
        (".shipkit/relentless-state.local.md", samples.SHIPKIT_PROMISE.replace("true", "no")),
        (".loop/state.json", samples.HOPE.replace("in_progress", "completed")),
        (".loop/workflow-state.json", samples.HOPE_WORKFLOW.replace("executing", "cancelled")),
        (".jikime_loop_state.json", samples.JIKIME.replace("true, ", "false, ", 1)),
        (".jikime_loop_state.json", samples.JIKIME.replace("{", '{"final_status": "STOPPED",', 1)),
        (".ralph-state.json", samples.SMART_RALPH.replace("execution", "design")),
        ("fix_plan.md", "- [x] all of it\n"),
    ],
)
def test_a_loop_that_is_over_is_not_active(path: str, text: str) -> None:
    assert read(path, text).active is False


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        (
            ".shipkit/relentless-state.local.md",
            snippet("""
                ---
                skill: x
                success_command:
                ---
            """),
            "`.shipkit/relentless-state.local.md`, line 3, `success_command`: is missing, and so"
            " is `completion_promise`",
        ),
        (
            ".stravinsky/continuation-loop.md",
            snippet("""
                ---
                active: true
                completion_promise: ' | '
                ---
                x
            """),
            "`.stravinsky/continuation-loop.md`, line 3, `completion_promise`: is missing",
        ),
        (
            ".ralph/ralph-loop.state.json",
            "{}",
            "`.ralph/ralph-loop.state.json`, `completionPromise`: is missing",
        ),
        (
            ".shipspec/active-loop.local.json",
            '{"feature": "x",\n "state_path": "../../secret"}',
            "`.shipspec/active-loop.local.json`, line 2, `state_path`: `../../secret` is not a file"
            " of the project",
        ),
        (
            ".shipspec/active-loop.local.json",
            "{}",
            "`.shipspec/active-loop.local.json`, `state_path`: is missing",
        ),
        (
            ".ralph/fix_plan.md",
            "# Plan\n",
            "`.ralph/fix_plan.md` has no box (`- [ ] …`) to work on",
        ),
        (
            ".ralph/fix_plan.md",
            "".join(f"- [ ] {number}\n" for number in range(101)),
            "`.ralph/fix_plan.md` has 101 open boxes, more than 100",
        ),
        (
            ".loop/state.json",
            f'{{"criteria": {[str(number) for number in range(101)]}}}'.replace("'", '"'),
            "`.loop/state.json`, line 1, `criteria`: has more than 100 entries",
        ),
        ("notes.md", "", "`notes.md` is not a known loop file"),
        (
            ".shipkit/relentless-state.local.md",
            samples.SHIPKIT.replace("failed|FAIL", "fail("),
            "`.shipkit/relentless-state.local.md`, line 7, `failure_pattern`: `fail(` is not a"
            " regular expression: missing )",
        ),
    ],
)
def test_what_cannot_be_a_loop_is_refused(path: str, text: str, message: str) -> None:
    with pytest.raises(UserError) as refused:
        read(path, text)

    assert refused.value.message == message
    assert refused.value.hint


def test_a_claim_that_rests_on_an_assumption_asks_for_execution() -> None:
    text = '{"criteriaStatus": {"works": {"met": true, "verification": "assumption"}, "y": true}}'

    assert read(".loop/state.json", text).claims == (Claim(name="works"), Claim(name="y"))


def test_a_command_beside_a_promise_needs_both() -> None:
    text = samples.SHIPKIT.replace("iteration: 3", "completion_promise: GREEN")

    assert read(".shipkit/relentless-state.local.md", text).done_when == "both"


def test_a_plan_over_all_features_is_described_without_its_name() -> None:
    refine = read(".shipspec/planning/x/planning-refine.local.json", "{}")
    task = read(".shipspec/planning/x/task-loop.local.json", "{}")

    assert (refine.task, task.task) == (
        "Split the tasks over 5 points of the plan into smaller ones.",
        "Implement the plan and verify its acceptance criteria.",
    )


@pytest.mark.parametrize("name", LOOP_FORMATS)
def test_every_path_finds_its_own_module(name: str) -> None:
    dialect = LOOP_FORMATS[name]
    paths = [f"/home/me/project/{path.replace('*', 'any')}" for path in dialect.PATHS]

    assert [find_loop_format(path) for path in paths] == [dialect] * len(paths)
    assert set(dialect.AT_STOPS) <= set(dialect.PATHS)


@pytest.mark.parametrize(("count", "offset", "used"), [(3, 1, 2), (3, 0, 3), (0, 1, 0)])
def test_rounds_used_are_counted_from_the_first(count: int, offset: int, used: int) -> None:
    assert ImportedLoop(count=count, round_offset=offset).rounds_used == used
