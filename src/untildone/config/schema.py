"""The values of the configuration files."""

import re
from typing import Literal, TypeAlias

from msgspec import Struct

from untildone.core.contract import CheckSettings, LoopSettings, Preset

# `approval`, `gate` and `budget` are pauses too, at which the loop waits for the user.
Event: TypeAlias = Literal["start", "round", "half", "done", "pause", "budget", "gate", "approval"]

# 22:00-07:00
QUIET_HOURS = re.compile(r"([01]\d|2[0-3]):([0-5]\d) ?- ?([01]\d|2[0-3]):([0-5]\d)")


class Template(LoopSettings, frozen=True, kw_only=True):
    """A named loop; `checks` are names of checks, `commands` are further checks."""

    preset: Preset | None = None
    commands: tuple[str, ...] = ()


class Milestone(Struct, frozen=True, kw_only=True):
    """A command to run, or an address to notify, when one of the events happens."""

    on: tuple[Event, ...] = ()
    run: str = ""
    notify: str = ""


class Notify(Struct, frozen=True, kw_only=True):
    """Where the user is told that a loop has ended or needs them; addresses of apprise."""

    to: tuple[str, ...] = ()
    on: tuple[Event, ...] = ("done", "pause", "budget", "gate", "approval")
    # Local times between which nothing is sent, such as `22:00-07:00`; empty: none.
    quiet: str = ""


class Otel(Struct, frozen=True, kw_only=True):
    """Where the traces of loops are sent when they end; without an endpoint nothing is."""

    # A collector's address for OTLP over HTTP, such as `http://localhost:4318`.
    endpoint: str = ""
    headers: dict[str, str] = {}
    # Whether the task and the reasons are sent too.
    texts: bool = False


class Configuration(Struct, frozen=True, kw_only=True):
    checks: dict[str, CheckSettings] = {}
    templates: dict[str, Template] = {}
    milestones: tuple[Milestone, ...] = ()
    security_rules: tuple[str, ...] = ()


class UserSettings(Struct, frozen=True, kw_only=True):
    """`config.toml` in the home of the state: the user's settings for all projects."""

    milestones: tuple[Milestone, ...] = ()
    # Only here, not in a repository: an address holds a secret.
    notify: Notify = Notify()
    otel: Otel = Otel()
    # Whether unfinished TODO items are shown again at the next prompt.
    recall_todos: bool = True
