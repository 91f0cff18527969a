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
