"""`steps`, `precheck` and `rollback`, and trust in SHAPE.md, at the command line."""

import subprocess

import pytest

from cli.world import CommandLine, error
from snippets import snippet
from world import SESSION

TASK = "Refactor all API routes in src/api; no new dependencies; done when `make e2e` passes"


@pytest.fixture
def loop(cli: CommandLine) -> str:
    subprocess.run(["git", "init", "-q"], cwd=cli.project, check=True)
    return cli.start("--preset", "loop", "--task", TASK, "--reversibility", "2B", "--check", "true")


def test_steps_are_named_done_and_shown(cli: CommandLine, loop: str) -> None:
    assert cli.run("steps", "show")[1] == (
        'there are no steps yet; `untildone steps set "STEP"…` adds them\n'
    )
    assert cli.run("steps", "set", "find it", "mend it") == (0, "2 steps recorded\n", "")
    assert cli.run("steps", "done", "1") == (0, "done: 1\n", "")

    assert cli.run("steps", "show") == (0, "1. [x] find it\n2. [ ] mend it\n", "")
    assert cli.json("steps", "show") == {
        "loop": loop,
        "steps": [
            {"number": 1, "name": "find it", "done": True},
            {"number": 2, "name": "mend it", "done": False},
        ],
    }
    assert cli.run("steps", "done", "4") == error(
        "`4` is not a step of this loop (steps: `find it`, `mend it`)",
        '`untildone steps set "STEP"…` names them',
    )


def test_steps_that_say_nothing_are_refused(cli: CommandLine, loop: str) -> None:
    assert cli.run("steps", "set", "find it", " ") == (0, "1 step recorded\n", "")
    assert cli.run("steps", "set", " ", "") == error("no step is named", "say it in words")

    assert cli.json("steps", "show") == {
        "loop": loop,
        "steps": [{"number": 1, "name": "find it", "done": False}],
    }


def test_rollback_says_what_it_did(cli: CommandLine, loop: str) -> None:
    cli.write("new.txt", "mine\n")

    assert cli.run("rollback", "1") == (
        0,
        f"rolled back `{cli.project}`:\n  removed new.txt\n"
        "to undo this: `untildone rollback undo-1`\n",
        "",
    )
    assert cli.json("rollback", "undo-1") == {
        "root": str(cli.project),
        "saved": "undo-2",
        "written": ["new.txt"],
        "removed": [],
    }
    assert (cli.project / "new.txt").read_text(encoding="utf-8") == "mine\n"
    assert cli.run("rollback", "7") == error(
        f"loop `{loop}` has no checkpoint of `7` (there are: `step-1`, `undo-1`, `undo-2`)",
        "for example `untildone rollback step-1`",
    )


def test_only_the_user_can_roll_back(cli: CommandLine, loop: str) -> None:
    assert loop
    cli.event("SessionStart", source="startup")
    cli.agent_calls_a_tool()

    done = cli.untildone("rollback", "1")

    assert (done.returncode, done.stderr) == error(
        "only the user may run `untildone rollback`",
        "if you cannot go on, run `untildone blocked REASON`",
    )[::2]


def test_a_checkpoint_needs_git(cli: CommandLine) -> None:
    reported = cli.run(*("start", "--session", SESSION, "--check", "true", "--reversibility", "2B"))

    assert reported == error(f"`{cli.project}` is in no git repository", "`git init` makes it one")
    assert cli.json("status")["loops"] == []


def test_a_precheck_is_recorded(cli: CommandLine, loop: str) -> None:
    assert cli.run("precheck", "--evidence", "nobody reads it") == (0, "recorded\n", "")

    assert cli.json("show", loop)["progress"]["precheck"] == "nobody reads it"
    assert cli.run("precheck", "--evidence", " ") == error(
        "`--evidence` is empty", "say it in words"
    )


def test_the_commands_of_a_shape_are_trusted_by_their_content(cli: CommandLine) -> None:
    assert cli.run("trust", "--shape") == error(
        f"there is no `.loop/shape/SHAPE.md` in `{cli.project}`", "there is nothing to trust"
    )
    path = cli.write(
        ".loop/shape/SHAPE.md",
        snippet("""
            mustNot:
            - `test -f bad`
            - lose data
        """),
    )

    code, stdout, _ = cli.run("trust", "--shape", "--yes")

    assert code == 0
    assert stdout.splitlines()[0] == "must not exit 0: test -f bad"
    assert stdout.splitlines()[1].startswith(f"trusted: {path} (sha256 ")
    loop = cli.start("--preset", "loop", "--task", TASK, "--check", "true")
    assert cli.json("show", loop)["contract"]["must_not"] == ["test -f bad"]


def test_a_shape_that_nobody_agrees_to_is_not_trusted(cli: CommandLine) -> None:
    cli.write(".loop/shape/SHAPE.md", "mustNot:\n- `test -f bad`\n")

    done = cli.untildone("trust", "--shape", stdin="n\n")

    assert done.returncode == 1
    assert done.stderr.endswith("not trusted: none of its commands is run\n")
