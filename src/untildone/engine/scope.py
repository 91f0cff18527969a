"""What an event is about: enough to tell cheaply whether a feature is used in it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from pathlib import Path

    from untildone.core.contract import Contract
    from untildone.engine.request import Request, StartOptions
    from untildone.store.sessions import Session

# The agent's tool calls since its last stop, by the name of the file that has them.
Calls: TypeAlias = dict[str, list[dict[str, object]]]


class Scope(Struct, frozen=True, kw_only=True):
    """`event` is the client's name of it, or `start`, `end`, `verb`, `status`, `doctor`."""

    event: str
    session: Session | None = None
    # As it stands with its amendments; None where no loop is concerned.
    contract: Contract | None = None
    # Where the loop keeps its files.
    folder: Path | None = None
    calls: Calls = {}
    # The agent's last message.
    message: str = ""
    request: Request | None = None
    # What a command line or a prompt that starts a loop says.
    options: StartOptions | None = None
    # The verb of the agent, or the preset that a prompt asks for.
    name: str = ""

    def uses_tool(self, *tools: str) -> bool:
        return any(call.get("tool_name") in tools for call in iterate_calls(self.calls))


def iterate_calls(calls: Calls) -> Iterator[dict[str, object]]:
    return chain.from_iterable(calls.values())
