"""The values of the configuration files."""

from typing import Literal, TypeAlias

from msgspec import Struct

from untildone.core.contract import CheckSettings, LoopSettings, Preset

Event: TypeAlias = Literal["start", "round", "half", "done", "pause"]


class Template(LoopSettings, frozen=True, kw_only=True):
    """A named loop; `checks` are names of checks, `commands` are further checks."""

    preset: Preset | None = None
    commands: tuple[str, ...] = ()


class Milestone(Struct, frozen=True, kw_only=True):
    """A command to run, or an address to notify, when one of the events happens."""

    on: tuple[Event, ...] = ()
    run: str = ""
    notify: str = ""


class Configuration(Struct, frozen=True, kw_only=True):
    checks: dict[str, CheckSettings] = {}
    templates: dict[str, Template] = {}
    milestones: tuple[Milestone, ...] = ()
    security_rules: tuple[str, ...] = ()


class UserSettings(Struct, frozen=True, kw_only=True):
    """`config.toml` in the home of the state: the user's settings for all projects."""

    milestones: tuple[Milestone, ...] = ()
    # Whether unfinished TODO items are shown again at the next prompt.
    recall_todos: bool = True
