"""Which lines of shell are calls that we gave to the agent, and nothing else."""

import pytest

from untildone.commands.agent_calls import is_agent_call

PERMITTED = [
    "untildone check",
    "untildone check test lint:ruff --no-cache --json",
    "untildone check 2>&1 | tail -40",
    "untildone show",
    "untildone show --at-start tests/test_a.py",
    "untildone show --at-start 'a b.py' 1f2e",
    "untildone met 'reads well' --by review --evidence \"read it twice; it's fine!\"",
    "untildone met works --evidence='seen'",
    "untildone note 'a; b $(c)' && untildone signal",
    "untildone status; untildone blocked 'no network'\n",
    "untildone plan show TASK-001",
]
ASKED = [
    *(f"untildone {verb}" for verb in ("cancel", "approve --all", "trust", "continue", "clean")),
    *(f"untildone {verb}" for verb in ("start --preset test", "run x", "init", "checks", "plan")),
    'untildone note "$(rm -rf .)"',
    "untildone note `id`",
    "untildone note a > file",
    "untildone check | sh",
    "untildone check & rm a",
    "untildone check && rm a",
    "untildone status; ls",
    "untildone check --project /elsewhere",
    "untildone check --sarif ~/.profile",
    "untildone check --jun''it a",
    "untildone show --reports out",
    "untildone show --at-start a --reports out",
    "untildone check $HOME",
    "./untildone check",
    "cd /elsewhere && untildone check",
    "",
]


@pytest.mark.parametrize("command", PERMITTED)
def test_a_command_that_we_gave_to_the_agent_is_known(command: str) -> None:
    assert is_agent_call(command)


@pytest.mark.parametrize("command", ASKED)
def test_anything_else_on_the_line_makes_it_another_command(command: str) -> None:
    assert not is_agent_call(command)


def test_a_long_line_is_read_fast() -> None:
    assert not is_agent_call("untildone note " + "a" * 100_000 + " '" * 10_001)
