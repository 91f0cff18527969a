"""What the client permits of the commands that we give to the agent, where Bash is not allowed."""

from pathlib import Path

import pytest

from client.harness import Client
from client.model_server import ModelServer
from client.script import Step, bash
from client.world import ClientWorld

pytestmark = pytest.mark.client

CHECK = "untildone check"
GIVEN = (
    "untildone status",
    "untildone show --at-start readme.txt",
    "untildone note 'seen'",
    CHECK,
    "untildone check check 2>&1 | tail -5",
)
USERS = ("untildone cancel", "untildone approve --all", "untildone trust", "untildone clean")


def list_denied(world: ClientWorld, commands: tuple[str, ...]) -> list[str]:
    """The commands that the client or our guard did not let through, of one turn each."""
    script: list[Step] = [*map(bash, commands), "I stop.", "I stop.", "I stop."]
    with ModelServer(script) as server:
        client: Client = world.client(server)
        modes = ("--permission-mode", "acceptEdits", "--max-turns", str(len(commands) + 1))
        result = client.run(
            "please work", "--session-id", world.session, *world.plugin(), *modes, limit=60
        )
    denials = [denial for ended in result.results for denial in ended["permission_denials"]]
    return [str(denial["tool_input"]["command"]) for denial in denials]


@pytest.mark.parametrize("install", ["settings", "plugin"])
def test_commands_given_to_the_agent_of_a_loop_are_permitted(tmp_path: Path, install: str) -> None:
    world = ClientWorld(tmp_path, install=install)
    world.start()

    assert list_denied(world, (*GIVEN, "make", *USERS)) == ["make", *USERS]


def test_without_a_loop_the_client_asks_before_checks_run(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)

    assert list_denied(world, (CHECK, *GIVEN[:3])) == [CHECK]
