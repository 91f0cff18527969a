"""The problems that an installation can have, one function for each."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from untildone import __version__
from untildone.agents import NAMES
from untildone.agents.layout import Scope
from untildone.agents.registry import AGENTS
from untildone.errors import UserError
from untildone.install import manifest
from untildone.install.claude_lines import build_plugin_entries
from untildone.install.client_files import build_entries
from untildone.install.installation import HookCommand, Installation, parse_hook_command
from untildone.install.own_entries import CAP, CAP_VARIABLE, is_ours
from untildone.report.doctor import Problem, make_error, make_note

Probe: TypeAlias = Callable[[Installation], Iterator[Problem]]

DISABLE = "UNTILDONE_DISABLE"
_INIT = "`untildone init`"
_INIT_PROJECT = "`untildone init --scope project`"


def find_broken_settings(installation: Installation) -> Iterator[Problem]:
    for file in installation.files:
        if file.fault:
            yield make_error("settings", file.fault, f"correct `{file.path}`")


def find_disabled_hooks(installation: Installation) -> Iterator[Problem]:
    for file in installation.files:
        for key in ("disableAllHooks", "allowManagedHooksOnly"):
            if file.settings.get(key):
                text = f"hooks are switched off: `{key}` is set in `{file.path}`"
                yield make_error("switched off", text, f"remove `{key}` from `{file.path}`")
    if installation.environ.get(DISABLE, "") not in ("", "0"):
        yield make_error(
            "switched off", f"`{DISABLE}` is set: no agent is held", f"`unset {DISABLE}`"
        )


def find_missing_hooks(installation: Installation) -> Iterator[Problem]:
    paths = installation.paths
    client = "" if paths.agent == NAMES[0] else paths.client.LAYOUT.title
    installed = {event for file in installation.hooked for event in file.ours}
    if not installed:
        text = f"no hook of untildone is installed{client and f' for {client}'}"
        if installation.plugin:
            text = f"the plugin `{installation.plugin}` is enabled, but its hooks were not found"
        yield make_error("hooks", text, _INIT)
        return
    wanted = _build_wanted_hooks(installation, "user")
    missing = ", ".join(f"`{event}`" for event in wanted if event not in installed)
    if missing:
        yield make_error("hooks", f"not installed for {missing}{client and f' of {client}'}", _INIT)


def find_untrusted_hooks(installation: Installation) -> Iterator[Problem]:
    """Yield files with hooks of ours that the client does not run, so that nobody is held."""
    paths = installation.paths
    layout = paths.client.LAYOUT
    trust = paths.user / layout.trust_file
    for file in installation.installed if layout.trust_file else ():
        project = str(paths.project) if _find_scope(installation, file.path) == "project" else ""
        names = (str(file.path), str(file.path.resolve()))
        untrusted = [
            hook
            for hook in paths.client.find_untrusted_hooks(
                names, file.settings, _read_text(trust), project
            )
            if is_ours(hook.command)
        ]
        if untrusted:
            events = ", ".join(dict.fromkeys(f"`{hook.event}`" for hook in untrusted))
            reasons = "; ".join(dict.fromkeys(hook.reason for hook in untrusted))
            text = f"{layout.title} does not run our hooks in `{file.path}` ({events}): {reasons}"
            yield make_error("trust", text, layout.next_step)


def _read_text(path: Path) -> str:
    """Return the text, or an empty one: what cannot be read records no trust."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def find_stale_hooks(installation: Installation) -> Iterator[Problem]:
    """Yield files whose hooks differ from what `init` would write, with the reason if known."""
    for file in installation.installed:
        scope = _find_scope(installation, file.path)
        wanted = _build_wanted_hooks(installation, scope)
        if all(wanted[event] in hooks for event, hooks in file.ours.items() if event in wanted):
            continue
        differences = "; ".join(_describe_differences(installation, file.path, file.ours))
        text = f"the hooks in `{file.path}` are out of date: {differences or 'the lines differ'}"
        yield make_error("stale", text, _INIT_PROJECT if scope == "project" else _INIT)


def find_stale_plugin(installation: Installation) -> Iterator[Problem]:
    """Yield a plugin of another version than the `untildone` that it runs."""
    if installation.plugin_hooks is None:
        return
    wanted = {event: [_get_hook(group)] for event, group in build_plugin_entries().hooks.items()}
    if installation.plugin_hooks.ours != wanted:
        text = f"the plugin in `{installation.plugin_hooks.path}` is not of version {__version__}"
        yield make_error("stale", text, f"`claude plugin update {installation.plugin}`")


