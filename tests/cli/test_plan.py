"""`untildone plan`: the task list at the command line."""

import json
import subprocess
from pathlib import Path

import pytest

from cli.world import CommandLine, error
from features.plans.samples import LOGIN
from snippets import snippet

INIT = "`untildone plan init FEATURE` writes one"


@pytest.fixture
def plan(cli: CommandLine) -> Path:
    return cli.write("TASKS.json", LOGIN)


def test_the_next_task_is_the_first_that_waits_for_nothing(cli: CommandLine, plan: Path) -> None:
    assert cli.run("plan", "next") == (0, "TASK-002: Form (1 point)\n2 ready\n", "")

    found = cli.json("plan", "next")

    assert (found["ready"], found["in_progress"], found["blocked"]) == (
        ["TASK-002", "TASK-003"],
        [],
        [],
    )
    expected = json.loads(LOGIN)["tasks"]["TASK-002"]
    assert found["task"] == {"id": "TASK-002", **expected, "checks": [], "allow": [], "worker": ""}
    assert plan.read_text(encoding="utf-8") == LOGIN


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"not_started"', '"completed"', "all 3 tasks are completed\n"),
        ('"completed"', '"in_progress"', "0 ready; in progress: TASK-001; 2 wait for others\n"),
    ],
)
def test_where_nothing_is_ready_that_is_said(
    cli: CommandLine, plan: Path, old: str, new: str, expected: str
) -> None:
    plan.write_text(LOGIN.replace(old, new), encoding="utf-8")

    assert cli.run("plan", "next") == (0, expected, "")
    assert cli.json("plan", "next")["task"] is None


def test_a_plan_without_tasks_has_no_next(cli: CommandLine) -> None:
    cli.write("TASKS.json", '{"tasks": {}}')

    assert cli.run("plan", "next") == (0, "there is no task\n", "")


def test_a_plan_without_an_order_has_no_next(cli: CommandLine, plan: Path) -> None:
    plan.write_text(
        LOGIN.replace('"depends_on": []', '"depends_on": ["TASK-003"]'), encoding="utf-8"
    )

    assert cli.run("plan", "next") == error(
        f"`{plan}` has a mistake\n  `TASK-001`: depends on itself: `TASK-001` → `TASK-003` → "
        "`TASK-001`; take one of them out of the `depends_on` of another, such as `TASK-003`",
        "fix them, then run `untildone plan validate`",
    )


def test_without_a_plan_the_remedy_is_named(cli: CommandLine) -> None:
    cli.project.joinpath(".git").mkdir()

    assert cli.run("plan", "next") == error(f"there is no plan in `{cli.project}`", INIT)
    assert cli.run("plan", "show", "--plan", "x.json") == error("there is no `x.json`", INIT)
    for verb in ("set-status", "refine"):
        given = ("A", "completed") if verb == "set-status" else ()
        reported = cli.run("plan", verb, *given, "--plan", "no/x.json")
        assert reported == error("there is no `no/x.json`", INIT)
    assert cli.run("plan", "nonsense") == error(
        "no such command `nonsense`", "run `untildone plan --help` to see its options"
    )
    assert "set-status" in cli.run("plan", "--help")[1]


def test_a_first_plan_is_valid_and_is_not_written_over(cli: CommandLine) -> None:
    path = cli.project / "TASKS.json"
    assert cli.run("plan", "init", "login") == (0, f"written: {path}\n", "")

    found = cli.json("plan", "validate")

    assert found == {
        "file": str(path),
        "valid": True,
        "mistakes": [],
        "large": [],
        "critical_path": ["TASK-001"],
        "total_tasks": 1,
        "total_points": 1,
    }
    assert cli.run("plan", "init") == error(
        f"`{path}` exists already", "give another file with `--plan`"
    )
    assert cli.run("plan", "init", "--plan", "TASKS.json/TASKS.json") == error(
        "`TASKS.json` is not a folder", "give another file with `--plan`"
    )
    assert cli.run("plan", "init", "--plan", "a/b/TASKS.json")[0] == 0
    assert cli.json("plan", "show", "--plan", "a/b/TASKS.json")["feature"] == "b"


