"""Which entries of an agent's settings are ours, and what a change of the file does to them."""

import json

CAP_VARIABLE = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"
CAP = 60
_CAP_OF_THE_CLIENT = 8
_UNBOUNDED = float("inf")

# Far more than a person writes, and little beside the memory a hook may take.
_LIMIT = 4_000_000
# `untildone/hook` is what earlier versions installed: `init` and `uninstall` still find it.
_MARKS = ("untildone/hooks/__main__.py", "untildone/hook", "untildone hook", "untildone statusline")
_HOOK_TYPES = ("command", "http", "mcp_tool", "prompt", "agent")
_SHAPES: dict[str, type] = {"disableAllHooks": bool, "env": dict, "statusLine": dict}


def is_ours(command: str) -> bool:
    plain = command.replace("\\", "/").replace('"', "").replace("'", "").replace(".exe ", " ")
    line = " ".join(plain.split())
    return any(_stands_alone(mark, line) for mark in _MARKS)


def is_our_hook(hook: object) -> bool:
    """Also in the form without a shell, whose words are in `args`."""
    if not isinstance(hook, dict):
        return False
    args = hook.get("args")
    words = [hook.get("command"), *(args if isinstance(args, list) else ())]
    return is_ours(" ".join(word for word in words if isinstance(word, str)))


def our_hooks(settings: dict[str, object]) -> list[tuple[str, str]]:
    """Each of our hooks as its event and its text, with what its group says of it."""
    found = []
    for event, groups in _object(settings.get("hooks")).items():
        for group in groups if isinstance(groups, list) else ():
            found += [(event, hook) for hook in _in_group(group)]
    return found


def touches_ours(before_text: str, after_text: str) -> str:
    """What the change would do to us, or nothing; an empty text is a file that is not there."""
    after = _settings(after_text)
    before = _settings(before_text)
    if after is None:
        return "" if before is None else "it leaves a file that is not a JSON object"
    before = before or {}
    return (
        _hooks_lost(before, after)
        or _switched_off(before, after)
        or _environment_changed(_object(before.get("env")), _object(after.get("env")))
        or (_spoiled(before, after) if our_hooks(before) else "")
    )


def harm_in_file(path: str, home: str) -> str:
    """What a file that was already changed does to what `init` recorded of it, as a predicate."""
    before = _recorded(path, home)
    return touches_ours(json.dumps(before), _text(path)).removeprefix("it ")


def well_shaped(key: str, value: object) -> bool:
    """Whether the client would take the value; it drops all of a file for one it would not."""
    if key == "hooks":
        return isinstance(value, dict) and all(map(_is_groups, value.values()))
    if key == "permissions":
        lists = [_object(value).get(kind, []) for kind in ("allow", "ask", "deny")]
        return isinstance(value, dict) and all(isinstance(rules, list) for rules in lists)
    return isinstance(value, _SHAPES.get(key, object)) and value is not None


def _stands_alone(mark: str, line: str) -> bool:
    at = line.find(mark)
    while at >= 0:
        around = line[at - 1 : at] + line[at + len(mark) : at + len(mark) + 1]
        if not any(character.isalnum() or character in "_-." for character in around):
            return True
        at = line.find(mark, at + 1)
    return False


def _recorded(path: str, home: str) -> dict[str, object]:
    files = (_settings(_text(f"{home}/installed.json")) or {}).get("files")
    for installed in files if isinstance(files, list) else ():
        if _object(installed).get("path") == path:
            entries = _object(_object(installed).get("entries"))
            hooks = {event: [group] for event, group in _object(entries.get("hooks")).items()}
            return {"hooks": hooks, "env": _object(entries.get("env"))}
    return {}


def _text(path: str) -> str:
    """A file that cannot be read as text is none the client can read."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(_LIMIT)
    except FileNotFoundError:
        return ""
    except (OSError, ValueError):
        return "unreadable"


def _object(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _in_group(group: object) -> list[str]:
    fields = dict(_object(group))
    hooks = fields.pop("hooks", None)
    ours = [hook for hook in hooks if is_our_hook(hook)] if isinstance(hooks, list) else []
    return [json.dumps([fields, hook], sort_keys=True) for hook in ours]


def _settings(text: str) -> dict[str, object] | None:
    plain = text.removeprefix("\ufeff")
    if not plain.strip():
        return {}
    try:
        settings = json.loads(plain, parse_constant=_refuse, parse_int=float)
    except (ValueError, RecursionError):
        return None
    return settings if isinstance(settings, dict) else None


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _hooks_lost(before: dict[str, object], after: dict[str, object]) -> str:
    kept = our_hooks(after)
    for event, hook in our_hooks(before):
        if (event, hook) not in kept:
            return f"it removes or changes our `{event}` hook"
    return ""


def _switched_off(before: dict[str, object], after: dict[str, object]) -> str:
    for switch in ("disableAllHooks", "allowManagedHooksOnly"):
        if after.get(switch) and after.get(switch) != before.get(switch):
            return f"it sets `{switch}`"
    plugins = _object(after.get("enabledPlugins"))
    for name, enabled in plugins.items():
        known = _object(before.get("enabledPlugins")).get(name)
        if name.startswith("untildone@") and not enabled and known is not False:
            return f"it disables the plugin `{name}`"
    return ""


def _environment_changed(before: dict[str, object], after: dict[str, object]) -> str:
    for name in sorted({*before, *after}):
        if name.upper().startswith("UNTILDONE_") and before.get(name) != after.get(name):
            return f"it sets or changes the variable `{name}`"
    if _cap(after, otherwise=_CAP_OF_THE_CLIENT) < _cap(before, otherwise=_CAP_OF_THE_CLIENT):
        return f"it lowers the variable `{CAP_VARIABLE}`"
    # A file that did not name the variable may hide the value another file gives it.
    if CAP_VARIABLE not in before and _cap(after, otherwise=CAP) < CAP:
        return f"it lowers the variable `{CAP_VARIABLE}`"
    return ""


def _cap(environment: dict[str, object], *, otherwise: int) -> float:
    if CAP_VARIABLE not in environment:
        return otherwise
    try:
        cap = int(str(environment[CAP_VARIABLE]).removesuffix(".0"))
    except ValueError:
        return _CAP_OF_THE_CLIENT
    return cap if cap > 0 else _UNBOUNDED


def _spoiled(before: dict[str, object], after: dict[str, object]) -> str:
    for key, value in after.items():
        if key in before and before[key] == value:
            continue
        if type(value) is not type(before.get(key, value)) or not well_shaped(key, value):
            return f"it gives `{key}` a value for which the client ignores the whole file"
    return ""


def _is_groups(groups: object) -> bool:
    return isinstance(groups, list) and all(map(_is_group, groups))


def _is_group(group: object) -> bool:
    fields = _object(group)
    hooks = fields.get("hooks")
    named = isinstance(fields.get("matcher", ""), str)
    return named and isinstance(hooks, list) and all(map(_is_hook, hooks))


def _is_hook(hook: object) -> bool:
    fields = _object(hook)
    timed = isinstance(fields.get("timeout", 0), int | float)
    spoken = fields.get("type") != "command" or isinstance(fields.get("command"), str)
    return timed and spoken and fields.get("type") in _HOOK_TYPES
