"""Where the clients keep their hooks."""

import pytest

from untildone.agents.agent import Agent
from untildone.agents.registry import AGENTS


@pytest.mark.parametrize(
    "agent", [agent for agent in AGENTS.values() if "project" in agent.LAYOUT.files]
)
def test_a_project_has_a_folder_of_the_client(agent: Agent) -> None:
    folder = agent.LAYOUT.get_project_folder()
    assert agent.LAYOUT.files["project"].startswith(f"{folder}/")


@pytest.mark.parametrize("agent", AGENTS.values(), ids=list(AGENTS))
def test_a_command_is_typed_by_its_name(agent: Agent) -> None:
    assert agent.LAYOUT.name_command("test").endswith("test")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("claude", "/untildone:approve"), ("codex", "$untildone-approve")],
)
def test_commands_are_named_as_the_clients_user_types_them(name: str, expected: str) -> None:
    text = "Intended? /untildone:approve, or undo it."
    assert AGENTS[name].LAYOUT.rename_commands(text) == f"Intended? {expected}, or undo it."
