"""What can be wrong with the installation, one function each."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from untildone import __version__
from untildone.errors import UserError
from untildone.install import manifest
from untildone.install.entries import CAP, CAP_VARIABLE
from untildone.install.hook_lines import build_plugin_entries, build_settings_entries
from untildone.install.installation import HookCommand, Installation, parse_hook_command
from untildone.report.doctor import Problem, make_error, make_note

Probe: TypeAlias = Callable[[Installation], Iterator[Problem]]

DISABLE = "UNTILDONE_DISABLE"
_INIT = "`untildone init`"


def find_broken_settings(machine: Installation) -> Iterator[Problem]:
    for file in machine.files:
        if file.fault:
            yield make_error("settings", file.fault, f"mend `{file.path}`")


def find_disabled_hooks(machine: Installation) -> Iterator[Problem]:
    for file in machine.files:
        for key in ("disableAllHooks", "allowManagedHooksOnly"):
            if file.settings.get(key):
                text = f"hooks are switched off: `{key}` is set in `{file.path}`"
                yield make_error("switched off", text, f"take `{key}` out of `{file.path}`")
    if machine.environ.get(DISABLE, "") not in ("", "0"):
        yield make_error(
            "switched off", f"`{DISABLE}` is set: no agent is held", f"`unset {DISABLE}`"
        )


def find_missing_hooks(machine: Installation) -> Iterator[Problem]:
    installed = {event for file in machine.hooked for event in file.ours}
    if not installed:
        text = "no hook of untildone is installed"
        if machine.plugin:
            text = f"the plugin `{machine.plugin}` is enabled, but its hooks were not found"
        yield make_error("hooks", text, _INIT)
        return
    lost = ", ".join(
        f"`{event}`" for event in _build_wanted_hooks(machine) if event not in installed
    )
    if lost:
        yield make_error("hooks", f"not installed for {lost}", _INIT)


def find_stale_hooks(machine: Installation) -> Iterator[Problem]:
    """Lines that are not what `init` would write now, with the reason where it is known."""
    wanted = _build_wanted_hooks(machine)
    for file in machine.installed:
        known = [event for event in file.ours if event in wanted]
        if all(wanted[event] in file.ours[event] for event in known):
            continue
        reason = (
            "; ".join(_describe_differences(machine, file.path, file.ours)) or "the lines differ"
        )
        yield make_error("stale", f"the hooks in `{file.path}` are out of date: {reason}", _INIT)


def find_stale_plugin(machine: Installation) -> Iterator[Problem]:
    """The plugin starts the `untildone` on the path: both must be there and be of one age."""
    if machine.plugin_hooks is None:
        return
    if not shutil.which("untildone", path=machine.environ.get("PATH")):
        text = "the plugin starts `untildone`, which is not on `PATH`"
        yield make_error("interpreter", text, "`pipx install untildone`")
    wanted = {event: [_get_hook(group)] for event, group in build_plugin_entries().hooks.items()}
    if machine.plugin_hooks.ours != wanted:
        text = f"the plugin in `{machine.plugin_hooks.path}` is not of version {__version__}"
        yield make_error("stale", text, f"`claude plugin update {machine.plugin}`")


def _build_wanted_hooks(machine: Installation) -> dict[str, object]:
    place = machine.place
    entries = build_settings_entries(home=place.home, python=place.python, package=place.package)
    return {event: _get_hook(group) for event, group in entries.hooks.items()}


def _get_hook(group: dict[str, object]) -> object:
    hooks = group["hooks"]
    return hooks[0] if isinstance(hooks, list) else None


def _describe_differences(
    machine: Installation, path: Path, ours: dict[str, list[dict[str, object]]]
) -> Iterator[str]:
    place = machine.place
    known = _find_recorded(machine, path)
    if known and known.program.version != __version__:
        yield f"written by version {known.program.version}, this is {__version__}"
    started = _find_hook_command(ours)
    if started is None:
        return
    now = HookCommand(python=str(place.python), package=str(place.package), home=str(place.home))
    if started.python != now.python:
        yield f"they start `{started.python}`, this is `{now.python}`"
    if started.package != now.package:
        yield f"they run `{started.package}`, this is `{now.package}`"
    if started.home != now.home:
        yield f"their state is in `{started.home}`, ours in `{now.home}`"


def _find_recorded(machine: Installation, path: Path) -> manifest.InstalledFile | None:
    try:
        return manifest.find(machine.place.home, path)
    except (UserError, OSError):
        # Told by `broken_record`.
        return None


def _find_hook_command(ours: dict[str, list[dict[str, object]]]) -> HookCommand | None:
    found = (parse_hook_command(hook) for hooks in ours.values() for hook in hooks)
    return next(filter(None, found), None)


def find_interpreter_changes(machine: Installation) -> Iterator[Problem]:
    """What the installed lines start must be there, and be what `init` saw."""
    for file in machine.installed:
        started = _find_hook_command(file.ours)
        if started is None:
            continue
        if not Path(started.python).exists():
            yield make_error("interpreter", f"`{started.python}` is gone: no hook can start", _INIT)
        elif not Path(started.package, "hooks", "__main__.py").is_file():
            yield make_error(
                "interpreter", f"untildone is not in `{started.package}` any more", _INIT
            )
        else:
            yield from _find_replaced_interpreter(machine, file.path)


def _find_replaced_interpreter(machine: Installation, path: Path) -> Iterator[Problem]:
    known = _find_recorded(machine, path)
    if known is None:
        return
    program = known.program
    if _digest(Path(program.interpreter)) != program.interpreter_sha256:
        text = f"`{program.interpreter}` is not the program it was when `init` ran"
        yield make_note("interpreter", text, f"{_INIT}, if you upgraded it")


def find_package_changes(machine: Installation) -> Iterator[Problem]:
    """An upgrade is followed by `init`; a change without it may be anybody's."""
    for file in machine.installed:
        known = _find_recorded(machine, file.path)
        if known is None or not known.program.package_sha256:
            continue
        package = Path(known.program.package)
        try:
            same = manifest.hash_package(package) == known.program.package_sha256
        except OSError:
            # Told by `interpreter`.
            continue
        if package.is_dir() and not same:
            text = f"the modules in `{package}` are not those that were there when `init` ran"
            yield make_note("package", text, f"{_INIT}, if you upgraded untildone")


