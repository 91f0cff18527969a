"""Which entries of an agent's settings are ours, and how a change of the file harms them."""

import json
import re

CAP_VARIABLE = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"
CAP = 60
# How the variables of other clients end that raise their cap.
_CAP_SUFFIX = "_STOP_HOOK_BLOCK_CAP"
_CLIENT_CAP = 8
_UNBOUNDED = float("inf")

# Far more than a real settings file, and little for the memory of a hook.
_LIMIT = 4_000_000
# `untildone/hook` is from earlier versions; `init` and `uninstall` must still find it.
_MARKS = re.compile(
    r"(?<![\w.-])untildone(?:/hooks/__main__\.py|/hook| hook| statusline)(?![\w.-])"
)
_HOOK_TYPES = ("command", "http", "mcp_tool", "prompt", "agent")
_SHAPES: dict[str, type] = {"disableAllHooks": bool, "env": dict, "statusLine": dict}


def is_ours(command: str) -> bool:
    plain = command.replace("\\", "/").replace('"', "").replace("'", "").replace(".exe ", " ")
    return _MARKS.search(" ".join(plain.split())) is not None


def is_our_hook(hook: object) -> bool:
    """Say whether a hook is ours, also one without a shell that has its words in `args`."""
    if not isinstance(hook, dict):
        return False
    args = hook.get("args")
    words = [hook.get("command"), *(args if isinstance(args, list) else ())]
    return is_ours(" ".join(word for word in words if isinstance(word, str)))


def find_our_hooks(settings: dict[str, object]) -> list[tuple[str, str]]:
    """Return each of our hooks as its event and its JSON text, with the fields of its group."""
    hooks = []
    for event, groups in _as_object(settings.get("hooks")).items():
        for group in groups if isinstance(groups, list) else ():
            hooks += [(event, hook) for hook in _find_in_group(group)]
    return hooks


def describe_harm(before_text: str, after_text: str) -> str:
    """Say how the change harms our hooks, or return nothing; a missing file has an empty text."""
    after = _parse_settings(after_text)
    before = _parse_settings(before_text)
    if after is None:
        return "" if before is None else "it leaves a file that is not a JSON object"
    before = before or {}
    return (
        _describe_removed_hook(before, after)
        or _describe_switch(before, after)
        or _describe_environment_change(_as_object(before.get("env")), _as_object(after.get("env")))
        or (_describe_invalid_value(before, after) if find_our_hooks(before) else "")
    )


def describe_harm_in_file(path: str, home: str) -> str:
    """Say how a changed file harms what `init` recorded of it, without a subject: `removes …`."""
    before = _load_recorded_entries(path, home)
    return describe_harm(json.dumps(before), _read_file(path)).removeprefix("it ")


def is_well_shaped(key: str, value: object, shape: str = "groups") -> bool:
    """Say whether the client accepts the value; for an invalid one it ignores the whole file."""
    if key == "hooks":
        is_entry = _is_group if shape == "groups" else _is_hook
        return isinstance(value, dict) and all(
            isinstance(entries, list) and all(map(is_entry, entries)) for entries in value.values()
        )
    if key == "permissions":
        lists = [_as_object(value).get(kind, []) for kind in ("allow", "ask", "deny")]
        return isinstance(value, dict) and all(isinstance(rules, list) for rules in lists)
    return isinstance(value, _SHAPES.get(key, object)) and value is not None


def _load_recorded_entries(path: str, home: str) -> dict[str, object]:
    files = (_parse_settings(_read_file(f"{home}/installed.json")) or {}).get("files")
    for installed in files if isinstance(files, list) else ():
        if _as_object(installed).get("path") == path:
            entries = _as_object(_as_object(installed).get("entries"))
            hooks = {event: [group] for event, group in _as_object(entries.get("hooks")).items()}
            return {"hooks": hooks, "env": _as_object(entries.get("env"))}
    return {}


