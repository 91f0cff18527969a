"""What an event is about, so that each feature can say whether it has anything to do with it.

The question is cheap; only features that say yes are imported.
"""

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

# The payloads of the agent's tool calls since its last stop, by the name of the file that has them.
Calls: TypeAlias = dict[str, list[dict[str, object]]]


class Scope(Struct, frozen=True, kw_only=True):
    """An event and what is known of it; fields that the event does not have stay empty.

    `event` is the client's name (`Stop`), or `start`, `end`, `verb`, `status` or `doctor`.
    """

    event: str
    session: Session | None = None
    # None where no loop is concerned.
    contract: Contract | None = None
    # Where the loop keeps its files.
    folder: Path | None = None
    calls: Calls = {}
    # The agent's last message.
    message: str = ""
    request: Request | None = None
    # The options of a command line or a prompt that starts a loop.
    options: StartOptions | None = None
    # The verb of the agent, or the preset that a prompt asks for.
    name: str = ""

    def uses_tool(self, *tools: str) -> bool:
        """Say whether the agent has called one of these tools since its last stop."""
        return any(call.get("tool_name") in tools for call in iterate_calls(self.calls))


def iterate_calls(calls: Calls) -> Iterator[dict[str, object]]:
    """Yield the tool calls of all files."""
    return chain.from_iterable(calls.values())
