"""`start --zero-security`: the agent is held until no security finding is left."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from checks.security.bare import PATH, bare_python
from cli.world import CommandLine, error
from snippets import snippet
from world import CHECK, OTHER_SESSION, SESSION

SECURITY = f"{sys.executable} -I -m untildone.checks.security"
RULE = """\
id: no-todo
language: Python
message: not finished
rule: {kind: comment, regex: TODO}
"""


def checks(cli: CommandLine, loop: str) -> list[tuple[str, str]]:
    agreed: dict[str, Any] = cli.json("show", loop)["contract"]
    return [(check["name"], check["command"]) for check in agreed["checks"]]


def test_it_holds_until_the_finding_is_gone(cli: CommandLine) -> None:
    cli.write(
        "shop.py",
        snippet("""
            import os


            def show(name):
                os.system(f'ls {name}')
        """),
    )

    started = cli.untildone("start", "--session", SESSION, "--zero-security")

    assert (started.returncode, started.stderr.splitlines()[0][:24]) == (
        0,
        "security: red, 1 finding",
    )
    held = cli.event("Stop", last_assistant_message="Done.")
    reported = str(held["hookSpecificOutput"])
    assert "shop.py: 1 security finding\\n    5: python-command-injection" in reported
    cli.write(
        "shop.py",
        snippet("""
            import os


            def show(name):
                os.listdir(name)
        """),
    )
    cli.event("Stop", last_assistant_message="Done.")
    assert cli.json("status")["loops"][0]["outcome"] == "done"


def test_it_stands_beside_the_checks_that_are_given_or_found(cli: CommandLine) -> None:
    assert checks(cli, cli.start("--zero-security")) == [("security", SECURITY)]
    cli.write("Makefile", "test:\n\tfalse\n")
    found = cli.start("--zero-security", session=OTHER_SESSION)
    assert checks(cli, found) == [("test", "make test"), ("security", SECURITY)]
    cli.untildone("cancel", found)
    given = cli.start("--check", CHECK, "--zero-security", session=OTHER_SESSION)
    assert checks(cli, given) == [("check", CHECK), ("security", SECURITY)]


def test_a_check_of_the_same_name_stays_another_one(cli: CommandLine) -> None:
    cli.write("untildone.toml", "[checks.security]\ncommand = 'true'\n")
    cli.run("trust", "--yes")

    loop = cli.start("--zero-security")

    assert checks(cli, loop) == [("security", "true"), ("security-2", SECURITY)]


def test_a_preset_that_finds_nothing_is_still_reported(cli: CommandLine) -> None:
    code, stdout, _ = cli.run("start", "--session", SESSION, "--preset", "test", "--zero-security")

    assert (code, stdout) == (2, "")


def test_rules_of_the_user(cli: CommandLine) -> None:
    cli.write("rules/todo.yml", RULE)
    cli.write("shop.py", "# TODO\n")

    started = cli.json("start", "--session", SESSION, "--security-rules", "rules")

    assert started["checks"] == [f"{SECURITY} --rules rules"]
    assert started["red_at_start"] == ["security"]


def test_without_the_extra_it_says_how_to_install_it(cli: CommandLine, tmp_path: Path) -> None:
    bare = bare_python(tmp_path / "bare")

    done = subprocess.run(
        [
            *(bare, "-I", "-m", "untildone"),
            *("start", "--session", SESSION, "--zero-security"),
        ],
        cwd=cli.project,
        env={**cli.environ, "PATH": PATH},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == error(
        "`ast-grep`, which looks for security findings, is not installed",
        f"`{bare} -m pip install 'ast-grep-cli<1,>=0.38'`",
    )
    assert cli.json("status")["loops"] == []
