"""`untildone import`: starts a loop from another tool's file."""

from pathlib import Path

import pytest

from cli.desk import OTHER, SESSION, Desk, error
from features.importers.formats import samples

STRAVINSKY = ".stravinsky/continuation-loop.md"
SHIPKIT = ".shipkit/relentless-state.local.md"


def imported(desk: Desk, *options: str) -> object:
    found = desk.json("import", *options, "--session", SESSION)
    return {key: value for key, value in found.items() if key != "id"}


def test_a_promise_loop_begins_where_the_file_has_come(desk: Desk) -> None:
    desk.write(STRAVINSKY, samples.STRAVINSKY)

    assert imported(desk, STRAVINSKY) == {
        "session": SESSION,
        "armed": False,
        "checks": [],
        "red_at_start": None,
        "unrunnable_at_start": [],
        "file": STRAVINSKY,
        "taken": ["ignored: `started_at`"],
    }
    (loop,) = desk.json("status")["loops"]
    assert (loop["round"], loop["max_rounds"]) == (1, 15)


def test_a_check_is_run_at_once_for_the_person(desk: Desk) -> None:
    desk.write(SHIPKIT, samples.SHIPKIT.replace("npm test", "echo 1 failed; exit 1"))

    code, output, told = desk.typed("import", SHIPKIT, "--session", SESSION)

    assert (code, "until test (`echo 1 failed; exit 1`) is met; 8 rounds" in output) == (0, True)
    assert "not armed yet" in told
    (loop,) = desk.json("status")["loops"]
    assert (loop["round"], loop["max_rounds"], loop["session"]) == (2, 8, SESSION)


def test_defaults_are_named(desk: Desk) -> None:
    desk.write(STRAVINSKY, "---\nmax_iterations: ten\ncompletion_promise: ALL GREEN\n---\nGo.\n")

    code, _, told = desk.typed("import", STRAVINSKY, "--session", SESSION)

    assert code == 0
    assert f"{STRAVINSKY}: `max_iterations` is `ten`: 10 is used\n" in told


def test_criteria_become_claims(desk: Desk) -> None:
    desk.write(".loop/state.json", samples.HOPE)
    desk.json("import", ".loop/state.json", "--session", SESSION)

    (loop,) = desk.json("status")["loops"]
    contract = desk.json("show", loop["id"])["contract"]
    assert [claim["name"] for claim in contract["claims"]] == ["tests pass", "docs say it"]
    assert contract["done_when"] == "both"
    assert desk.typed("steps", "show")[1] == "1. [x] a\n2. [ ] b\n"


def test_a_file_that_says_it_is_over_is_refused(desk: Desk) -> None:
    desk.write(STRAVINSKY, samples.STRAVINSKY.replace("true", "false"))

    assert desk.typed("import", STRAVINSKY, "--session", SESSION) == error(
        f"`{STRAVINSKY}` says that its loop is not active",
        "change that in the file, or begin a new loop with `untildone start`",
    )
    assert desk.json("status")["loops"] == []


def test_a_mistake_names_file_line_and_key(desk: Desk) -> None:
    desk.write(STRAVINSKY, '---\nactive: true\ncompletion_promise: "\\d"\n---\n')

    assert desk.typed("import", STRAVINSKY, "--session", SESSION) == error(
        f"`{STRAVINSKY}`, line 3, `completion_promise`: found unknown escape character 'd'",
        "put the value in single quotes, or correct it",
    )


def test_a_link_is_not_followed(desk: Desk, tmp_path: Path) -> None:
    elsewhere = tmp_path / "continuation-loop.md"
    elsewhere.write_text(samples.STRAVINSKY, encoding="utf-8")
    link = desk.project / STRAVINSKY
    link.parent.mkdir()
    link.symlink_to(elsewhere)

    code, _, told = desk.typed("import", STRAVINSKY, "--session", SESSION)

    assert (code, "is a symbolic link" in told) == (2, True)


def test_a_file_outside_the_project_may_be_named(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "saved" / STRAVINSKY
    file.parent.mkdir(parents=True)
    file.write_text(samples.STRAVINSKY, encoding="utf-8")

    assert desk.typed("import", str(file), "--session", SESSION)[0] == 0


def test_a_pointer_out_of_the_project_is_refused(desk: Desk, tmp_path: Path) -> None:
    tmp_path.joinpath("task-loop.local.json").write_text(samples.SHIPSPEC_STATE, encoding="utf-8")
    desk.write(".shipspec/active-loop.local.json", '{"state_path": "../task-loop.local.json"}')

    code, _, told = desk.typed("import", ".shipspec/active-loop.local.json", "--session", SESSION)

    assert (code, "`../task-loop.local.json` is not a file of the project" in told) == (2, True)


def test_the_person_may_import_a_loop_without_a_bound_of_rounds(desk: Desk) -> None:
    desk.write(".claude/ralph-loop.local.md", samples.RALPH.replace("20", "0"))
    desk.json("import", ".claude/ralph-loop.local.md", "--session", OTHER)

    (loop,) = desk.json("status")["loops"]
    assert (loop["session"], loop["max_rounds"]) == (OTHER, 0)


def test_an_agent_imports_within_its_ceilings(desk: Desk) -> None:
    desk.write(".claude/ralph-loop.local.md", samples.RALPH.replace("20", "0"))
    desk.event("SessionStart", source="startup")

    said = desk.said(
        *("import", ".claude/ralph-loop.local.md", "--session", SESSION, "--json"),
        CLAUDE_CODE_SESSION_ID=SESSION,
    )

    assert "no bound of rounds needs the user's word: 50 is used" in said[1]
    (loop,) = desk.json("status")["loops"]
    assert loop["max_rounds"] == 50


def test_the_kinds_of_zero_become_checks(desk: Desk) -> None:
    desk.write("Makefile", "lint:\n\tfalse\n")
    desk.write(
        ".jikime_loop_state.json", samples.JIKIME.replace('security": false', 'security": true')
    )

    found = desk.json("import", ".jikime_loop_state.json", "--session", SESSION)

    assert found["checks"][0] == "make lint"
    assert any("security" in command for command in found["checks"])
    assert desk.json("show", found["id"])["contract"]["counts"] == [
        "zero-errors",
        "zero-warnings",
        "zero-security",
        "tests-pass",
    ]


@pytest.mark.parametrize(
    ("file", "targets", "told"),
    [
        ("src/a.ts", ["src/a.ts"], []),
        ("b.ts", [], ["the target `src/a.ts` does not exist: findings count everywhere"]),
    ],
)
def test_only_findings_in_its_target_files_count(
    desk: Desk, file: str, targets: list[str], told: list[str]
) -> None:
    desk.write("Makefile", "lint:\n\tfalse\n")
    desk.write(file, "")
    desk.write(".jikime_loop_state.json", samples.JIKIME)

    found = desk.json("import", ".jikime_loop_state.json", "--session", SESSION)

    assert desk.json("show", found["id"])["contract"]["targets"] == targets
    assert [line for line in found["taken"] if "target" in line] == told
