"""`start --zero-security`: the agent is held until no security finding is left."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from checks.security.bare import PATH, bare_python
from cli.desk import OTHER, RED, SESSION, Desk, error

SECURITY = f"{sys.executable} -I -m untildone.checks.security"
RULE = "id: no-todo\nlanguage: Python\nmessage: not finished\nrule: {kind: comment, regex: TODO}\n"


def checks(desk: Desk, loop: str) -> list[tuple[str, str]]:
    agreed: dict[str, Any] = desk.json("show", loop)["contract"]
    return [(check["name"], check["command"]) for check in agreed["checks"]]


def test_it_holds_until_the_finding_is_gone(desk: Desk) -> None:
    desk.write("shop.py", "import os\n\n\ndef show(name):\n    os.system(f'ls {name}')\n")

    started = desk.untildone("start", "--session", SESSION, "--zero-security")

    assert (started.returncode, started.stderr.splitlines()[0][:24]) == (
        0,
        "security: red, 1 finding",
    )
    held = desk.event("Stop", last_assistant_message="Done.")
    told = str(held["hookSpecificOutput"])
    assert "shop.py: 1 security finding\\n    5: python-command-injection" in told
    desk.write("shop.py", "import os\n\n\ndef show(name):\n    os.listdir(name)\n")
    desk.event("Stop", last_assistant_message="Done.")
    assert desk.json("status")["loops"][0]["outcome"] == "done"


def test_it_stands_beside_the_checks_that_are_given_or_found(desk: Desk) -> None:
    assert checks(desk, desk.start("--zero-security")) == [("security", SECURITY)]
    desk.write("Makefile", "test:\n\tfalse\n")
    found = desk.start("--zero-security", session=OTHER)
    assert checks(desk, found) == [("test", "make test"), ("security", SECURITY)]
    desk.untildone("cancel", found)
    given = desk.start("--check", RED, "--zero-security", session=OTHER)
    assert checks(desk, given) == [("check", RED), ("security", SECURITY)]


def test_a_check_of_the_same_name_stays_another_one(desk: Desk) -> None:
    desk.write("untildone.toml", "[checks.security]\ncommand = 'true'\n")
    desk.typed("trust", "--yes")

    loop = desk.start("--zero-security")

    assert checks(desk, loop) == [("security", "true"), ("security-2", SECURITY)]


def test_a_preset_that_finds_nothing_is_still_told(desk: Desk) -> None:
    code, shown, _ = desk.typed(
        "start", "--session", SESSION, "--preset", "test", "--zero-security"
    )

    assert (code, shown) == (2, "")


def test_rules_of_the_person(desk: Desk) -> None:
    desk.write("rules/todo.yml", RULE)
    desk.write("shop.py", "# TODO\n")

    started = desk.json("start", "--session", SESSION, "--security-rules", "rules")

    assert started["checks"] == [f"{SECURITY} --rules rules"]
    assert started["red_at_start"] == ["security"]


def test_without_the_extra_it_says_how_to_install_it(desk: Desk, tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *(bare_python(tmp_path / "bare"), "-I", "-m", "untildone"),
            *("start", "--session", SESSION, "--zero-security"),
        ],
        cwd=desk.project,
        env={**desk.environ, "PATH": PATH},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == error(
        "`ast-grep`, which looks for security findings, is not installed",
        "`pip install 'untildone[security]'`",
    )
    assert desk.json("status")["loops"] == []
