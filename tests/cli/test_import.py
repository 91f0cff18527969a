"""`untildone import`: starts a loop from another tool's file."""

from pathlib import Path

import pytest

from cli.world import CommandLine, error
from features.importers.formats import samples
from snippets import snippet
from world import OTHER_SESSION, SESSION

STRAVINSKY = ".stravinsky/continuation-loop.md"
SHIPKIT = ".shipkit/relentless-state.local.md"


def import_loop(cli: CommandLine, *options: str) -> object:
    found = cli.json("import", *options, "--session", SESSION)
    return {key: value for key, value in found.items() if key != "id"}


def test_a_promise_loop_begins_where_the_file_has_come(cli: CommandLine) -> None:
    cli.write(STRAVINSKY, samples.STRAVINSKY)

    assert import_loop(cli, STRAVINSKY) == {
        "session": SESSION,
        "armed": False,
        "checks": [],
        "red_at_start": None,
        "unrunnable_at_start": [],
        "left_out": [],
        "file": STRAVINSKY,
        "taken": ["ignored: `started_at`"],
    }
    (loop,) = cli.json("status")["loops"]
    assert (loop["round"], loop["max_rounds"]) == (1, 15)


def test_a_check_is_run_at_once_for_the_user(cli: CommandLine) -> None:
    cli.write(SHIPKIT, samples.SHIPKIT.replace("npm test", "echo 1 failed; exit 1"))

    code, stdout, stderr = cli.run("import", SHIPKIT, "--session", SESSION)

    assert (code, "until test (`echo 1 failed; exit 1`) is met; 8 rounds" in stdout) == (0, True)
    assert "not armed yet" in stderr
    (loop,) = cli.json("status")["loops"]
    assert (loop["round"], loop["max_rounds"], loop["session"]) == (2, 8, SESSION)


def test_defaults_are_named(cli: CommandLine) -> None:
    cli.write(
        STRAVINSKY,
        snippet("""
            ---
            max_iterations: ten
            completion_promise: ALL GREEN
            ---
            Go.
        """),
    )

    code, _, stderr = cli.run("import", STRAVINSKY, "--session", SESSION)

    assert code == 0
    assert f"{STRAVINSKY}: `max_iterations` is `ten`: 10 is used\n" in stderr


def test_criteria_become_claims(cli: CommandLine) -> None:
    cli.write(".loop/state.json", samples.HOPE)
    cli.json("import", ".loop/state.json", "--session", SESSION)

    (loop,) = cli.json("status")["loops"]
    contract = cli.json("show", loop["id"])["contract"]
    assert [claim["name"] for claim in contract["claims"]] == ["tests pass", "docs say it"]
    assert contract["done_when"] == "both"
    assert cli.run("steps", "show")[1] == "1. [x] a\n2. [ ] b\n"


def test_a_file_that_says_it_is_over_is_refused(cli: CommandLine) -> None:
    cli.write(STRAVINSKY, samples.STRAVINSKY.replace("true", "false"))

    assert cli.run("import", STRAVINSKY, "--session", SESSION) == error(
        f"`{STRAVINSKY}` says that its loop is not active",
        "change that in the file, or begin a new loop with `untildone start`",
    )
    assert cli.json("status")["loops"] == []


def test_a_mistake_names_file_line_and_key(cli: CommandLine) -> None:
    cli.write(
        STRAVINSKY,
        snippet("""
            ---
            active: true
            completion_promise: "\\d"
            ---
        """),
    )

    assert cli.run("import", STRAVINSKY, "--session", SESSION) == error(
        f"`{STRAVINSKY}`, line 3, `completion_promise`: found unknown escape character 'd'",
        "put the value in single quotes, or correct it",
    )


def test_a_link_is_not_followed(cli: CommandLine, tmp_path: Path) -> None:
    elsewhere = tmp_path / "continuation-loop.md"
    elsewhere.write_text(samples.STRAVINSKY, encoding="utf-8")
    link = cli.project / STRAVINSKY
    link.parent.mkdir()
    link.symlink_to(elsewhere)

    code, _, stderr = cli.run("import", STRAVINSKY, "--session", SESSION)

    assert (code, "is a symbolic link" in stderr) == (2, True)


def test_a_file_outside_the_project_may_be_named(cli: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "saved" / STRAVINSKY
    file.parent.mkdir(parents=True)
    file.write_text(samples.STRAVINSKY, encoding="utf-8")

    assert cli.run("import", str(file), "--session", SESSION)[0] == 0


def test_a_pointer_out_of_the_project_is_refused(cli: CommandLine, tmp_path: Path) -> None:
    tmp_path.joinpath("task-loop.local.json").write_text(samples.SHIPSPEC_STATE, encoding="utf-8")
    cli.write(".shipspec/active-loop.local.json", '{"state_path": "../task-loop.local.json"}')

    code, _, stderr = cli.run("import", ".shipspec/active-loop.local.json", "--session", SESSION)

    assert (code, "`../task-loop.local.json` is not a file of the project" in stderr) == (2, True)


def test_the_user_may_import_a_loop_without_a_bound_of_rounds(cli: CommandLine) -> None:
    cli.write(".claude/ralph-loop.local.md", samples.RALPH.replace("20", "0"))
    cli.json("import", ".claude/ralph-loop.local.md", "--session", OTHER_SESSION)

    (loop,) = cli.json("status")["loops"]
    assert (loop["session"], loop["max_rounds"]) == (OTHER_SESSION, 0)


def test_an_agent_imports_within_its_ceilings(cli: CommandLine) -> None:
    cli.write(".claude/ralph-loop.local.md", samples.RALPH.replace("20", "0"))
    cli.event("SessionStart", source="startup")

    said = cli.run_process(
        *("import", ".claude/ralph-loop.local.md", "--session", SESSION, "--json"),
        CLAUDE_CODE_SESSION_ID=SESSION,
    )

    assert "an agent may set at most 50 rounds: used instead of no limit" in said[1]
    (loop,) = cli.json("status")["loops"]
    assert loop["max_rounds"] == 50


def test_the_kinds_of_zero_become_checks(cli: CommandLine) -> None:
    cli.write("Makefile", "lint:\n\tfalse\n")
    cli.write(
        ".jikime_loop_state.json", samples.JIKIME.replace('security": false', 'security": true')
    )

    found = cli.json("import", ".jikime_loop_state.json", "--session", SESSION)

    assert found["checks"][0] == "make lint"
    assert any("security" in command for command in found["checks"])
    assert cli.json("show", found["id"])["contract"]["counts"] == [
        "zero-errors",
        "zero-warnings",
        "zero-security",
        "tests-pass",
    ]


@pytest.mark.parametrize(
    ("file", "targets", "reported"),
    [
        ("src/a.ts", ["src/a.ts"], []),
        ("b.ts", [], ["the target `src/a.ts` does not exist: findings count everywhere"]),
    ],
)
def test_only_findings_in_its_target_files_count(
    cli: CommandLine, file: str, targets: list[str], reported: list[str]
) -> None:
    cli.write("Makefile", "lint:\n\tfalse\n")
    cli.write(file, "")
    cli.write(".jikime_loop_state.json", samples.JIKIME)

    found = cli.json("import", ".jikime_loop_state.json", "--session", SESSION)

    assert cli.json("show", found["id"])["contract"]["targets"] == targets
    assert [line for line in found["taken"] if "target" in line] == reported
