"""The agents by name, each with the module that the engine and the commands use.

A module is imported when it is first asked for: a hook needs one of them.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import cast

from untildone.agents import NAMES
from untildone.agents.agent import Agent


class _Agents(Mapping[str, Agent]):
    def __getitem__(self, name: str) -> Agent:
        if name not in NAMES:
            raise KeyError(name)
        return cast(Agent, import_module(f"untildone.agents.{name}.agent"))

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


AGENTS: Mapping[str, Agent] = _Agents()


def find_agent(name: str) -> Agent:
    """Return the agent of that name, such as `claude` or `acp:gemini --acp`."""
    kind, _, command = name.partition(":")
    if kind != "acp":
        return AGENTS[name]
    # Imported here as above.
    from untildone.agents.acp.agent import AcpAgent

    return AcpAgent(command=command)
