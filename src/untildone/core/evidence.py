"""The evidence of a stop: everything that is known when the agent wants to end its turn."""

from enum import StrEnum
from typing import Literal, TypeAlias

from msgspec import Struct

from untildone.core.check_results import BaselineResult, CheckResult, FileTotals, Finding
from untildone.core.contract import LeftOut


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
    PROOF = "proof"


class Concern(Struct, frozen=True, kw_only=True):
    """Something the baseline had and the current tree has not; `approve` takes its `id`."""

    id: str
    kind: ConcernKind
    path: str
    detail: str
    # The part of a line that differs, as written in the baseline's file and in the current one.
    # One of them is empty if a line was only removed or added, both if no line was found.
    old: str = ""
    new: str = ""
    # Whether the file is new, so that nothing of the baseline is lost in it.
    added: bool = False


class ChangeEvidence(Struct, frozen=True, kw_only=True):
    """What runs show of the change: tests that fail without it, and tests that still pass."""

    # How many tests fail on the baseline's code and pass now, and the first of them.
    fail_to_pass: int = 0
    fail_to_pass_names: tuple[str, ...] = ()
    # How many tests of the baseline pass on the new code; None: they were not run, or not counted.
    pass_to_pass: int | None = None
    # How many new tests fail on the baseline's code only because a name is missing there.
    missing_names: int = 0
    # New tests of unchanged code that fail once the functions they name return nothing.
    biting_tests: int = 0
    # Checks that were not green in the baseline and are now.
    turned_green: tuple[str, ...] = ()
    # Removals of tests that the user approved.
    approved_removals: tuple[str, ...] = ()
    # Versions that the task asked to drop and the project no longer supports: `Python 3.8 → 3.9`.
    dropped_versions: tuple[str, ...] = ()
    # Tests of which an assertion was dropped or changed, although their old version passes.
    edited_tests: tuple[str, ...] = ()
    # Why no test shows the change; empty where one does or none is asked for.
    missing: str = ""


class Confirmation(Struct, frozen=True, kw_only=True):
    """What the confirmation of a stop shows if the user approves every concern it asks about."""

    concerns: tuple[Concern, ...]
    comparisons: tuple[str, ...] = ()
    sandbox: str = ""
    change: ChangeEvidence | None = None


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
    # Checks that cannot run and that this stop is judged without.
    left_out: tuple[LeftOut, ...] = ()
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
    # Set where the user's approval is all that is missing for the loop to be done.
    if_approved: Confirmation | None = None
    # How the tree was compared with the baseline, for the receipt.
    comparisons: tuple[str, ...] = ()
    # A line about the walls of the sandbox, for the receipt.
    sandbox: str = ""
    # Whether any file differs from the baseline; None: not compared.
    changed: bool | None = None
    # None: the experiments were not finished.
    change: ChangeEvidence | None = None
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
    # Tests of the baseline whose files differ now; looked for only where it had failures.
    edited_tests: tuple[str, ...] = ()
    # What the user is asked before the loop goes on.
    gate_question: str = ""
    # The digest of the judged files, and the commit that is checked out there.
    tree: str = ""
    commit: str = ""
    # The git tree of these files; empty if the loop goes on, outside of git, or if they changed.
    git_tree: str = ""
    status: StatusBlock | None = None
    todos: tuple[Todo, ...] = ()
    # Files the agent wrote since the last stop.
    written_files: tuple[str, ...] = ()
    # Files edited several times in this round and now back to their former content.
    reverted_files: tuple[str, ...] = ()
