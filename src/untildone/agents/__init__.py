"""The supported agents, each in its own modules that only translate."""

from untildone.agents import claude
from untildone.agents.agent import Agent

AGENTS: dict[str, Agent] = {"claude": claude}
