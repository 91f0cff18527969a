"""The table of agents, each with the modules that the engine and the commands use."""

from untildone.agents import NAMES
from untildone.agents.agent import Agent
from untildone.agents.claude import agent as claude
from untildone.agents.codex import agent as codex
from untildone.agents.gemini import agent as gemini
from untildone.agents.qwen import agent as qwen

AGENTS: dict[str, Agent] = dict(zip(NAMES, (claude, codex, gemini, qwen), strict=True))
