"""The table of agents, each with the modules that the engine and the commands use."""

from untildone.agents import NAMES
from untildone.agents.acp.agent import AcpAgent
from untildone.agents.agent import Agent
from untildone.agents.claude import agent as claude
from untildone.agents.codex import agent as codex
from untildone.agents.opencode import agent as opencode

AGENTS: dict[str, Agent] = dict(zip(NAMES, (claude, codex, opencode), strict=True))


def find_agent(name: str) -> Agent:
    """Return the agent of that name, such as `claude` or `acp:gemini --acp`."""
    kind, _, command = name.partition(":")
    return AcpAgent(command=command) if kind == "acp" else AGENTS[name]