def test_everything_wrong_is_reported_at_once(cli: CommandLine, plan: Path) -> None:
    text = LOGIN.replace('"points": 1', '"points": 8').replace(
        '"total_tasks": 3', '"total_tasks": 4'
    )
    plan.write_text(text.replace("Route", " "), encoding="utf-8")
    cli.write("PRD.md", "REQ-002\n")

    assert cli.run("plan", "validate") == (
        1,
        f"{plan}: `TASK-003`: has no title; say in `title` what it is about\n"
        f"{plan}: warning: `summary.total_tasks` is 4, not 3; run `untildone plan validate --fix`\n"
        f"{plan}: warning: `summary.total_points` is 9, not 16; "
        "run `untildone plan validate --fix`\n"
        f"{plan}: warning: `summary.critical_path` is `TASK-001, TASK-003`, "
        "not `TASK-001, TASK-002`; run `untildone plan validate --fix`\n"
        f"{plan}: `TASK-001`: `prd_refs` names `REQ-001`, which is not in `PRD.md`; "
        "correct the reference, or write it into `PRD.md`\n"
        f"{plan}: warning: `sdd_refs` cannot be looked up: there is no `SDD.md` beside the plan; "
        "write `SDD.md`, or take out the references\n"
        "over 5 points, split them: TASK-002\n",
        "",
    )


def test_what_follows_from_the_rest_is_put_right(cli: CommandLine, plan: Path) -> None:
    wrong = LOGIN.replace('"total_tasks": 3', '"total_tasks": 4')
    plan.write_text(wrong.replace('["TASK-002", "TASK-003"]', '["TASK-002"]'), encoding="utf-8")
    assert len(cli.json("plan", "validate")["mistakes"]) == 4

    code, stdout, _ = cli.run("plan", "validate", "--fix")

    assert (code, stdout.splitlines()[-2:]) == (
        0,
        ["valid: 3 tasks, 9 points", "critical path: TASK-001 → TASK-003"],
    )
    assert json.loads(plan.read_text(encoding="utf-8")) == json.loads(LOGIN)


def test_the_plan_and_a_task_are_shown(cli: CommandLine, plan: Path) -> None:
    plan.write_text(LOGIN.replace('"points": 1', '"points": 8'), encoding="utf-8")

    assert cli.run("plan", "show")[1] == (
        snippet("""
            login: 3 tasks, 16 points
            phase 1: Foundation (1 of 1)
              [x] TASK-001: Users table (points: 3)
            phase 2: Surface (0 of 2)
              [ ] TASK-002: Form (points: 8, after TASK-001)
              [ ] TASK-003: Route (points: 5, after TASK-001)
            critical path: TASK-001 → TASK-002
            over 5 points: TASK-002; `untildone plan refine`
        """)
    )
    assert cli.run("plan", "show", "TASK-001")[1] == (
        snippet("""
            TASK-001: Users table (completed, 3 points)
            blocks: TASK-002, TASK-003
            checked: Run migration: npm run db:migrate  (`npm run db:migrate`)
            needs review: The table has a unique e-mail

            Write the migration.
        """)
    )
    shown = cli.json("plan", "show", "TASK-003")
    assert [check["command"] for check in shown["checked"]] == ["npm test"]
    assert (shown["subjective"], shown["promise"]) == ([], "")
    assert cli.json("plan", "show")["large"] == ["TASK-002"]


def test_a_plan_with_mistakes_is_shown_as_far_as_it_can_be(cli: CommandLine) -> None:
    task = {"title": "x", "points": "1", "prompt": "## Completion Promise\n\nIT IS NICE"}
    cli.write("TASKS.json", json.dumps({"tasks": {"A": task}}))

    code, stdout, stderr = cli.run("plan", "show", "A")

    assert (code, stdout.splitlines()[:2]) == (
        0,
        ["A: x (not started, 0 points)", "promise: IT IS NICE"],
    )
    assert stderr == "TASKS.json: `A`: `points`: expected `int`, got `str`\n"


