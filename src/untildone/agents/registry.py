"""The table of agents, each with the module that the engine and the commands use."""

from untildone.agents.agent import Agent
from untildone.agents.claude import agent as claude
from untildone.agents.codex import agent as codex
from untildone.agents.copilot import agent as copilot
from untildone.agents.cursor import agent as cursor
from untildone.agents.gemini import agent as gemini
from untildone.agents.qwen import agent as qwen

AGENTS: dict[str, Agent] = {
    "claude": claude,
    "codex": codex,
    "gemini": gemini,
    "qwen": qwen,
    "copilot": copilot,
    "cursor": cursor,
}