def _digest(path: Path) -> str:
    try:
        return manifest.sha256(path.read_bytes())
    except OSError:
        return ""


def find_broken_manifest(machine: Installation) -> Iterator[Problem]:
    try:
        manifest.read(machine.place.home)
    except UserError as fault:
        yield make_error("record", fault.message, fault.hint)
    except OSError as fault:
        text = f"what `init` wrote down cannot be read: {fault.strerror}"
        yield make_error("record", text, f"mend the permissions of `{machine.place.home}`")


def find_duplicate_hooks(machine: Installation) -> Iterator[Problem]:
    places = [f"`{file.path}`" for file in machine.installed]
    if machine.plugin:
        places.append(f"the plugin `{machine.plugin}`")
    if len(places) > 1:
        text = f"the hooks are installed {len(places)} times: {', '.join(places)}"
        remedy = (
            f"harmless; `claude plugin uninstall {machine.plugin}` takes one out"
            if machine.plugin
            else f"harmless; `untildone uninstall`, then {_INIT}, leaves one"
        )
        yield make_note("duplicated", text, remedy)


def find_low_cap(machine: Installation) -> Iterator[Problem]:
    """The client lets go by itself after so many holds in a row without a tool call."""
    given = [
        (str(file.path), file.env[CAP_VARIABLE])
        for file in machine.files
        if CAP_VARIABLE in file.env
    ]
    if not given and CAP_VARIABLE in machine.environ:
        given = [("the environment", machine.environ[CAP_VARIABLE])]
    if not given:
        if machine.installed:
            yield make_error(
                "cap", f"`{CAP_VARIABLE}` is not set: the client lets go after 8 holds", _INIT
            )
        elif machine.plugin:
            text = "a plugin cannot raise the client's cap of 8 holds in a row: loops pause there"
            yield make_note("cap", text, f"{_INIT} raises it to {CAP}")
        return
    place, value = given[-1]
    if not str(value).isdecimal() or 0 < int(str(value)) < CAP:
        text = f"`{CAP_VARIABLE}` is `{value}` in {place}: the client lets go after that many holds"
        yield make_error("cap", text, f"set it to `{CAP}` there")


def find_foreign_hooks(machine: Installation) -> Iterator[Problem]:
    for file in machine.files:
        for command in file.foreign_stops:
            text = f"`{command[:80]}` in `{file.path}` is asked at every stop too"
            yield make_note("another hook", text)


PROBES: tuple[Probe, ...] = (
    find_broken_settings,
    find_disabled_hooks,
    find_missing_hooks,
    find_stale_hooks,
    find_stale_plugin,
    find_interpreter_changes,
    find_package_changes,
    find_broken_manifest,
    find_duplicate_hooks,
    find_low_cap,
    find_foreign_hooks,
)
