"""The values of the configuration files."""

from typing import Literal, TypeAlias

from msgspec import Struct

from untildone.core.contract import CheckStage, ExitRule

Event: TypeAlias = Literal["start", "round", "half", "done", "pause"]
Preset: TypeAlias = Literal["build", "test", "lint", "ship", "fix", "loop"]


class CheckSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One check as configured."""

    command: str = ""
    when: CheckStage = "round"
    timeout: float = 600
    cwd: str = ""
    success_pattern: str = ""
    failure_pattern: str = ""
    fix: str = ""
    env: dict[str, str] = {}
    parser: str = ""
    pattern: str = ""
    replay: bool = True
    replay_reason: str = ""


class Template(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A named loop; `checks` are names of checks, `commands` are further checks."""

    task: str = ""
    preset: Preset | None = None
    checks: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    promises: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    done_when: ExitRule | None = None
    rounds: int | None = None
    budget: float | None = None
    minutes: float | None = None
    round_minutes: float | None = None
    stagnation_limit: int | None = None


class Milestone(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command to run, or an address to notify, when one of the events happens."""

    on: tuple[Event, ...] = ()
    run: str = ""
    notify: str = ""


class Configuration(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    checks: dict[str, CheckSettings] = {}
    templates: dict[str, Template] = {}
    milestones: tuple[Milestone, ...] = ()
    security_rules: tuple[str, ...] = ()


class UserSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`config.toml` in the home of the state: the user's settings for all projects."""

    milestones: tuple[Milestone, ...] = ()
    # Whether unfinished TODO items are shown again at the next prompt.
    recall_todos: bool = True
