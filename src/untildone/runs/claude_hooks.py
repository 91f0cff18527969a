"""The hooks of Claude Code: read from its settings, and run as the client runs them."""

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct

from untildone.agents.json_fields import get_object, get_objects, get_text, parse_object
from untildone.process.runner import run

Settings: TypeAlias = Mapping[str, Any]

# The client's default time limit of a hook, in seconds.
_TIMEOUT = 600.0
_TIMEOUTS = {"UserPromptSubmit": 30.0, "SessionEnd": 1.5}
_EVERYTHING = ("", "*")
_BLOCKS = 2


class Hook(Struct, frozen=True, kw_only=True):
    """One command of one event; with `args` it is started without a shell."""

    event: str
    command: str
    args: tuple[str, ...] | None = None
    matcher: str = ""
    timeout: float = _TIMEOUT

    @property
    def argv(self) -> list[str]:
        return ["sh", "-c", self.command] if self.args is None else [self.command, *self.args]

    def wants(self, event: str, subject: str) -> bool:
        """Say whether the client runs this hook; `subject` is the tool or the source."""
        if event != self.event:
            return False
        if event == "Stop" or self.matcher in _EVERYTHING:
            return True
        return re.fullmatch(self.matcher, subject) is not None


class Answer(Struct, frozen=True, kw_only=True):
    """The result of a hook; stdout counts only if it is a JSON object."""

    hook: Hook
    exit_code: int | None
    stdout: str = ""
    stderr: str = ""
    timed_out: bool = False
    seconds: float = 0

    @property
    def output(self) -> Mapping[str, Any]:
        """Return the answer on stdout; empty if the client would ignore it."""
        return parse_object(self.stdout) if self.exit_code == 0 else {}

    @property
    def notice(self) -> str:
        """Return the text that the client shows to the user."""
        return get_text(self.output, "systemMessage")

    @property
    def context(self) -> str:
        """Return the text that the client adds to the conversation."""
        return get_text(self._specific, "additionalContext")

    @property
    def block(self) -> str:
        """Return the reason for which the event is blocked, by the answer or by exit code 2."""
        if self.exit_code == _BLOCKS:
            return self.stderr.strip() or "blocked"
        if self.output.get("decision") == "block":
            return get_text(self.output, "reason") or "blocked"
        if self._specific.get("permissionDecision") == "deny":
            return get_text(self._specific, "permissionDecisionReason") or "denied"
        return ""

    @property
    def feedback(self) -> str:
        """Return, for a stop, the text that keeps the agent working."""
        return self.block or self.context

    @property
    def _specific(self) -> Mapping[str, Any]:
        return get_object(self.output, "hookSpecificOutput")


def read_hooks(files: Iterable[Settings]) -> tuple[Hook, ...]:
    """Return the hooks of all files; none if one of the files disables hooks."""
    files = tuple(files)
    if any(settings.get("disableAllHooks") for settings in files):
        return ()
    hooks = (hook for settings in files for hook in _parse_hooks(settings))
    # The client runs a command once, even if several files name it.
    return tuple(dict.fromkeys(hooks))


def read_variables(files: Iterable[Settings]) -> dict[str, str]:
    """Return the environment variables that the files set; later files win."""
    variables: dict[str, str] = {}
    for settings in files:
        env = get_object(settings, "env")
        variables.update({str(name): str(value) for name, value in env.items()})
    return variables


def run_hooks(
    hooks: Iterable[Hook], payload: bytes, *, cwd: Path, env: Mapping[str, str]
) -> tuple[Answer, ...]:
    """Run all hooks at once, each with the payload on stdin."""
    hooks = tuple(hooks)
    if not hooks:
        return ()
    with ThreadPoolExecutor(max_workers=len(hooks)) as pool:
        return tuple(pool.map(lambda hook: _run_hook(hook, payload, cwd=cwd, env=env), hooks))


def _run_hook(hook: Hook, payload: bytes, *, cwd: Path, env: Mapping[str, str]) -> Answer:
    with tempfile.TemporaryDirectory(prefix="untildone-hook-") as folder:
        errors = Path(folder) / "stderr"
        ended = run(
            hook.argv,
            cwd=cwd,
            timeout=hook.timeout,
            env=env,
            stdin=payload,
            errors=errors,
            hosts_agent=True,
        )
        stderr = errors.read_text(encoding="utf-8", errors="replace") if errors.exists() else ""
    return Answer(
        hook=hook,
        exit_code=ended.exit_code,
        stdout=ended.text,
        stderr=stderr or ended.missing,
        timed_out=ended.timed_out,
        seconds=ended.seconds,
    )


def _parse_hooks(settings: Settings) -> Iterator[Hook]:
    events = get_object(settings, "hooks")
    for event in events:
        for group in get_objects(events, event):
            for hook in get_objects(group, "hooks"):
                if hook.get("type") == "command" and isinstance(hook.get("command"), str):
                    yield _parse_hook(event, hook, matcher=get_text(group, "matcher"))


def _parse_hook(event: str, fields: Mapping[str, Any], *, matcher: str) -> Hook:
    args, timeout = fields.get("args"), fields.get("timeout")
    seconds = float(timeout) if isinstance(timeout, int | float) else _TIMEOUTS.get(event, _TIMEOUT)
    return Hook(
        event=event,
        command=fields["command"],
        args=tuple(map(str, args)) if isinstance(args, list) else None,
        matcher=matcher,
        timeout=seconds,
    )
