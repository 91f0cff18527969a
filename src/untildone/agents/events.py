"""Events of an agent's hooks, as values independent of the agent."""

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
    # Whether the client shows the user what the agent reads when it is held.
    shown: bool = False
    plan_mode: bool = False
    subagent: bool = False
    # Whether the user or an error ended the turn: then the agent does not claim to be done.
    interrupted: bool = False
    background: tuple[Background, ...] = ()
    scheduled: tuple[str, ...] = ()
    # Whether the turn continues after a hold; if not, the client counts holds from 0 again.
    held_before: bool = False
    # How many holds in a row without a tool call the client allows; 0 means no cap.
    cap: int = 0
    # Whether the client also counts holds that a tool call followed.
    cap_counts_calls: bool = False
    # What the loop has cost so far, if the headless run knows it.
    spent_usd: float | None = None


class Prompt(Struct, frozen=True, kw_only=True):
    """A submitted prompt; `attended` if a user sits at the session."""

    session: str
    text: str
    cwd: str = ""
    project: str = ""
    prompt: str = ""
    attended: bool = True
    # What the model reads in its place, if the client lets us change that.
    model_text: str = ""
    # Whether it is a notification of the client, not typed by the user.
    automatic: bool = False


class SessionStarted(Struct, frozen=True, kw_only=True):
    """`source` says what preceded the start, such as a compaction."""

    session: str
    source: str


class Usage(Struct, frozen=True, kw_only=True):
    """The tokens of one model message; `input_tokens` excludes cached ones.

    One without an id only names the model of those behind it that name none.
    """

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
