"""`start` with counts, targets, TODO items, a next loop; `continue` while it runs."""

from typing import Any

import pytest

from cli.desk import RED, SESSION, Desk, error

CONFIGURED = """\
[checks.test]
command = "pytest"

[checks.lint]
command = "ruff check"
"""
RUFF = "ruff check"


def contract(desk: Desk, *options: str) -> Any:  # noqa: ANN401  a contract as it is shown
    return desk.json("show", desk.start(*options))["contract"]


def refused(desk: Desk, *options: str) -> Any:  # noqa: ANN401  exit code and both outputs
    return desk.typed("start", "--session", SESSION, *options)


@pytest.mark.parametrize(
    ("options", "counts"),
    [
        (("--preset", "fix", "--check", RUFF), ["zero-errors"]),
        (("--preset", "fix", "--check", RED), ["zero-errors"]),
        (("--preset", "fix", "--check", "pytest -q"), ["zero-errors", "tests-pass"]),
        (
            ("--preset", "fix", "--check", RUFF, "--zero-warnings", "--no-zero-errors"),
            ["zero-warnings"],
        ),
        (("--check", RUFF, "--zero-errors"), ["zero-errors"]),
        (("--check", "make lint", "--zero-warnings"), ["zero-warnings"]),
        (("--check", "npm test", "--tests-pass"), ["tests-pass"]),
        (("--check", RUFF), []),
    ],
)
def test_the_counts_a_loop_is_about(desk: Desk, options: Any, counts: list[str]) -> None:  # noqa: ANN401
    assert contract(desk, *options)["counts"] == counts


def test_the_projects_own_tests_measure_that_they_pass(desk: Desk) -> None:
    desk.write("untildone.toml", CONFIGURED)
    desk.typed("trust", "--yes")

    assert contract(desk, "--preset", "fix", "--tests-pass")["counts"] == [
        "zero-errors",
        "tests-pass",
    ]


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        (
            ("--check", RED, "--zero-warnings"),
            "no check measures `--zero-warnings`",
            'name a check that tells warnings: `--check "npx eslint ."`',
        ),
        (
            ("--check", RUFF, "--tests-pass"),
            "no check measures `--tests-pass`",
            'name the tests: `--check "pytest"`',
        ),
        (
            ("--preset", "fix", "--check", RUFF, "--no-zero-errors"),
            "without errors nothing is left to count",
            "add `--zero-warnings`, `--zero-security` or `--tests-pass`",
        ),
        (
            ("--check", RED, "--target", "gone"),
            "the target `gone` does not exist",
            "name a file or a folder",
        ),
        (
            ("--check", RED, "--todos"),
            "there is no unfinished TODO item",
            "write `- [ ] what is to do` into `TODO.md`",
        ),
        (
            ("--check", RED, "--then", "nonsense"),
            "`--then nonsense`: there is no template `nonsense`",
            "`untildone templates` lists them",
        ),
        (
            ("--check", RED, *(("--then", "x") * 6)),
            "`--then` is given 6 times, 5 is the most",
            "start the rest when these have ended",
        ),
    ],
)
def test_what_could_not_hold_is_refused(
    desk: Desk, options: tuple[str, ...], message: str, hint: str
) -> None:
    assert refused(desk, *options) == error(message, hint)


def test_a_target_lies_in_the_project(desk: Desk) -> None:
    desk.write("src/a.py", "")

    agreed = contract(desk, "--check", RED, "--target", "src/", "--target", "./src/a.py")
    outside = refused(desk, "--check", RED, "--target", "..")

    assert agreed["targets"] == ["src", "src/a.py"]
    assert outside[2].startswith("error: the target `..` is not in ")


def test_todo_items_become_criteria_and_the_task(desk: Desk) -> None:
    desk.write("TODO.md", "- [ ] docs\n- [x] parser\n")

    agreed = contract(desk, "--from-todos")

    assert (agreed["todos"], agreed["done_when"], agreed["checks"]) == (["docs"], "both", [])
    assert agreed["task"].endswith(":\n- [ ] docs")


def test_items_beside_checks_must_be_finished_too(desk: Desk) -> None:
    desk.write("TODO.md", "- [ ] docs\n")
    desk.start("--check", RED, "--todos")
    desk.write("done.txt", "")

    held = desk.event("Stop", last_assistant_message="Done.")

    assert "Unmet: todo `docs`." in str(held)
    desk.write("TODO.md", "- [x] docs\n")
    desk.event("Stop", last_assistant_message="Done.")
    assert desk.json("status")["loops"][0]["outcome"] == "done"


def test_a_vague_promise_is_told_and_taken(desk: Desk) -> None:
    code, _, told = refused(desk, "--promise", "Done")

    assert (code, told.splitlines()[0]) == (
        0,
        "the promise `Done` is vague, an agent says it on the way:"
        ' `--promise "ALL TESTS GREEN"` says what must be true',
    )


def test_bounds_are_changed_while_it_runs(desk: Desk) -> None:
    loop = desk.start("--check", RED, "--rounds", "3")
    desk.event("Stop", last_assistant_message="Done.")

    code, told, _ = desk.typed("continue", loop, "--rounds", "+3")

    assert (code, told.partition(";")[0]) == (0, f"loop {loop} continues, round 1 of 6")
    assert desk.standing(loop) == ("active", None, 1, 6)


def test_bounds_are_changed_by_a_prompt_while_it_runs(desk: Desk) -> None:
    loop = desk.start("--check", RED, "--rounds", "3")

    desk.event("UserPromptSubmit", prompt="/untildone:continue --rounds +2")

    assert desk.standing(loop) == ("active", None, 0, 5)


def test_a_next_loop_that_cannot_begin_is_told_and_the_first_has_ended(desk: Desk) -> None:
    desk.write("untildone.toml", "[templates.next]\ntask = 'go on'\ncommands = ['true']\n")
    desk.typed("trust", "--yes")
    loop = desk.start("--promise", "ALL PAGES WRITTEN", "--then", "next")
    desk.write("untildone.toml", "")

    said = desk.event("Stop", last_assistant_message="ALL PAGES WRITTEN")

    assert said == {
        "systemMessage": "untildone: claimed after 1 round: ended by the agent's words alone |"
        " untildone: `next` could not be started: there is no template `next`;"
        " `untildone templates` lists them"
    }
    assert desk.standing(loop)[:2] == ("finished", "claimed")