def find_program_off_path(installation: Installation) -> Iterator[Problem]:
    """Yield each source of hooks that starts `untildone` by name if there is none on `PATH`."""
    if shutil.which("untildone", path=installation.environ.get("PATH")):
        return
    shared = [
        f"the hooks in `{file.path}` start"
        for file in installation.installed
        if _find_scope(installation, file.path) == "project"
    ]
    plugin = ["the plugin starts"] if installation.plugin_hooks else []
    program = installation.paths.python.with_name("untildone")
    remedy = f"`pipx ensurepath`, or link `{program}` into a folder on `PATH`"
    for subject in (*plugin, *shared):
        text = f"{subject} `untildone`, which is not on `PATH`"
        yield make_error("interpreter", text, remedy)


def _find_scope(installation: Installation, path: Path) -> Scope:
    """Return `project` for the settings that a team shares, `user` for any other file."""
    paths = installation.paths
    is_shared = path == paths.get_settings_file("project") != paths.get_settings_file("user")
    return "project" if is_shared else "user"


def _build_wanted_hooks(installation: Installation, scope: Scope) -> dict[str, object]:
    entries = build_entries(installation.paths, scope)
    return {event: _get_hook(group) for event, group in entries.hooks.items()}


def _get_hook(group: dict[str, object]) -> object:
    hooks = group.get("hooks", [group])
    return hooks[0] if isinstance(hooks, list) else None


def _describe_differences(
    installation: Installation, path: Path, ours: dict[str, list[dict[str, object]]]
) -> Iterator[str]:
    recorded = _find_recorded(installation, path)
    if recorded and recorded.program.version != __version__:
        yield f"written by version {recorded.program.version}, this is {__version__}"
    command = _find_hook_command(ours)
    paths = installation.paths
    if command is None:
        return
    if _find_scope(installation, path) == "project":
        yield "they name paths of one machine"
        return
    if command.python != str(paths.python):
        yield f"they start `{command.python}`, this is `{paths.python}`"
    if command.package != str(paths.package):
        yield f"they run `{command.package}`, this is `{paths.package}`"
    if command.home != str(paths.home):
        yield f"their state is in `{command.home}`, ours in `{paths.home}`"


def _find_recorded(installation: Installation, path: Path) -> manifest.InstalledFile | None:
    try:
        return manifest.find(installation.paths.home, path)
    except (UserError, OSError):
        # `find_broken_manifest` reports it.
        return None


def _find_hook_command(ours: dict[str, list[dict[str, object]]]) -> HookCommand | None:
    commands = (parse_hook_command(hook) for hooks in ours.values() for hook in hooks)
    return next(filter(None, commands), None)


def find_interpreter_changes(installation: Installation) -> Iterator[Problem]:
    """Yield hooks whose interpreter or package is gone or changed since `init` ran."""
    for file in installation.installed:
        command = _find_hook_command(file.ours)
        if command is None:
            continue
        recorded = _find_recorded(installation, file.path)
        if not Path(command.python).exists():
            yield make_error("interpreter", f"`{command.python}` is gone: no hook can start", _INIT)
        elif not Path(command.package, "hooks", "__main__.py").is_file():
            yield make_error("interpreter", f"untildone is no longer in `{command.package}`", _INIT)
        elif recorded and _is_replaced(recorded.program):
            text = f"`{recorded.program.interpreter}` is not the program it was when `init` ran"
            yield make_note("interpreter", text, f"{_INIT}, if you upgraded it")


def _is_replaced(program: manifest.InstalledProgram) -> bool:
    try:
        data = Path(program.interpreter).read_bytes()
    except OSError:
        return True
    return manifest.hash_bytes(data) != program.interpreter_sha256


def find_package_changes(installation: Installation) -> Iterator[Problem]:
    """Yield changes since `init`: the user runs it after an upgrade, so others may be tampering."""
    for file in installation.installed:
        recorded = _find_recorded(installation, file.path)
        if recorded is None or not recorded.program.package_sha256:
            continue
        package = Path(recorded.program.package)
        try:
            is_same = manifest.hash_package(package) == recorded.program.package_sha256
        except OSError:
            # `find_interpreter_changes` reports it.
            continue
        if package.is_dir() and not is_same:
            text = f"the modules in `{package}` are not those that were there when `init` ran"
            yield make_note("package", text, f"{_INIT}, if you upgraded untildone")


