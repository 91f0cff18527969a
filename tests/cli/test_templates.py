"""Named loops: built in or the repository's, with what they come to in this project."""

import sys
from typing import Any

import pytest

from cli.world import CommandLine, error
from snippets import snippet
from world import SESSION

CONFIGURED = """\
[checks.test]
command = "pytest"

[checks.types]
command = "mypy --strict src"

[checks.lint]
command = "ruff check"

[templates.port]
task = "Port {argument} to the new parser"
checks = ["test", "lint"]
commands = ["make e2e"]
criteria = ["docs describe it=review"]
promises = ["PORTED"]
must_not = ["test -f broken"]
done_when = "both"
rounds = 7
budget = 3.5
minutes = 30
round_minutes = 5
stagnation_limit = 2

[templates.plain]
task = "Do it"
"""


@pytest.fixture(autouse=True)
def _configured(cli: CommandLine) -> None:
    cli.write("untildone.toml", CONFIGURED)
    assert cli.run("trust", "--yes")[0] == 0


def contract(cli: CommandLine, *arguments: str) -> Any:  # noqa: ANN401  a contract as it is shown
    loop = cli.start("--template", *arguments)
    return cli.json("show", loop)["contract"]


def run_start(cli: CommandLine, *arguments: str) -> Any:  # noqa: ANN401  exit code and both outputs
    return cli.run("start", "--session", SESSION, "--template", *arguments)


def list_templates(cli: CommandLine) -> dict[str, Any]:
    return {each["name"]: each for each in cli.json("templates")["templates"]}


def commands(contract: Any) -> list[str]:  # noqa: ANN401  as above
    return [check["command"] for check in contract["checks"]]


def test_a_template_of_the_repository_is_the_whole_contract(cli: CommandLine) -> None:
    agreed = contract(cli, "port", "the lexer")

    assert commands(agreed) == ["pytest", "ruff check", "make e2e"]
    assert {
        key: agreed[key] for key in ("task", "promises", "claims", "must_not", "done_when")
    } == {
        "task": "Port the lexer to the new parser",
        "promises": ["PORTED"],
        "claims": [{"name": "docs describe it", "verification": "review"}],
        "must_not": ["test -f broken"],
        "done_when": "both",
    }
    assert agreed["bounds"] == {
        "rounds": 7,
        "budget_usd": 3.5,
        "minutes": 30,
        "round_minutes": 5,
        "stagnation": 2,
    }


def test_what_is_given_stands_before_it(cli: CommandLine) -> None:
    options = ("--task", "mine", "--rounds", "10", "--check", "true", "--promise", "MINE")
    agreed = contract(cli, "port", "x", *options)

    assert (agreed["task"], commands(agreed)) == ("mine", ["true"])
    assert (agreed["promises"], agreed["bounds"]["rounds"]) == (["MINE"], 10)
    assert agreed["bounds"]["budget_usd"] == 3.5


def test_one_that_names_no_checks_takes_those_of_the_project(cli: CommandLine) -> None:
    agreed = contract(cli, "plain")

    assert commands(agreed) == ["pytest", "mypy --strict src", "ruff check"]
    assert agreed["bounds"]["rounds"] == 10


def test_those_built_in(cli: CommandLine) -> None:
    every = ["pytest", "mypy --strict src", "ruff check"]
    again = f"{sys.executable} -I -m untildone.checks.repeat 5 pytest"
    covered = "pytest --cov --cov-report=term-missing:skip-covered --cov-fail-under=80"

    found = {name: each["checks"] for name, each in list_templates(cli).items()}

    assert found == {
        "fix-tests": ["pytest"],
        "lint-clean": ["ruff check"],
        "migrate-types": ["mypy --strict src", "pytest"],
        "dependency-upgrade": every,
        "implement-spec": every,
        **dict.fromkeys(("refactor", "write-docs", "change-settings", "remove-code"), every),
        "add-tests": ["pytest"],
        "coverage-to": [covered],
        "refine-plan": [
            f"{sys.executable} -I -m untildone plan {verb} --plan TASKS.json"
            for verb in ("validate", "refine")
        ],
        "flaky-hunt": [again],
        "port": ["pytest", "ruff check", "make e2e"],
        "plain": every,
    }


def test_the_argument_reaches_the_check(cli: CommandLine) -> None:
    cli.write("untildone.toml", "")
    cli.write("package.json", '{"scripts": {"test": "exit 1"}}')

    (command,) = commands(contract(cli, "flaky-hunt", "2"))

    assert command.endswith("-m untildone.checks.repeat 2 'npm test'")


