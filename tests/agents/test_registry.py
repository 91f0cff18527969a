"""The table of agents."""

from untildone.agents import NAMES
from untildone.agents.registry import AGENTS


def test_each_agent_is_found_by_its_name() -> None:
    assert [agent.NAME for agent in AGENTS.values()] == list(NAMES)