def _read_file(path: str) -> str:
    """Return the text; for a file that is no text, one that is no JSON, so neither can be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(_LIMIT)
    except FileNotFoundError:
        return ""
    except (OSError, ValueError):
        return "unreadable"


def _as_object(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _find_in_group(group: object) -> list[str]:
    fields = dict(_as_object(group))
    if "hooks" not in fields:
        return [json.dumps(group, sort_keys=True)] if is_our_hook(group) else []
    hooks = fields.pop("hooks", None)
    ours = [hook for hook in hooks if is_our_hook(hook)] if isinstance(hooks, list) else []
    return [json.dumps([fields, hook], sort_keys=True) for hook in ours]


def _parse_settings(text: str) -> dict[str, object] | None:
    plain = text.removeprefix("\ufeff")
    if not plain.strip():
        return {}
    try:
        settings = json.loads(plain, parse_constant=_refuse_constant, parse_int=float)
    except (ValueError, RecursionError):
        return None
    return settings if isinstance(settings, dict) else None


def _refuse_constant(constant: str) -> None:
    raise ValueError(constant)


def _describe_removed_hook(before: dict[str, object], after: dict[str, object]) -> str:
    remaining = find_our_hooks(after)
    for event, hook in find_our_hooks(before):
        if (event, hook) not in remaining:
            return f"it removes or changes our `{event}` hook"
    return ""


def _describe_switch(before: dict[str, object], after: dict[str, object]) -> str:
    for switch in ("disableAllHooks", "allowManagedHooksOnly"):
        if after.get(switch) and after.get(switch) != before.get(switch):
            return f"it sets `{switch}`"
    # Gemini CLI: {"hooksConfig": {"enabled": false, "disabled": ["NAME"]}}
    config, former = _as_object(after.get("hooksConfig")), _as_object(before.get("hooksConfig"))
    for switch, harmless in (("enabled", (None, True)), ("disabled", (None, []))):
        if config.get(switch) not in harmless and config.get(switch) != former.get(switch):
            return f"it sets `hooksConfig.{switch}`"
    plugins = _as_object(after.get("enabledPlugins"))
    for name, enabled in plugins.items():
        was_disabled = _as_object(before.get("enabledPlugins")).get(name) is False
        if name.startswith("untildone@") and not enabled and not was_disabled:
            return f"it disables the plugin `{name}`"
    return ""


def _describe_environment_change(before: dict[str, object], after: dict[str, object]) -> str:
    for name in sorted({*before, *after}):
        is_kept = name.upper().startswith("UNTILDONE_") or _is_foreign_cap(name)
        if is_kept and before.get(name) != after.get(name):
            return f"it sets or changes the variable `{name}`"
    if _read_cap(after, default=_CLIENT_CAP) < _read_cap(before, default=_CLIENT_CAP):
        return f"it lowers the variable `{CAP_VARIABLE}`"
    # A file that did not name the variable may hide the value another file gives it.
    if CAP_VARIABLE not in before and _read_cap(after, default=CAP) < CAP:
        return f"it lowers the variable `{CAP_VARIABLE}`"
    return ""


def _is_foreign_cap(name: str) -> bool:
    return name.endswith(_CAP_SUFFIX) and name != CAP_VARIABLE


def _read_cap(environment: dict[str, object], *, default: int) -> float:
    if CAP_VARIABLE not in environment:
        return default
    try:
        cap = int(str(environment[CAP_VARIABLE]).removesuffix(".0"))
    except ValueError:
        return _CLIENT_CAP
    return cap if cap > 0 else _UNBOUNDED


def _describe_invalid_value(before: dict[str, object], after: dict[str, object]) -> str:
    for key, value in after.items():
        if key in before and before[key] == value:
            continue
        if type(value) is not type(before.get(key, value)) or not is_well_shaped(key, value):
            return f"it gives `{key}` a value for which the client ignores the whole file"
    return ""


def _is_group(group: object) -> bool:
    fields = _as_object(group)
    hooks = fields.get("hooks")
    has_matcher = isinstance(fields.get("matcher", ""), str)
    return has_matcher and isinstance(hooks, list) and all(map(_is_hook, hooks))


def _is_hook(hook: object) -> bool:
    fields = _as_object(hook)
    has_timeout = isinstance(fields.get("timeout", 0), int | float)
    has_command = fields.get("type") != "command" or isinstance(fields.get("command"), str)
    return has_timeout and has_command and fields.get("type", "command") in _HOOK_TYPES