def test_a_project_without_checks_can_be_specified(cli: CommandLine) -> None:
    cli.write("untildone.toml", "")

    agreed = contract(cli, "implement-spec", "untildone.toml")

    assert (agreed["checks"], agreed["done_when"]) == ([], "both")
    assert agreed["task"].startswith("Implement what `untildone.toml` specifies")


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (
            ("fix-test",),
            "there is no template `fix-test`; did you mean `fix-tests`?",
            "`untildone templates` lists them",
        ),
        (("x",), "there is no template `x`", "`untildone templates` lists them"),
        (("fix-tests", "now"), "the template `fix-tests` takes no `now`", "leave it out"),
        (
            ("coverage-to",),
            "the template `coverage-to` needs N",
            "for example `untildone start --template coverage-to 80`",
        ),
        *(
            (
                ("coverage-to", text),
                f"`{text}` is not a number from 1 to 100",
                "give a whole number",
            )
            for text in ("0", "101", "80%", "-1")
            if not text.startswith("-")
        ),
        (("flaky-hunt", "999"), "`999` is not a number from 1 to 100", "give a whole number"),
    ],
)
def test_a_template_that_cannot_be(
    cli: CommandLine, arguments: tuple[str, ...], message: str, hint: str
) -> None:
    assert run_start(cli, *arguments) == error(message, hint)


def test_a_specification_that_is_not_there(cli: CommandLine) -> None:
    assert run_start(cli, "implement-spec", "SPEC.md") == error(
        f"`SPEC.md` is not a file in `{cli.project}`", "name the specification's file"
    )


def test_a_project_without_a_type_checker(cli: CommandLine) -> None:
    cli.write("untildone.toml", "")

    assert run_start(cli, "migrate-types") == error(
        f"no type checker was found in `{cli.project}`",
        'name it: `untildone start --template migrate-types --check "mypy --strict src"`',
    )
    assert commands(contract(cli, "migrate-types", "--check", "mypy .")) == ["mypy ."]


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("shop.py", ["mypy ."]),
        ("tests/__init__.py", ["mypy ."]),
        ("tests/test_shop.py", ["mypy .", "pytest"]),
    ],
)
def test_types_need_no_test_check_where_there_are_no_tests(
    cli: CommandLine, file: str, expected: list[str]
) -> None:
    cli.write("untildone.toml", "")
    cli.write("pyproject.toml", "[tool.mypy]\n")
    cli.write(file, "import pytest\n")

    found = commands(contract(cli, "migrate-types"))

    assert [command.split(" -m ")[-1] for command in found] == expected


def test_an_argument_without_a_template(cli: CommandLine) -> None:
    assert cli.run("start", "--session", SESSION, "do it") == error(
        "`do it` is an argument without a template", 'give a task with `--task "TEXT"`'
    )


def test_a_check_the_project_does_not_have(cli: CommandLine) -> None:
    cli.write(
        "untildone.toml",
        snippet("""
            [templates.a]
            checks = ['tset']
            [checks.test]
            command = 'x'
        """),
    )
    cli.run("trust", "--yes")

    assert run_start(cli, "a") == error(
        "the template's `tset` is not a check of this project (there are: `test`)",
        "`untildone detect` shows where they come from",
    )


def test_one_of_the_repository_needs_trust(cli: CommandLine) -> None:
    cli.write("untildone.toml", CONFIGURED + "# changed\n")

    assert run_start(cli, "plain") == error(
        "the template `plain` is in a configuration that is not trusted",
        "`untildone trust` shows it and asks",
    )
    code, stdout, stderr = cli.run("templates")
    assert (code, "plain" in stdout) == (0, False)
    assert stderr == "`untildone.toml` is not trusted and ignored; `untildone trust` shows it\n"


def test_an_agent_may_not_go_past_the_ceilings_by_a_template(cli: CommandLine) -> None:
    cli.write("untildone.toml", CONFIGURED.replace("rounds = 7", "rounds = 500"))
    cli.run("trust", "--yes")
    cli.event("SessionStart", source="startup")
    cli.agent_calls_a_tool()

    done = cli.untildone("start", "--template", "port", "x", CLAUDE_CODE_SESSION_ID=SESSION)

    assert (done.returncode, done.stderr.splitlines()[0]) == (
        2,
        "error: an agent may start a loop with at most 50 rounds",
    )


def test_they_are_listed_with_checks_and_bounds(cli: CommandLine) -> None:
    code, stdout, stderr = cli.run("templates")

    blocks = stdout.split("\n")
    start = blocks.index("port TEXT  (untildone.toml)")
    assert (code, stderr) == (0, "")
    assert blocks[start : start + 8] == [
        "port TEXT  (untildone.toml)",
        "  Port TEXT to the new parser",
        "  check `pytest`",
        "  check `ruff check`",
        "  check `make e2e`",
        "  claim `docs describe it`",
        "  promise `PORTED`",
        "  7 rounds, 3.5 USD, 30 minutes",
    ]
    names = [line.split()[0] for line in blocks if line and not line.startswith(" ")]
    assert names == [
        *("fix-tests", "lint-clean", "migrate-types", "dependency-upgrade", "implement-spec"),
        *("coverage-to", "refine-plan", "flaky-hunt", "refactor", "write-docs"),
        *("change-settings", "remove-code", "add-tests", "port", "plain"),
    ]


def test_what_cannot_be_started_here_says_why(cli: CommandLine) -> None:
    cli.write("untildone.toml", "")

    found = list_templates(cli)

    assert found["lint-clean"]["unusable"] == f"no lint command was found in `{cli.project}`"
    assert found["implement-spec"]["unusable"] == ""
    assert found["flaky-hunt"]["argument"] == "[N]"
