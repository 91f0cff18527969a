"""How our entries are added to a client's settings file, and removed from it."""

from collections.abc import Iterator
from typing import TypeAlias, cast

from msgspec import Struct

from untildone.agents.layout import Shape
from untildone.errors import UserError
from untildone.install import own_entries
from untildone.json_edit import document as json_document
from untildone.json_edit.document import Document
from untildone.json_edit.scan import UnreadableError

Json: TypeAlias = dict[str, object]

_RULE = "Bash(untildone "


class Entries(Struct, frozen=True, kw_only=True):
    """Our entries: one group of hooks per event, variables, status line, permissions."""

    hooks: dict[str, Json] = {}
    env: dict[str, str] = {}
    status_line: Json | None = None
    permissions: tuple[str, ...] = ()


class MergedSettings(Struct, frozen=True, kw_only=True):
    """`entries` are ours in the new text; entries that the user had already are not."""

    text: str
    entries: Entries
    notes: tuple[str, ...] = ()


def decode(data: bytes, *, path: str) -> str:
    """Decode UTF-8 and keep a byte order mark, so that encoding gives the same bytes."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise _make_error(path, f"is not UTF-8 at line {line}, column {column}") from None


def parse(text: str, path: str, shape: Shape = "groups") -> Json:
    """Parse the settings; raise an error for what the client would not read."""
    settings = _read(text, path).get_value()
    if not isinstance(settings, dict):
        raise _make_error(path, "is not an object at the top level")
    for key in ("hooks", "env", "permissions"):
        if key in settings and not own_entries.is_well_shaped(key, settings[key], shape):
            raise _make_error(path, f"has a `{key}` of a shape that the client does not read")
    return settings


def merge(
    text: str,
    ours: Entries,
    *,
    path: str,
    installed: Entries | None = None,
    shape: Shape = "groups",
) -> MergedSettings:
    """Add or renew our entries; `installed` are those that an earlier `merge` wrote."""
    settings = parse(text, path, shape)
    owned = _find_owned(settings, installed)
    wanted = _exclude_foreign(ours, settings, owned)
    document = _remove_entries(_read(text, path), owned, keep=wanted)
    for event, group in wanted.hooks.items():
        document = _put_group(document, event, group)
    for name, value in wanted.env.items():
        document = json_document.put(document, ("env", name), value)
    if wanted.status_line is not None:
        document = json_document.put(document, ("statusLine",), wanted.status_line)
    for rule in wanted.permissions:
        if rule not in owned.permissions:
            document = json_document.append(document, ("permissions", "allow"), rule)
    return MergedSettings(
        text=document.text, entries=wanted, notes=tuple(_describe_kept(ours, settings, wanted))
    )


def remove(
    text: str, *, path: str, installed: Entries | None = None, shape: Shape = "groups"
) -> str:
    """Remove our entries, and the containers they leave empty."""
    owned = _find_owned(parse(text, path, shape), installed)
    document = _remove_entries(_read(text, path), owned, keep=Entries())
    return document.text if text.strip() else text


def _read(text: str, path: str) -> Document:
    try:
        return json_document.read(text)
    except UnreadableError as error:
        position = f"line {error.line}, column {error.column}"
        raise _make_error(path, f"is not valid JSON at {position}: {error.message}") from None


def _make_error(path: str, reason: str) -> UserError:
    return UserError(f"`{path}` {reason}", hint=f"correct `{path}`; nothing was written to it")


def _find_owned(settings: Json, installed: Entries | None) -> Entries:
    """Return our entries in the file; without a record they are known by their values."""
    environment, rules = _get_env(settings), _get_rules(settings)
    line = settings.get("statusLine")
    if installed is None:
        is_installed = bool(own_entries.find_our_hooks(settings))
        env = {own_entries.CAP_VARIABLE: str(own_entries.CAP)} if is_installed else {}
        permissions = tuple(rule for rule in rules if is_installed and rule.startswith(_RULE))
    else:
        env = installed.env
        permissions = tuple(rule for rule in rules if rule in installed.permissions)
    return Entries(
        env={name: value for name, value in env.items() if environment.get(name) == value},
        status_line=line if isinstance(line, dict) and own_entries.is_our_hook(line) else None,
        permissions=permissions,
    )


def _get_env(settings: Json) -> Json:
    env = settings.get("env")
    return env if isinstance(env, dict) else {}


def _get_rules(settings: Json) -> tuple[str, ...]:
    permissions = settings.get("permissions")
    allowed = permissions.get("allow", ()) if isinstance(permissions, dict) else ()
    return tuple(rule for rule in allowed if isinstance(rule, str))


def _exclude_foreign(ours: Entries, settings: Json, owned: Entries) -> Entries:
    """Return our entries without those that the user has set themselves."""
    environment, rules = _get_env(settings), _get_rules(settings)
    is_free = "statusLine" not in settings or owned.status_line is not None
    return Entries(
        hooks=ours.hooks,
        env={
            name: value
            for name, value in ours.env.items()
            if name not in environment or name in owned.env
        },
        status_line=ours.status_line if is_free else None,
        permissions=tuple(
            rule for rule in ours.permissions if rule not in rules or rule in owned.permissions
        ),
    )


def _describe_kept(ours: Entries, settings: Json, wanted: Entries) -> Iterator[str]:
    environment = _get_env(settings)
    for name, value in ours.env.items():
        if name not in wanted.env and environment[name] != value:
            current = environment[name]
            yield f"kept the variable `{name}` at `{current}`; untildone would set `{value}`"
    if ours.status_line is not None and wanted.status_line is None:
        yield "kept your own status line; `untildone statusline` prints ours"
    if settings.get("disableAllHooks"):
        yield "`disableAllHooks` is set in this file: no hook runs until you remove it"


def _remove_entries(document: Document, owned: Entries, *, keep: Entries) -> Document:
    stale = _find_stale_hook(document, keep)
    while stale is not None:
        document = json_document.cut(document, stale)
        stale = _find_stale_hook(document, keep)
    for name in owned.env:
        if name not in keep.env:
            document = json_document.cut(document, ("env", name))
    if owned.status_line is not None and keep.status_line is None:
        document = json_document.cut(document, ("statusLine",))
    for rule in owned.permissions:
        if rule not in keep.permissions:
            rules = cast(list[object], document.get_value("permissions", "allow"))
            document = json_document.cut(document, ("permissions", "allow", rules.index(rule)))
    return document


def _find_stale_hook(document: Document, keep: Entries) -> tuple[str | int, ...] | None:
    """Return the path of our hook that is unwanted, duplicated, or in another tool's group."""
    events: set[str] = set()
    for event, position, hooks in _iterate_groups(document):
        ours = [index for index, hook in enumerate(hooks) if own_entries.is_our_hook(hook)]
        if not ours:
            continue
        if len(ours) < len(hooks):
            return "hooks", event, position, "hooks", ours[0]
        if event not in keep.hooks or event in events:
            return "hooks", event, position
        events.add(event)
    return None


def _iterate_groups(document: Document) -> Iterator[tuple[str, int, list[object]]]:
    events = document.find_node("hooks")
    for event in events.keys if events else ():
        groups = document.get_value("hooks", event)
        for position, group in enumerate(groups if isinstance(groups, list) else ()):
            # In a flat list of hooks each stands for itself.
            yield event, position, group.get("hooks", [group])


def _put_group(document: Document, event: str, group: Json) -> Document:
    for name, position, hooks in _iterate_groups(document):
        if name == event and any(own_entries.is_our_hook(hook) for hook in hooks):
            return json_document.replace(document, ("hooks", event, position), group)
    return json_document.append(document, ("hooks", event), group)
