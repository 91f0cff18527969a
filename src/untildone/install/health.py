"""What can be wrong with the installation, one function each."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from untildone import __version__
from untildone.errors import UserError
from untildone.install import record
from untildone.install.entries import CAP, CAP_VARIABLE
from untildone.install.hook_lines import plugin_entries, settings_entries
from untildone.install.machine import Machine, Started, started_by
from untildone.report.doctor import Trouble, error, note

Look: TypeAlias = Callable[[Machine], Iterator[Trouble]]

DISABLE = "UNTILDONE_DISABLE"
_INIT = "`untildone init`"


def broken_settings(machine: Machine) -> Iterator[Trouble]:
    for file in machine.files:
        if file.fault:
            yield error("settings", file.fault, f"mend `{file.path}`")


def switched_off(machine: Machine) -> Iterator[Trouble]:
    for file in machine.files:
        for key in ("disableAllHooks", "allowManagedHooksOnly"):
            if file.settings.get(key):
                text = f"hooks are switched off: `{key}` is set in `{file.path}`"
                yield error("switched off", text, f"take `{key}` out of `{file.path}`")
    if machine.environ.get(DISABLE, "") not in ("", "0"):
        yield error("switched off", f"`{DISABLE}` is set: no agent is held", f"`unset {DISABLE}`")


def missing(machine: Machine) -> Iterator[Trouble]:
    installed = {event for file in machine.hooked for event in file.ours}
    if not installed:
        text = "no hook of untildone is installed"
        if machine.plugin:
            text = f"the plugin `{machine.plugin}` is enabled, but its hooks were not found"
        yield error("hooks", text, _INIT)
        return
    lost = ", ".join(f"`{event}`" for event in _wanted(machine) if event not in installed)
    if lost:
        yield error("hooks", f"not installed for {lost}", _INIT)


def stale(machine: Machine) -> Iterator[Trouble]:
    """Lines that are not what `init` would write now, with the reason where it is known."""
    wanted = _wanted(machine)
    for file in machine.installed:
        known = [event for event in file.ours if event in wanted]
        if all(wanted[event] in file.ours[event] for event in known):
            continue
        reason = "; ".join(_differences(machine, file.path, file.ours)) or "the lines differ"
        yield error("stale", f"the hooks in `{file.path}` are out of date: {reason}", _INIT)


def stale_plugin(machine: Machine) -> Iterator[Trouble]:
    """The plugin starts the `untildone` on the path: both must be there and be of one age."""
    if machine.plugin_hooks is None:
        return
    if not shutil.which("untildone", path=machine.environ.get("PATH")):
        text = "the plugin starts `untildone`, which is not on `PATH`"
        yield error("interpreter", text, "`pipx install untildone`")
    wanted = {event: [_only(group)] for event, group in plugin_entries().hooks.items()}
    if machine.plugin_hooks.ours != wanted:
        text = f"the plugin in `{machine.plugin_hooks.path}` is not of version {__version__}"
        yield error("stale", text, f"`claude plugin update {machine.plugin}`")


def _wanted(machine: Machine) -> dict[str, object]:
    place = machine.place
    entries = settings_entries(home=place.home, python=place.python, package=place.package)
    return {event: _only(group) for event, group in entries.hooks.items()}


def _only(group: dict[str, object]) -> object:
    hooks = group["hooks"]
    return hooks[0] if isinstance(hooks, list) else None


def _differences(
    machine: Machine, path: Path, ours: dict[str, list[dict[str, object]]]
) -> Iterator[str]:
    place = machine.place
    known = _recorded(machine, path)
    if known and known.program.version != __version__:
        yield f"written by version {known.program.version}, this is {__version__}"
    started = _started(ours)
    if started is None:
        return
    now = Started(python=str(place.python), package=str(place.package), home=str(place.home))
    if started.python != now.python:
        yield f"they start `{started.python}`, this is `{now.python}`"
    if started.package != now.package:
        yield f"they run `{started.package}`, this is `{now.package}`"
    if started.home != now.home:
        yield f"their state is in `{started.home}`, ours in `{now.home}`"


def _recorded(machine: Machine, path: Path) -> record.Installed | None:
    try:
        return record.find(machine.place.home, path)
    except (UserError, OSError):
        # Told by `broken_record`.
        return None


def _started(ours: dict[str, list[dict[str, object]]]) -> Started | None:
    found = (started_by(hook) for hooks in ours.values() for hook in hooks)
    return next(filter(None, found), None)


def interpreter(machine: Machine) -> Iterator[Trouble]:
    """What the installed lines start must be there, and be what `init` saw."""
    for file in machine.installed:
        started = _started(file.ours)
        if started is None:
            continue
        if not Path(started.python).exists():
            yield error("interpreter", f"`{started.python}` is gone: no hook can start", _INIT)
        elif not Path(started.package, "hooks", "__main__.py").is_file():
            yield error("interpreter", f"untildone is not in `{started.package}` any more", _INIT)
        else:
            yield from _replaced(machine, file.path)


def _replaced(machine: Machine, path: Path) -> Iterator[Trouble]:
    known = _recorded(machine, path)
    if known is None:
        return
    program = known.program
    if _digest(Path(program.interpreter)) != program.interpreter_sha256:
        text = f"`{program.interpreter}` is not the program it was when `init` ran"
        yield note("interpreter", text, f"{_INIT}, if you upgraded it")


def changed(machine: Machine) -> Iterator[Trouble]:
    """An upgrade is followed by `init`; a change without it may be anybody's."""
    for file in machine.installed:
        known = _recorded(machine, file.path)
        if known is None or not known.program.package_sha256:
            continue
        package = Path(known.program.package)
        try:
            same = record.package_sha256(package) == known.program.package_sha256
        except OSError:
            # Told by `interpreter`.
            continue
        if package.is_dir() and not same:
            text = f"the modules in `{package}` are not those that were there when `init` ran"
            yield note("package", text, f"{_INIT}, if you upgraded untildone")


