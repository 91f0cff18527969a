"""A scripted agent that runs the installed hooks as its client does; Claude Code by default."""

import json
import os
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from untildone.agents.claude.agent import read_cap
from untildone.agents.imitation import ImitatedSession
from untildone.agents.registry import AGENTS
from untildone.process.runner import run
from untildone.runs.claude_hooks import Answer, Settings, read_hooks, read_variables, run_hooks

_COMMAND_TIMEOUT = 120.0


class Edit(Struct, frozen=True, kw_only=True, tag=True):
    """A file written whole, by its path in the project."""

    path: str
    content: str


class Shell(Struct, frozen=True, kw_only=True, tag=True):
    """A command of the agent's own shell."""

    command: str


class Turn(Struct, frozen=True, kw_only=True):
    """What the agent does, and what it says when it believes it is done."""

    edits: tuple[Edit | Shell, ...] = ()
    says: str


class ScriptEvent(Struct, frozen=True, kw_only=True):
    """One event to show: its kind and its text."""

    what: Literal["prompt", "edit", "shell", "refused", "says", "held", "let go", "notice"]
    text: str


Show: TypeAlias = Callable[[ScriptEvent], None]
# How a prompt ended; `out of script`: the agent is still held but its script is over.
Ended: TypeAlias = Literal["let go", "blocked", "overridden", "out of script"]


