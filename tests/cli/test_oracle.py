"""`start --oracle`: the user's alone, outside of the project, and withheld from what is shown."""

import json
from pathlib import Path

import pytest

from cli.world import CommandLine
from world import CHECK, SESSION

MINE = ("start", "--session", SESSION, "--check", CHECK)


@pytest.fixture
def cli(tmp_path: Path) -> CommandLine:
    made = CommandLine(tmp_path)
    for place in (tmp_path / "hidden.py", made.project / "inside.py"):
        place.write_text("raise SystemExit(0)\n", encoding="utf-8")
    return made


def test_it_is_agreed_on_and_withheld(cli: CommandLine) -> None:
    hidden = cli.home.parent / "hidden.py"
    assert cli.untildone(*MINE, "--oracle", str(hidden)).returncode == 0

    shown = cli.untildone("show")
    raw = cli.untildone("show", "--json")

    assert "- a hidden check of the user, run to confirm" in shown.stdout
    assert json.loads(raw.stdout)["contract"]["oracle"] == {
        "path": "withheld",
        "sha256": "withheld",
    }
    assert "hidden.py" not in shown.stdout + raw.stdout


def test_one_inside_of_the_project_is_refused(cli: CommandLine) -> None:
    done = cli.untildone(*MINE, "--oracle", "inside.py")

    assert (done.returncode, done.stderr) == (
        2,
        "error: the oracle `inside.py` lies inside of the project\n\n"
        "hint: keep it elsewhere: `mv` it out of the repository, and its history\n",
    )


def test_without_a_check_there_is_nothing_to_confirm(cli: CommandLine) -> None:
    hidden = str(cli.home.parent / "hidden.py")
    done = cli.untildone("start", "--session", SESSION, "--promise", "X", "--oracle", hidden)

    assert done.stderr == (
        "error: `--oracle` only confirms checks, and there is none\n\n"
        'hint: name one: `--check "YOUR COMMAND"`\n'
    )
