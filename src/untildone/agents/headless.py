"""Running an agent without a person: what it is asked, what it says meanwhile, how it returns."""

from typing import Literal, Protocol, TypeAlias

from msgspec import Struct

# What kept an agent from working, told apart by what mends it: `lost` is a conversation that the
# client does not know (any more), `denied` tools it had no permission for.
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


class ClientCall(Struct, frozen=True, kw_only=True):
    """One call of the client; the prompt itself comes on its stdin."""

    session: str
    # The client has this conversation already: it is gone on with.
    begun: bool = False
    # What this call may cost; 0 is no bound.
    budget_usd: float = 0
    # The person's own arguments for the client.
    arguments: tuple[str, ...] = ()


class RunEvent(Struct, frozen=True, kw_only=True, tag_field="event", tag=lambda name: name.lower()):
    """Something that happens in a run, as it is shown and as `run --json` prints it."""


class Tool(RunEvent, frozen=True, kw_only=True):
    name: str
    detail: str = ""


class AgentText(RunEvent, frozen=True, kw_only=True, tag="said"):
    text: str


class ContextFill(RunEvent, frozen=True, kw_only=True, tag="filled"):
    """How many tokens of the conversation the model has read."""

    tokens: int


class Denied(RunEvent, frozen=True, kw_only=True):
    """A tool call for which the client had no permission."""

    tool: str
    reason: str = ""


class Limited(RunEvent, frozen=True, kw_only=True):
    """Seconds since the epoch at which a usage limit ends."""

    until: float


class Retrying(RunEvent, frozen=True, kw_only=True):
    """The client tries a request again by itself."""

    reason: str
    attempt: int = 0


class Returned(RunEvent, frozen=True, kw_only=True):
    """The client's own account of one answered prompt; `cost_usd` is that of the conversation."""

    message: str = ""
    cost_usd: float | None = None
    turns: int = 0
    # The tokens its model can read; 0 where unknown.
    window: int = 0
    fault: ClientFault | None = None
    reason: str = ""
    until: float = 0


ClientEvent: TypeAlias = Tool | AgentText | ContextFill | Denied | Limited | Retrying | Returned


class Headless(Protocol):
    # the program, as a shell finds it
    @property
    def PROGRAM(self) -> str: ...

    # what a client inside another one's session must not see of that
    @property
    def SESSION_VARIABLES(self) -> frozenset[str]: ...

    # what to do about each fault
    @property
    def REMEDIES(self) -> dict[ClientFault, str]: ...

    # the arguments after the program
    def build_arguments(self, ask: ClientCall) -> tuple[str, ...]: ...

    # what one line of its output says
    def parse_line(self, line: bytes) -> tuple[ClientEvent, ...]: ...

    # why it ended without an account of its own, by what it said on stderr
    def classify_failure(self, stderr: str) -> ClientFault: ...
