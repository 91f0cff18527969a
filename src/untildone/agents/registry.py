"""The table of agents, each with the module that the engine and the commands use."""

from untildone.agents.acp.agent import AcpAgent
from untildone.agents.agent import Agent
from untildone.agents.claude import agent as claude
from untildone.agents.codex import agent as codex
from untildone.agents.copilot import agent as copilot
from untildone.agents.cursor import agent as cursor
from untildone.agents.gemini import agent as gemini
from untildone.agents.opencode import agent as opencode
from untildone.agents.qwen import agent as qwen

AGENTS: dict[str, Agent] = {
    "claude": claude,
    "codex": codex,
    "gemini": gemini,
    "qwen": qwen,
    "copilot": copilot,
    "cursor": cursor,
    "opencode": opencode,
}


def find_agent(name: str) -> Agent:
    """Return the agent of that name, such as `claude` or `acp:gemini --acp`."""
    kind, _, command = name.partition(":")
    return AcpAgent(command=command) if kind == "acp" else AGENTS[name]