def find_broken_manifest(installation: Installation) -> Iterator[Problem]:
    try:
        manifest.read(installation.paths.home)
    except UserError as fault:
        yield make_error("record", fault.message, fault.hint)
    except OSError as fault:
        text = f"the record of `init` cannot be read: {fault.strerror}"
        yield make_error("record", text, f"correct the permissions of `{installation.paths.home}`")


def find_duplicate_hooks(installation: Installation) -> Iterator[Problem]:
    sources = [f"`{file.path}`" for file in installation.installed]
    if installation.plugin:
        sources.append(f"the plugin `{installation.plugin}`")
    if len(sources) > 1:
        text = f"the hooks are installed {len(sources)} times: {', '.join(sources)}"
        remedy = (
            f"harmless; `claude plugin uninstall {installation.plugin}` removes one"
            if installation.plugin
            else f"harmless; `untildone uninstall`, then {_INIT}, keeps one"
        )
        yield make_note("duplicated", text, remedy)


def find_low_cap(installation: Installation) -> Iterator[Problem]:
    """Yield a low cap: the client releases the agent after that many holds without a tool call."""
    if installation.paths.agent != NAMES[0]:
        # Other clients have none, or one that no setting changes.
        return
    settings = [
        (str(file.path), file.env[CAP_VARIABLE])
        for file in installation.files
        if CAP_VARIABLE in file.env
    ]
    if not settings and CAP_VARIABLE in installation.environ:
        settings = [("the environment", installation.environ[CAP_VARIABLE])]
    if not settings:
        if installation.installed:
            yield make_error(
                "cap",
                f"`{CAP_VARIABLE}` is not set: the client releases the agent after 8 holds",
                _INIT,
            )
        elif installation.plugin:
            text = "a plugin cannot raise the client's cap of 8 holds in a row: loops pause there"
            yield make_note("cap", text, f"{_INIT} raises it to {CAP}")
        return
    source, value = settings[-1]
    if not str(value).isdecimal() or 0 < int(str(value)) < CAP:
        text = (
            f"`{CAP_VARIABLE}` is `{value}` in {source}: the client releases after that many holds"
        )
        yield make_error("cap", text, f"set it to `{CAP}` there")


def find_foreign_hooks(installation: Installation) -> Iterator[Problem]:
    for file in installation.files:
        for command in file.foreign_stops:
            text = f"`{command[:80]}` in `{file.path}` also runs at every stop"
            yield make_note("another hook", text)


def find_untried_clients(installation: Installation) -> Iterator[Problem]:
    """Yield what is to be known about a client that `init` has installed for, in any project."""
    try:
        files = manifest.read(installation.paths.home)
    except (UserError, OSError):
        # Another probe reports it.
        return
    agents = dict.fromkeys(file.agent for file in files)
    for layout in (AGENTS[agent].LAYOUT for agent in agents if agent in AGENTS):
        if layout.caveat:
            yield make_note("client", f"{layout.title}: {layout.caveat}")


# By what each looks at, as `doctor` lists it.
_PROBES: dict[str, Probe] = {
    "settings files": find_broken_settings,
    "whether hooks are switched on": find_disabled_hooks,
    "installed hooks": find_missing_hooks,
    "trust in the hooks": find_untrusted_hooks,
    "version of the hooks": find_stale_hooks,
    "version of the plugin": find_stale_plugin,
    "`untildone` on `PATH`": find_program_off_path,
    "interpreter of the hooks": find_interpreter_changes,
    "modules of untildone": find_package_changes,
    "record of `init`": find_broken_manifest,
    "number of installations": find_duplicate_hooks,
    "cap of holds": find_low_cap,
    "hooks of other tools": find_foreign_hooks,
    "how far clients were tried": find_untried_clients,
}
# What only Claude Code has.
_OF_CLAUDE = (find_stale_plugin, find_low_cap)


def list_probes(agent: str) -> dict[str, Probe]:
    """Return what there is to look at in the installation of this agent."""
    return {
        name: probe
        for name, probe in _PROBES.items()
        if agent == "claude" or probe not in _OF_CLAUDE
    }