class Agent:
    """One session; `settings` are the files that the client would read."""

    def __init__(
        self,
        project: Path,
        *,
        settings: Sequence[Settings],
        environ: Mapping[str, str],
        session: str = "",
        show: Show = lambda _: None,
        client: str = "claude",
    ) -> None:
        self.project = project
        self._layout = AGENTS[client].LAYOUT
        self._project_variable = AGENTS[client].HOOKS.PROJECT_VARIABLE
        self._imitation = AGENTS[client].load_imitation()
        self.session = session or str(uuid.uuid4())
        self.cwd = project
        self._hooks = read_hooks(settings)
        self._environ = {**environ, **read_variables(settings)}
        self._show = show
        self._prompt = ""
        # Holds since the prompt, and since the last tool call.
        self._held, self._holds = False, 0

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment of hooks and of the agent's shell."""
        session = ImitatedSession(id=self.session, process=str(os.getpid()))
        return {**self._environ, **self._imitation.list_variables(session)}

    @property
    def hook_environment(self) -> dict[str, str]:
        """Return the environment of hooks alone."""
        project = {self._project_variable: str(self.project)} if self._project_variable else {}
        return {**self.environment, **project}

    def begin(self, source: str = "startup") -> None:
        self._show_notices(self.fire("SessionStart", {"source": source}, subject=source))

    def end(self, reason: str = "other") -> None:
        self.fire("SessionEnd", {"reason": reason}, subject=reason)

    def prompt(self, text: str, turns: Iterable[Turn]) -> Ended:
        """Submit a prompt, play turns until a stop is allowed, and say how that ended."""
        self._prompt, self._held, self._holds = str(uuid.uuid4()), False, 0
        self._show(ScriptEvent(what="prompt", text=text))
        answers = self.fire("UserPromptSubmit", {"permission_mode": "default", "prompt": text})
        self._show_notices(answers)
        if any(answer.block for answer in answers):
            return "blocked"
        for turn in turns:
            for edit in turn.edits:
                self._use_tool(edit)
            if not self._stop(turn.says):
                return "let go"
            if self._is_overridden():
                return "overridden"
        return "out of script"

    def fire(
        self, event: str, fields: Mapping[str, Any], *, subject: str = ""
    ) -> tuple[Answer, ...]:
        """Run the hooks of an event with the payload that the client would build."""
        name = self._layout.events.get(event, event)
        payload = self._imitation.write_payload(name, {**self._build_payload(), **fields})
        wanted = [hook for hook in self._hooks if hook.wants(name, subject)]
        data = json.dumps(payload).encode()
        return run_hooks(wanted, data, cwd=self.cwd, env=self.hook_environment)

    def _build_payload(self) -> dict[str, Any]:
        # No transcript is written: hooks must work without one.
        transcript = self.project.parent / f"{self.session}.jsonl"
        common = {
            "session_id": self.session,
            "transcript_path": str(transcript),
            "cwd": str(self.cwd),
        }
        return {**common, "prompt_id": self._prompt} if self._prompt else common

    def _stop(self, message: str) -> bool:
        """Play a stop, and say whether the agent is held."""
        self._show(ScriptEvent(what="says", text=message))
        answers = self.fire("Stop", build_stop_fields(message, held_before=self._held))
        feedback = "\n".join(answer.feedback for answer in answers if answer.feedback)
        self._show_notices(answers)
        self._show(ScriptEvent(what="held" if feedback else "let go", text=feedback))
        self._held, self._holds = bool(feedback), self._holds + bool(feedback)
        return self._held

    def _is_overridden(self) -> bool:
        """Say whether the client ends the turn itself, after too many holds without a tool call."""
        return 0 < read_cap(self._environ) < self._holds

    def _use_tool(self, edit: Edit | Shell) -> None:
        self._holds = 0
        name, inputs = _describe_call(edit, self.cwd)
        fields = {
            "permission_mode": "default",
            "tool_name": name,
            "tool_input": inputs,
            "tool_use_id": f"toolu_{uuid.uuid4().hex[:20]}",
        }
        before = self.fire("PreToolUse", fields, subject=name)
        self._show_notices(before)
        denied = next((answer.block for answer in before if answer.block), "")
        response = denied or self._carry_out(edit, fields)
        called = {**fields, "tool_response": response}
        batch = {"permission_mode": called.pop("permission_mode"), "tool_calls": [called]}
        self.fire("PostToolBatch", batch)

    def _carry_out(self, edit: Edit | Shell, fields: Mapping[str, Any]) -> str:
        """Carry out a tool call and return what the model would read."""
        match edit:
            case Edit():
                event, result = "PostToolUse", {"tool_response": self._write_file(edit)}
            case Shell():
                event, result = self._run_shell(edit)
        self.fire(event, {**fields, **result}, subject=str(fields["tool_name"]))
        return str(result)

    def _write_file(self, edit: Edit) -> dict[str, Any]:
        verb = "writes" if edit.content else "empties"
        self._show(ScriptEvent(what="edit", text=f"{verb} {edit.path}"))
        path = self.cwd / edit.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(edit.content, encoding="utf-8", newline="\n")
        return {"type": "create", "filePath": str(path), "content": edit.content}

    def _run_shell(self, shell: Shell) -> tuple[str, dict[str, Any]]:
        self._show(ScriptEvent(what="shell", text=shell.command))
        argv = ["sh", "-c", shell.command]
        ended = run(
            argv,
            cwd=self.cwd,
            timeout=_COMMAND_TIMEOUT,
            env=self.environment,
            hosts_agent=True,
        )
        if ended.exit_code:
            error = f"Exit code {ended.exit_code}\n{ended.text}".rstrip()
            return "PostToolUseFailure", {"error": error, "is_interrupt": False}
        response = {"stdout": ended.text, "stderr": "", "interrupted": ended.timed_out}
        return "PostToolUse", {"tool_response": response}

    def _show_notices(self, answers: tuple[Answer, ...]) -> None:
        for answer in answers:
            if answer.notice:
                self._show(ScriptEvent(what="notice", text=answer.notice))
            if answer.block and answer.hook.event == "PreToolUse":
                self._show(ScriptEvent(what="refused", text=answer.block))


def build_stop_fields(message: str, *, held_before: bool) -> dict[str, Any]:
    """Return the fields of a Stop payload beside the session."""
    return {
        "permission_mode": "default",
        "effort": {"level": "medium"},
        "stop_hook_active": held_before,
        "last_assistant_message": message,
        "background_tasks": [],
        "session_crons": [],
    }


def _describe_call(edit: Edit | Shell, cwd: Path) -> tuple[str, dict[str, str]]:
    match edit:
        case Edit():
            return "Write", {"file_path": str(cwd / edit.path), "content": edit.content}
        case Shell():
            return "Bash", {"command": edit.command, "description": "run a command"}
