"""`start` with counts, targets, TODO items, a next loop; `continue` while it runs."""

from typing import Any

import pytest

from cli.world import CommandLine, error
from endings import RECEIPT, hide_effort
from snippets import snippet
from world import CHECK, SESSION

CONFIGURED = """\
[checks.test]
command = "pytest"

[checks.lint]
command = "ruff check"
"""
RUFF = "ruff check"


def contract(cli: CommandLine, *options: str) -> Any:  # noqa: ANN401  a contract as it is shown
    return cli.json("show", cli.start(*options))["contract"]


def start_with(cli: CommandLine, *options: str) -> Any:  # noqa: ANN401  exit code and both outputs
    return cli.run("start", "--session", SESSION, *options)


@pytest.mark.parametrize(
    ("options", "counts"),
    [
        (("--preset", "fix", "--check", RUFF), ["zero-errors"]),
        (("--preset", "fix", "--check", CHECK), ["zero-errors"]),
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
def test_the_counts_a_loop_is_about(cli: CommandLine, options: Any, counts: list[str]) -> None:  # noqa: ANN401
    assert contract(cli, *options)["counts"] == counts


def test_the_projects_own_tests_measure_that_they_pass(cli: CommandLine) -> None:
    cli.write("untildone.toml", CONFIGURED)
    cli.run("trust", "--yes")

    assert contract(cli, "--preset", "fix", "--tests-pass")["counts"] == [
        "zero-errors",
        "tests-pass",
    ]


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        (
            ("--check", CHECK, "--zero-warnings"),
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
            ("--check", CHECK, "--target", "gone"),
            "the target `gone` does not exist",
            "name a file or a folder",
        ),
        (
            ("--check", CHECK, "--todos"),
            "there is no unfinished TODO item",
            "write `- [ ] what is to do` into `TODO.md`",
        ),
        (
            ("--check", CHECK, "--then", "nonsense"),
            "`--then nonsense`: there is no template `nonsense`",
            "`untildone templates` lists them",
        ),
        (
            ("--check", CHECK, *(("--then", "x") * 6)),
            "`--then` is given 6 times, 5 is the most",
            "start the rest when these have ended",
        ),
    ],
)
def test_what_could_not_hold_is_refused(
    cli: CommandLine, options: tuple[str, ...], message: str, hint: str
) -> None:
    assert start_with(cli, *options) == error(message, hint)


def test_a_target_lies_in_the_project(cli: CommandLine) -> None:
    cli.write("src/a.py", "")

    agreed = contract(cli, "--check", CHECK, "--target", "src/", "--target", "./src/a.py")
    outside = start_with(cli, "--check", CHECK, "--target", "..")

    assert agreed["targets"] == ["src", "src/a.py"]
    assert outside[2].startswith("error: the target `..` is not in ")


def test_todo_items_become_criteria_and_the_task(cli: CommandLine) -> None:
    cli.write("TODO.md", "- [ ] docs\n- [x] parser\n")

    agreed = contract(cli, "--from-todos")

    assert (agreed["todos"], agreed["done_when"], agreed["checks"]) == (["docs"], "both", [])
    assert agreed["task"].endswith(":\n- [ ] docs")


def test_items_beside_checks_must_be_finished_too(cli: CommandLine) -> None:
    cli.write("TODO.md", "- [ ] docs\n")
    cli.start("--check", CHECK, "--todos")
    cli.write("done.txt", "")

    held = cli.event("Stop", last_assistant_message="Done.")

    assert "Unmet: todo `docs`." in str(held)
    cli.write("TODO.md", "- [x] docs\n")
    cli.event("Stop", last_assistant_message="Done.")
    assert cli.json("status")["loops"][0]["outcome"] == "done"


def test_a_vague_promise_is_reported_and_taken(cli: CommandLine) -> None:
    code, _, reported = start_with(cli, "--promise", "Done")

    assert (code, reported.splitlines()[0]) == (
        0,
        "the promise `Done` is vague, an agent says it on the way:"
        ' `--promise "ALL TESTS GREEN"` says what must be true',
    )


def test_bounds_are_changed_while_it_runs(cli: CommandLine) -> None:
    loop = cli.start("--check", CHECK, "--rounds", "3")
    cli.event("Stop", last_assistant_message="Done.")

    code, stdout, _ = cli.run("continue", loop, "--rounds", "+3")

    assert (code, stdout.partition(";")[0]) == (0, f"loop {loop} continues, round 1 of 6")
    assert cli.standing(loop) == ("active", None, 1, 6)


def test_bounds_are_changed_by_a_prompt_while_it_runs(cli: CommandLine) -> None:
    loop = cli.start("--check", CHECK, "--rounds", "3")

    cli.event("UserPromptSubmit", prompt="/untildone:continue --rounds +2")

    assert cli.standing(loop) == ("active", None, 0, 5)


def test_a_next_loop_that_cannot_begin_is_reported_and_the_first_has_ended(
    cli: CommandLine,
) -> None:
    cli.write(
        "untildone.toml",
        snippet("""
            [templates.next]
            task = 'go on'
            commands = ['true']
        """),
    )
    cli.run("trust", "--yes")
    loop = cli.start("--promise", "ALL PAGES WRITTEN", "--then", "next")
    cli.write("untildone.toml", "")

    said = cli.event("Stop", last_assistant_message="ALL PAGES WRITTEN")

    assert hide_effort(said["systemMessage"]) == (
        f"untildone: claimed after 1 round: ended by the agent's words alone | {RECEIPT} |"
        " untildone: `next` could not be started: there is no template `next`;"
        " `untildone templates` lists them"
    )
    assert cli.standing(loop)[:2] == ("finished", "claimed")
