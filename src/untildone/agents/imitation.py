"""How a client is imitated, so that the drill can fire its hooks without it."""

from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Struct


class ImitatedSession(Struct, frozen=True, kw_only=True):
    """A session of the drill; `process` is the id of the process that stands for the client."""

    id: str
    process: str


class Imitation(Protocol):
    # the variables of hooks and of the agent's shell
    def list_variables(self, session: ImitatedSession, /) -> dict[str, str]: ...

    # the payload of an event, from one in the words that all hooks use
    def write_payload(self, event: str, fields: Mapping[str, Any], /) -> dict[str, Any]: ...
