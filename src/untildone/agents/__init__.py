"""One module per agent: translation only."""

from untildone.agents import claude
from untildone.agents.agent import Agent

AGENTS: dict[str, Agent] = {"claude": claude}
