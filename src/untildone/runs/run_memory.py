"""The state of a headless run, stored with its loop so that it can be resumed."""

from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct

from untildone.engine.context import Context
from untildone.runs.client_call import Return
from untildone.store.durable_files import write_atomically

# Whether the next round uses the same conversation; `auto` depends on how full it is.
Mode: TypeAlias = Literal["auto", "resume", "fresh"]
_NAME = "run.json"


class RunOptions(Struct, frozen=True, kw_only=True):
    """The user's options; `client` replaces the agent's own program."""

    mode: Mode = "auto"
    # Whether to wait for the end of a usage limit.
    wait: bool = True
    client: str = ""
    arguments: tuple[str, ...] = ()
    # The agents that take over, one after another, when one is at its limit or stagnates.
    successors: tuple[str, ...] = ()


class RunMemory(Struct, frozen=True, kw_only=True, rename={"options": "how"}):
    options: RunOptions = RunOptions()
    # The client may still have the conversation, so it is resumed.
    begun: bool = False
    # The client's own name of the conversation, if it does not take ours.
    client_session: str = ""
    # In USD, of this conversation and of earlier ones; None if no client reported costs.
    spent_here: float | None = None
    spent_before: float = 0
    # Calls that returned; the last return until it is judged, and the number of its round.
    calls: int = 0
    returned: Return | None = None
    round: int = 0

    @property
    def spent(self) -> float | None:
        """Return the costs of all conversations in USD; None if no client reported any."""
        is_known = self.spent_before or self.spent_here is not None
        return self.spent_before + (self.spent_here or 0) if is_known else None


def read(context: Context, loop: str) -> RunMemory | None:
    """Return the stored state, or None for a loop that no run drives."""
    try:
        data = (context.loops.get_folder(loop) / _NAME).read_bytes()
        return msgspec.json.decode(data, type=RunMemory)
    except (FileNotFoundError, msgspec.MsgspecError):
        return None


def write(context: Context, loop: str, memory: RunMemory) -> None:
    path = context.loops.get_folder(loop) / _NAME
    write_atomically(path, msgspec.json.encode(memory), keep_previous=False)


def forget(context: Context, loop: str) -> None:
    """Remove the stored state: the loop continues in a session of the user."""
    (context.loops.get_folder(loop) / _NAME).unlink(missing_ok=True)
