"""Where a client keeps its hooks, and how they are written there."""

from typing import Literal, TypeAlias

from msgspec import Struct

Scope: TypeAlias = Literal["user", "project", "local"]


class Layout(Struct, frozen=True, kw_only=True):
    """The files of one client; paths of the scope `user` lie in its own folder."""

    # How the client is called in messages.
    title: str
    # The program by which `init` sees that the client is installed.
    program: str
    # The user's folder of the client, and the variable that names another one.
    folder: str
    folder_variable: str = ""
    # The file with the hooks: of the user below `folder`, of a project below the project.
    files: dict[Scope, str]
    # The client's name of each event that we handle.
    events: dict[str, str]
    # Time limits of our hooks in seconds, where they are not 30, and the client's unit of them.
    timeouts: dict[str, int] = {}
    units_per_second: int = 1
    timeout_key: str = "timeout"
    # Other fields of our hook, by our name of the event.
    extra_fields: dict[str, dict[str, object]] = {}
    # "groups": `{"Stop": [{"hooks": [{"type": "command", …}]}]}`, which all but a few have;
    # "flat": `{"stop": [{"command": …}]}`.
    shape: Literal["groups", "flat"] = "groups"
    # Whether the file is ours alone, and what it holds besides the hooks.
    own_file: bool = False
    version: int | None = None
    # What the user still has to do in the client before a hook runs.
    next_step: str = ""
