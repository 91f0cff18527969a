"""The current installation: the settings files that the client reads, and our hooks in them."""

import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from untildone.agents.layout import Shape
from untildone.errors import UserError
from untildone.install import plugin_module, settings_editing
from untildone.install.client_files import InstallPaths
from untildone.install.own_entries import is_our_hook

_MANAGED = {
    "darwin": "/Library/Application Support/ClaudeCode/managed-settings.json",
    "win32": "C:/Program Files/ClaudeCode/managed-settings.json",
}


class SettingsFile(Struct, frozen=True, kw_only=True):
    """One settings file; `fault` says why it could not be read."""

    path: Path
    settings: dict[str, object] = {}
    fault: str = ""

    @property
    def ours(self) -> dict[str, list[dict[str, object]]]:
        """Return our hooks by event."""
        hooks: dict[str, list[dict[str, object]]] = {}
        for event, hook in _list_hooks(self.settings):
            if is_our_hook(hook):
                hooks.setdefault(event, []).append(hook)
        return hooks

    @property
    def foreign_stops(self) -> list[str]:
        """Return the commands of other tools that run at a stop."""
        hooks = (hook for event, hook in _list_hooks(self.settings) if event == "Stop")
        return [
            str(hook.get("command", hook.get("type"))) for hook in hooks if not is_our_hook(hook)
        ]

    @property
    def env(self) -> dict[str, object]:
        env = self.settings.get("env")
        return env if isinstance(env, dict) else {}

    @property
    def plugin(self) -> str:
        """Return the name under which our plugin is enabled in this file, or an empty text."""
        enabled = self.settings.get("enabledPlugins")
        names = enabled.items() if isinstance(enabled, dict) else ()
        return next((name for name, on in names if on and name.startswith("untildone@")), "")


class Installation(Struct, frozen=True, kw_only=True):
    """`plugin` is the name of our plugin if it is enabled, `plugin_hooks` its hooks file."""

    paths: InstallPaths
    environ: Mapping[str, str]
    files: tuple[SettingsFile, ...]
    plugin: str = ""
    plugin_hooks: SettingsFile | None = None

    @property
    def installed(self) -> tuple[SettingsFile, ...]:
        return tuple(file for file in self.files if file.ours)

    @property
    def hooked(self) -> tuple[SettingsFile, ...]:
        """Return every file from which the client takes our hooks."""
        return (*self.installed, *((self.plugin_hooks,) if self.plugin_hooks else ()))


def read_installation(paths: InstallPaths, environ: Mapping[str, str]) -> Installation:
    """Read the files in the client's order: a later one overrides an earlier one."""
    managed = Path(_MANAGED.get(sys.platform, "/etc/claude-code/managed-settings.json"))
    policy = (managed,) if paths.agent == "claude" else ()
    candidates = dict.fromkeys((*paths.list_settings_files(), *policy))
    shape = paths.client.LAYOUT.shape
    files = tuple(filter(None, (_read_settings(path, shape) for path in candidates)))
    plugin = next((file.plugin for file in files if file.plugin), "")
    return Installation(
        paths=paths,
        environ=environ,
        files=files,
        plugin=plugin,
        plugin_hooks=_read_plugin_hooks(paths.get_folder("user"), plugin) if plugin else None,
    )


def _read_plugin_hooks(folder: Path, plugin: str) -> SettingsFile | None:
    try:
        record = json.loads((folder / "plugins" / "installed_plugins.json").read_bytes())
        path = Path(record["plugins"][plugin][0]["installPath"])
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return _read_settings(path / "hooks" / "hooks.json")


def _read_settings(path: Path, shape: Shape = "groups") -> SettingsFile | None:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        return SettingsFile(path=path, fault=f"`{path}` cannot be read: {error.strerror}")
    try:
        text = settings_editing.decode(data, path=str(path))
        if shape == "module":
            return SettingsFile(path=path, settings=plugin_module.parse_module(text))
        return SettingsFile(
            path=path, settings=settings_editing.parse(text, str(path), shape) if text else {}
        )
    except UserError as error:
        return SettingsFile(path=path, fault=error.message)


class HookCommand(Struct, frozen=True, kw_only=True):
    """The interpreter, package and state folder that an installed hook uses."""

    python: str
    package: str
    home: str


def parse_hook_command(hook: Mapping[str, object]) -> HookCommand | None:
    """Parse `PYTHON -I -S FILE EVENT AGENT SOURCE HOME`; None for hooks without an interpreter."""
    args = hook.get("args")
    try:
        words = (
            [str(hook.get("command")), *map(str, args)]
            if isinstance(args, list)
            else shlex.split(str(hook.get("command")))
        )
    except ValueError:
        return None
    at = words.index("-I") if "-I" in words else 0
    if not at or len(words) < at + 7:
        return None
    return HookCommand(
        python=words[at - 1],
        package=str(Path(words[at + 2]).parent.parent),
        home=words[at + 6],
    )


def _list_hooks(settings: Mapping[str, object]) -> list[tuple[str, dict[str, object]]]:
    events = settings.get("hooks")
    return [
        (event, hook)
        for event, groups in (events.items() if isinstance(events, dict) else ())
        for group in groups
        for hook in group.get("hooks", [group])
    ]
