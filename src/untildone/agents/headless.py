"""Headless runs of an agent: the call, the events of its output, the result."""

from typing import Literal, Protocol, TypeAlias, runtime_checkable

from msgspec import Struct

# Why an agent could not work, by the remedy: `lost` is a conversation that the client does not
# know, `denied` means that it had no permission for a tool.
ClientFault: TypeAlias = Literal[
    "limit",
    "authentication",
    "billing",
    "refused",
    "overloaded",
    "network",
    "lost",
    "missing",
    "crashed",
    "denied",
]


# The beginning of a report in a command's output.
REPORT = "untildone-verb: "


class ClientCall(Struct, frozen=True, kw_only=True):
    """One call of the client; it reads the prompt from stdin."""

    session: str
    # The client's own name of the conversation, if it does not take ours.
    client_session: str = ""
    # Whether the client already knows this conversation and resumes it.
    begun: bool = False
    # What this call may cost; 0 means no limit.
    budget_usd: float = 0
    # The user's own arguments for the client.
    arguments: tuple[str, ...] = ()


class RunEvent(Struct, frozen=True, kw_only=True, tag_field="event", tag=lambda name: name.lower()):
    """An event of a run, as it is displayed and printed by `run --json`."""


class Tool(RunEvent, frozen=True, kw_only=True):
    name: str
    detail: str = ""


class AgentText(RunEvent, frozen=True, kw_only=True, tag="said"):
    text: str


class TextPart(RunEvent, frozen=True, kw_only=True):
    """A part of the agent's text; parts without another event between them are one text."""

    text: str


class ContextFill(RunEvent, frozen=True, kw_only=True, tag="filled"):
    """How many tokens of its context the model has used."""

    tokens: int


class StepCost(RunEvent, frozen=True, kw_only=True, tag="spent"):
    """What one step of this call has cost, from clients that tell no sum."""

    cost_usd: float


class Denied(RunEvent, frozen=True, kw_only=True):
    """A tool call for which the client had no permission."""

    tool: str
    reason: str = ""


class Limited(RunEvent, frozen=True, kw_only=True):
    """A usage limit was reached; `until` is its end in seconds since the epoch."""

    until: float


class Retrying(RunEvent, frozen=True, kw_only=True):
    """The client repeats a failed request by itself."""

    reason: str
    attempt: int = 0


class SessionNamed(RunEvent, frozen=True, kw_only=True, tag="named"):
    """The client says by which id it resumes this conversation."""

    session: str


class Relayed(RunEvent, frozen=True, kw_only=True):
    """A shell command whose output may hold reports: a sandboxed shell cannot write our state."""

    command: str
    output: str


class Returned(RunEvent, frozen=True, kw_only=True):
    """The client's result of one prompt; `cost_usd` is the cost of the whole conversation.

    Without a message the agent's last text is its message.
    """

    message: str = ""
    cost_usd: float | None = None
    turns: int = 0
    # The model's context window in tokens; 0 if unknown.
    window: int = 0
    fault: ClientFault | None = None
    reason: str = ""
    until: float = 0


ClientEvent: TypeAlias = (
    Tool
    | AgentText
    | TextPart
    | ContextFill
    | StepCost
    | Denied
    | Limited
    | Retrying
    | SessionNamed
    | Relayed
    | Returned
)


class Program(Protocol):
    """What every client has that runs without a user."""

    # the program's name, to be found on PATH
    @property
    def PROGRAM(self) -> str: ...

    # environment variables of an outer session that the client must not see
    @property
    def SESSION_VARIABLES(self) -> frozenset[str]: ...

    # what to do about each fault
    @property
    def REMEDIES(self) -> dict[ClientFault, str]: ...

    # the arguments after the program
    def build_arguments(self, call: ClientCall) -> tuple[str, ...]: ...

    # why it ended without a result, from its stderr
    def classify_failure(self, stderr: str) -> ClientFault: ...


class Headless(Program, Protocol):
    """A client that reads the prompt from stdin and prints what happens."""

    # the events in one line of its output
    def parse_line(self, line: bytes) -> tuple[ClientEvent, ...]: ...


class Dialogue(Protocol):
    """One prompt to a client that asks back; it is over with the event `Returned`."""

    # what the client is sent first
    def begin(self) -> bytes: ...

    # what the client is sent after a line of its output, and the events in that line
    def answer(self, line: bytes) -> tuple[bytes, tuple[ClientEvent, ...]]: ...

    # what the client is sent when the user stops it
    def cancel(self) -> bytes: ...


@runtime_checkable
class Interactive(Program, Protocol):
    """A client with which messages are exchanged while it works."""

    # the messages of one call; the client works in `folder`
    def open_dialogue(self, call: ClientCall, prompt: str, *, folder: str) -> Dialogue: ...