def test_the_user_says_how_far_a_task_is(cli: CommandLine, plan: Path) -> None:
    assert cli.run("plan", "set-status", "TASK-002", "in_progress") == (
        0,
        "TASK-002: in progress\n",
        "",
    )
    assert cli.run("plan", "set-status", "TASK-003", "in_progress")[0] == 2
    assert cli.json("plan", "set-status", "TASK-002", "completed") == {
        "id": "TASK-002",
        "status": "completed",
        "file": str(plan),
    }
    assert cli.json("plan", "next")["ready"] == ["TASK-003"]


def test_an_agent_does_not_say_that_a_task_is_completed(cli: CommandLine, plan: Path) -> None:
    cli.event("SessionStart", source="startup")
    cli.agent_calls_a_tool()

    done = cli.untildone("plan", "set-status", "TASK-002", "completed")

    assert (done.returncode, done.stderr) == error(
        "only verification or the user completes `TASK-002`",
        "`untildone plan start` begins a loop that verifies it; the user may run this in a"
        " terminal outside of the agent",
    )[::2]
    assert plan.read_text(encoding="utf-8") == LOGIN
    assert cli.untildone("plan", "set-status", "TASK-002", "in_progress").returncode == 0


def test_an_agent_without_a_loop_completes_no_task_either(cli: CommandLine, plan: Path) -> None:
    """Without a loop no hook records its tool calls."""
    cli.event("SessionStart", source="startup")

    done = cli.untildone("plan", "set-status", "TASK-002", "completed")

    assert done.returncode == 2
    assert "only verification or the user completes `TASK-002`" in done.stderr
    assert plan.read_text(encoding="utf-8") == LOGIN


def test_large_tasks_are_listed_and_divided(cli: CommandLine, plan: Path) -> None:
    assert cli.run("plan", "refine") == (0, "no task is over 5 points\n", "")
    plan.write_text(LOGIN.replace('"points": 1', '"points": 8'), encoding="utf-8")
    assert cli.run("plan", "refine") == (1, "TASK-002: Form (8 points)\n", "")
    assert cli.json("plan", "refine") == {
        "large": [{"id": "TASK-002", "title": "Form", "points": 8}]
    }
    part = {"title": "P", "points": 3, "acceptance_criteria": ["x"], "prompt": "Do it."}
    cli.write("parts.json", json.dumps({"A": part, "B": part}))

    assert cli.run("plan", "refine", "TASK-002", "--into", "parts.json")[0] == 0
    assert cli.json("plan", "next")["ready"] == ["A", "B", "TASK-003"]
    done = cli.untildone("plan", "refine", "A", "--into", "-", stdin='{"C": {}, "D": {}}')
    assert (done.returncode, "`C`: object missing required field `title`" in done.stderr) == (
        2,
        True,
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("TASK-002",), "a task and its parts must be given together"),
        (("TASK-002", "--into", "gone.json"), "`gone.json` cannot be read: "),
        (("TASK-002", "--into", "TASKS.json"), "`TASKS.json` is not a JSON object of tasks by id"),
    ],
)
def test_parts_that_cannot_be_read_are_reported(
    cli: CommandLine, plan: Path, arguments: tuple[str, ...], message: str
) -> None:
    code, _, stderr = cli.run("plan", "refine", *arguments)

    assert (code, stderr.startswith(f"error: {message}")) == (2, True)
    assert plan.read_text(encoding="utf-8") == LOGIN


def test_tasks_md_is_written_but_never_over_somebody_elses(cli: CommandLine, plan: Path) -> None:
    target = plan.with_suffix(".md")
    assert cli.run("plan", "render") == (0, f"written: {target}\n", "")
    first = target.read_text(encoding="utf-8")
    assert cli.run("plan", "render", "--stdout") == (0, first, "")
    assert cli.run("plan", "render")[0] == 0
    target.write_text("mine\n", encoding="utf-8")

    assert cli.run("plan", "render") == error(
        f"`{target}` was not written by `untildone plan render`",
        "run `untildone plan render --force` to overwrite it",
    )
    assert target.read_text(encoding="utf-8") == "mine\n"
    assert cli.run("plan", "render", "--force")[0] == 0


