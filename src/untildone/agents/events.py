"""What an agent's hook says, in our words."""

from msgspec import Struct

from untildone.core.evidence import Background


class Stop(Struct, frozen=True, kw_only=True):
    """The agent wants to end its turn."""

    session: str
    cwd: str = ""
    project: str = ""
    prompt: str = ""
    message: str = ""
    transcript: str = ""
    attended: bool = True
    plan_mode: bool = False
    subagent: bool = False
    background: tuple[Background, ...] = ()
    scheduled: tuple[str, ...] = ()
    # The client goes on from a hold already: otherwise its own count of holds begins anew.
    held_before: bool = False
    # Holds in a row without a tool call that the client allows; 0 is no cap.
    cap: int = 0
    # What the loop has cost so far, where whoever drives the client was told.
    spent_usd: float | None = None


class Prompt(Struct, frozen=True, kw_only=True):
    """A prompt was submitted; `attended` if a person sits at the session."""

    session: str
    text: str
    cwd: str = ""
    project: str = ""
    prompt: str = ""
    attended: bool = True
    # Not typed by anybody: a notification of the client's own.
    automatic: bool = False


class SessionStarted(Struct, frozen=True, kw_only=True):
    """`source`: what it began after, such as a compaction."""

    session: str
    source: str


class Usage(Struct, frozen=True, kw_only=True):
    """The tokens of one message of the model; `input_tokens` are those no cache was asked for."""

    id: str
    at: str
    provider: str
    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_5m_tokens: int = 0
    cache_write_1h_tokens: int = 0
    web_searches: int = 0
