"""The agents by name."""

import pytest

from untildone.agents import NAMES
from untildone.agents.agent import Agent
from untildone.agents.claude import agent as claude
from untildone.agents.codex import agent as codex
from untildone.agents.copilot import agent as copilot
from untildone.agents.cursor import agent as cursor
from untildone.agents.gemini import agent as gemini
from untildone.agents.opencode import agent as opencode
from untildone.agents.qwen import agent as qwen
from untildone.agents.registry import AGENTS

# By this the type checker sees that each module has what an agent needs.
MODULES: tuple[Agent, ...] = (claude, codex, gemini, qwen, copilot, cursor, opencode)


def test_each_agent_is_found_by_its_name() -> None:
    assert [agent.NAME for agent in AGENTS.values()] == list(NAMES)
    assert list(AGENTS.values()) == list(MODULES)
    assert len(AGENTS) == len(NAMES)


def test_there_is_no_other() -> None:
    assert "json" not in AGENTS
    with pytest.raises(KeyError):
        AGENTS["json"]
