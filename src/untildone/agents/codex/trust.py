"""Which hooks Codex does not run: it wants the hash of each one in its `config.toml`.

    [hooks.state."/home/dev/.codex/hooks.json:stop:0:0"]
    trusted_hash = "sha256:fca0…"

The user approves hooks by `/hooks`; the numbers are those of the group and of the hook in it.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from untildone.agents.json_fields import get_object, get_objects, get_text
from untildone.agents.layout import UntrustedHook

_WORD = re.compile(r"(?<!^)(?=[A-Z])")
_TIMEOUT = 600
# The client gives a hook at the end of a session one second, or three at the most.
_END_TIMEOUT, _LONGEST_END = 1, 3
# Events whose hooks run whatever their matcher says, so that the hash leaves it out.
_WITHOUT_MATCHER = ("stop", "user_prompt_submit")
_OFF = "hooks are switched off: `hooks = false` in `config.toml`"
_FOREIGN_PROJECT = "the project is not trusted"


class _Hook(NamedTuple):
    event: str
    place: str
    group: Mapping[str, Any]
    fields: Mapping[str, Any]


def find_untrusted_hooks(
    files: tuple[str, ...], settings: Mapping[str, Any], trust: str, project: str
) -> tuple[UntrustedHook, ...]:
    """Return the hooks of a hooks file that do not run, by the text of `config.toml`.

    `files` are the names of the one file; `project` is empty for that of the user.
    """
    try:
        config: Mapping[str, Any] = tomllib.loads(trust)
    except tomllib.TOMLDecodeError:
        config = {}
    general = _explain_all(config, project)
    states = get_object(get_object(config, "hooks"), "state")
    untrusted = []
    for hook in _list_hooks(settings):
        keys = (f"{file}:{hook.place}" for file in files)
        state = next((get_object(states, key) for key in keys if key in states), {})
        reason = general or _explain(state, compute_hash(hook.event, hook.group, hook.fields))
        if reason:
            command = get_text(hook.fields, "command")
            untrusted.append(UntrustedHook(event=hook.event, command=command, reason=reason))
    return tuple(untrusted)


def _explain_all(config: Mapping[str, Any], project: str) -> str:
    """Return why no hook of the file runs, whatever was approved."""
    if get_object(config, "features").get("hooks") is False:
        return _OFF
    level = get_object(get_object(config, "projects"), project).get("trust_level")
    return _FOREIGN_PROJECT if project and level != "trusted" else ""


def _explain(state: Mapping[str, Any], current: str) -> str:
    if state.get("enabled") is False:
        return "disabled"
    trusted = get_text(state, "trusted_hash")
    if not trusted:
        return "not trusted yet"
    return "" if trusted == current else "changed since you trusted it"


def compute_hash(event: str, group: Mapping[str, Any], hook: Mapping[str, Any]) -> str:
    """Return the hash that the client compares, of what the hook is and not of its place."""
    label = _label(event)
    timeout = hook.get("timeout")
    seconds = timeout if isinstance(timeout, int) else _TIMEOUT
    if label == "session_end":
        seconds = min(timeout, _LONGEST_END) if isinstance(timeout, int) else _END_TIMEOUT
    handler = {
        "type": "command",
        "command": get_text(hook, "command"),
        "timeout": max(seconds, 1),
        "async": hook.get("async") is True,
    }
    if message := get_text(hook, "statusMessage"):
        handler["statusMessage"] = message
    identity = {"event_name": label, "hooks": [handler]}
    if "matcher" in group and label not in _WITHOUT_MATCHER:
        identity["matcher"] = get_text(group, "matcher")
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}"


def _list_hooks(settings: Mapping[str, Any]) -> Iterator[_Hook]:
    events = get_object(settings, "hooks")
    for event in events:
        for at, group in enumerate(get_objects(events, event)):
            for index, fields in enumerate(get_objects(group, "hooks")):
                yield _Hook(event, f"{_label(event)}:{at}:{index}", group, fields)


def _label(event: str) -> str:
    """Return `pre_tool_use` for `PreToolUse`."""
    return _WORD.sub("_", event).lower()
