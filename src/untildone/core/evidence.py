"""The evidence of a stop: everything that is known when the agent wants to end its turn."""

from enum import StrEnum
from typing import Literal, TypeAlias

from msgspec import Struct

from untildone.core.check_results import BaselineResult, CheckResult, FileTotals, Finding


class ConcernKind(StrEnum):
    """What a concern is about; the values begin the ids that users approve."""

    SUPPRESSION = "suppression"
    REMOVE_TEST = "remove-test"
    EDIT_TEST = "edit-test"
    EDIT_EXPECTED = "edit-expected"
    CONFIG = "config"
    RUNNER = "runner"
    SNIFFING = "sniffing"
    ALWAYS_EQUAL = "always-equal"
    HARD_CODED = "hard-coded"
    DEPENDENCY = "dependency"
    ENVIRONMENT = "environment"
    UNREAD = "unread"
    ORACLE = "oracle"
    PASS_TO_PASS = "replay"  # noqa: S105  not a password


class Concern(Struct, frozen=True, kw_only=True):
    """Something the baseline had and the current tree has not; `approve` takes its `id`."""

    id: str
    kind: ConcernKind
    path: str
    detail: str


class Background(Struct, frozen=True, kw_only=True):
    """A background task of the agent; `ends` is True where it always ends by itself."""

    id: str
    description: str
    ends: bool


class Todo(Struct, frozen=True, kw_only=True):
    """One item of a todo list."""

    text: str
    done: bool = False


class StatusBlock(Struct, frozen=True, kw_only=True):
    """The agent's own report between `---LOOP_STATUS---` and `---END_STATUS---`."""

    exit_signal: bool = False
    criteria: dict[str, bool] = {}
    # Rounds in a row with the same criteria unmet, as the agent counts them.
    stuck: int | None = None
    next: str = ""


# Whose turn it is, and why. `failed`: the model's service gave no answer.
Turn: TypeAlias = Literal["agent", "queued", "plan", "question", "failed"]


class Evidence(Struct, frozen=True, kw_only=True):
    """Everything known at one stop."""

    # Why the stop is not judged at all.
    ignore_reason: str = ""
    cancelled: bool = False
    paused: bool = False
    broken_seal: str = ""
    turn: Turn = "agent"
    # The id of the prompt that began this turn.
    prompt: str = ""
    background: tuple[Background, ...] = ()
    # Must-not commands that exit with 0.
    forbidden: tuple[str, ...] = ()
    checks: tuple[CheckResult, ...] = ()
    # None: there are no results from the baseline.
    baseline: tuple[BaselineResult, ...] | None = None
    # Current findings in the files edited since the last stop: shown to the agent, no criterion.
    diagnostics: tuple[Finding, ...] = ()
    edited_files: tuple[FileTotals, ...] = ()
    # Which of the contract's promises the agent's message gives.
    promises_given: tuple[str, ...] = ()
    signalled: bool = False
    blocked: str = ""
    # None: the tree has not been compared with the baseline.
    concerns: tuple[Concern, ...] | None = None
    # How the tree was compared with the baseline, for the receipt.
    comparisons: tuple[str, ...] = ()
    # Whether any file differs from the baseline; None: not compared.
    changed: bool | None = None
    # Whether no user sits at the session, who could be asked.
    unattended: bool = False
    # A failure of untildone itself.
    fault: str = ""
    # None: unknown.
    spend_usd: float | None = None
    minutes: float = 0
    round_minutes: float = 0
    # Whether the client would override another hold.
    cap_reached: bool = False
    # What the user is asked before the loop goes on.
    gate_question: str = ""
    tree: str = ""
    status: StatusBlock | None = None
    todos: tuple[Todo, ...] = ()
    # Files the agent wrote since the last stop.
    written_files: tuple[str, ...] = ()
    # Files edited several times in this round and now back to their former content.
    reverted_files: tuple[str, ...] = ()