def _digest(path: Path) -> str:
    try:
        return record.sha256(path.read_bytes())
    except OSError:
        return ""


def broken_record(machine: Machine) -> Iterator[Trouble]:
    try:
        record.read(machine.place.home)
    except UserError as fault:
        yield error("record", fault.message, fault.hint)
    except OSError as fault:
        text = f"what `init` wrote down cannot be read: {fault.strerror}"
        yield error("record", text, f"mend the permissions of `{machine.place.home}`")


def duplicated(machine: Machine) -> Iterator[Trouble]:
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
        yield note("duplicated", text, remedy)


def cap(machine: Machine) -> Iterator[Trouble]:
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
            yield error(
                "cap", f"`{CAP_VARIABLE}` is not set: the client lets go after 8 holds", _INIT
            )
        elif machine.plugin:
            text = "a plugin cannot raise the client's cap of 8 holds in a row: loops pause there"
            yield note("cap", text, f"{_INIT} raises it to {CAP}")
        return
    place, value = given[-1]
    if not str(value).isdecimal() or 0 < int(str(value)) < CAP:
        text = f"`{CAP_VARIABLE}` is `{value}` in {place}: the client lets go after that many holds"
        yield error("cap", text, f"set it to `{CAP}` there")


def foreign_hooks(machine: Machine) -> Iterator[Trouble]:
    for file in machine.files:
        for command in file.foreign_stops:
            text = f"`{command[:80]}` in `{file.path}` is asked at every stop too"
            yield note("another hook", text)


LOOKS: tuple[Look, ...] = (
    broken_settings,
    switched_off,
    missing,
    stale,
    stale_plugin,
    interpreter,
    changed,
    broken_record,
    duplicated,
    cap,
    foreign_hooks,
)