def test_half_a_character_is_no_bug(cli: CommandLine) -> None:
    cli.write(
        "TASKS.json", r'{"tasks": {"A": {"title": "\ud800 x", "points": 1, "checks": ["\ud800"]}}}'
    )

    codes = [
        cli.run("plan", *words)[0]
        for words in (("next",), ("render",), ("show", "A"), ("set-status", "A", "completed"))
    ]
    assert codes == [0, 0, 0, 0]
    assert cli.run("trust", "--plan", "--yes")[0] == 0
    assert r"\ud800 x" in cli.project.joinpath("TASKS.json").read_text(encoding="utf-8")


def test_another_tools_list_becomes_a_plan(cli: CommandLine) -> None:
    cli.write(
        "todo.md",
        snippet("""
            # Shop
            - [ ] Cart
            - [x] List
        """),
    )
    path = cli.project / "TASKS.json"

    code, stdout, stderr = cli.run("plan", "import", "todo.md")

    assert (code, stdout) == (0, f"written: {path} with 2 tasks\n")
    assert stderr.splitlines()[0] == "the file has no estimates: each task has 3 points"
    assert cli.run("plan", "validate")[0] == 0
    assert cli.json("plan", "next")["ready"] == ["TASK-001"]
    assert cli.run("plan", "import", "todo.md") == error(
        f"`{path}` exists already", "give another file with `--plan`"
    )


def test_a_list_that_goes_in_circles_is_imported_and_reported(cli: CommandLine) -> None:
    stories = [{"id": "a", "dependsOn": ["b"]}, {"id": "b", "dependsOn": ["a"]}]
    cli.write("prd.json", json.dumps({"userStories": stories}))

    done = cli.untildone("plan", "import", "prd.json", "--plan", "p.json", "--json")

    assert json.loads(done.stdout)["tasks"] == ["a", "b"]
    assert done.stderr.startswith("p.json: `a`: depends on itself: `a` → `b` → `a`; take one")


def test_what_a_plan_runs_is_trusted_by_its_commands(cli: CommandLine, plan: Path) -> None:
    assert cli.untildone("trust", "--plan", stdin="n\n").returncode == 1

    assert cli.run("trust", "--plan", "--yes") == (
        0,
        f"TASKS.json runs: npm run db:migrate\nTASKS.json runs: npm test\ntrusted: {plan}\n",
        "",
    )
    plan.unlink()
    assert cli.run("trust", "--plan") == error(
        f"there is no plan in `{cli.project}`", "there is nothing to trust"
    )


def test_the_folder_this_is_called_in_may_be_gone(cli: CommandLine) -> None:
    script = 'mkdir x; cd x; rmdir "$PWD"; exec untildone plan next'
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=cli.project,
        env=cli.environ,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == error(
        "the current folder no longer exists", "`cd` elsewhere, or give `--project DIR`"
    )[::2]


def test_a_plan_that_runs_nothing_needs_no_trust(cli: CommandLine) -> None:
    cli.run("plan", "init", "login")

    assert cli.run_process("trust", "--plan") == (
        0,
        "there is nothing to trust: no plan runs a command\n",
        "",
    )
    assert cli.run("trust", "--plan", "--sha256", "0" * 64) == error(
        "`--sha256` applies to `untildone.toml` only", "use `--yes` to trust what is shown"
    )


def test_one_task_is_no_tasks(cli: CommandLine) -> None:
    cli.run("plan", "init", "login")

    assert cli.run("plan", "validate")[1].startswith("valid: 1 task, 1 point\n")
    assert cli.run("plan", "show")[1].startswith("login: 1 task, 1 point\n")
