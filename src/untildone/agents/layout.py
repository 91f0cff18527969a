"""Where a client keeps its hooks, and how they are written there."""

from typing import Literal, TypeAlias

from msgspec import Struct

Scope: TypeAlias = Literal["user", "project", "local"]
# "groups": `{"Stop": [{"hooks": [{"type": "command", …}]}]}`, which most clients read;
# "flat": `{"stop": [{"type": "command", …}]}`;
# "module": a program in the client's language, all of it ours: `plugin.js` of the package.
Shape: TypeAlias = Literal["groups", "flat", "module"]


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
    shape: Shape = "groups"
    # Variables that the settings file gives to the client, below its key `env`.
    variables: dict[str, str] = {}
    # What a new file holds besides the hooks.
    new_file: str = "{}\n"
    # The files of our commands below `folder` (or a project's folder of the client), such as
    # `commands/untildone/{name}.toml`; empty if the client has none that pass text on unchanged.
    command_file: str = ""
    # How the client writes what the user typed behind a command; empty if it gives our hook the
    # prompt as it was typed, so that the file is only for the agent.
    command_arguments: str = "{{args}}"
    # What the user types to run a command of ours.
    command: str = "/untildone:{name}"
    # The transcript of a headless conversation below the user's folder, as a pattern of a path;
    # empty if the client prints what it has cost, or writes no tokens.
    transcript: str = ""
    # What the user still has to do in the client before a hook runs.
    next_step: str = ""
    # What `init` and `doctor` say about how far our work with this client was tried.
    caveat: str = ""
    # The user's file in which the client records which hooks it may run; empty if it runs all.
    trust_file: str = ""

    def name_command(self, name: str) -> str:
        return self.command.format(name=name)

    def rename_commands(self, text: str) -> str:
        """Return the text with our commands as this client's user types them."""
        return text.replace("/untildone:", self.name_command(""))

    def get_project_folder(self) -> str:
        """Return the folder of a project in which the client's settings lie."""
        return self.files.get("project", self.folder).partition("/")[0]


class UntrustedHook(Struct, frozen=True, kw_only=True):
    """A hook in the client's settings that the client does not run, and why."""

    event: str
    command: str
    reason: str
