"""The real Claude Code client, run headless in a home of its own against the model server."""

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import pytest

from client.conversation import Conversation, Result
from client.model_request import Json
from client.model_server import ModelServer

API_KEY = "sk-ant-fake"
HEADLESS = ("--output-format", "stream-json", "--verbose", "--include-hook-events")


def missing(what: str) -> NoReturn:
    """Skips the test that needs `what`, or fails it where the real client is required."""
    if os.environ.get("UNTILDONE_REQUIRE_CLIENT") == "1":
        pytest.fail(f"{what}, and UNTILDONE_REQUIRE_CLIENT=1 demands the real client")
    pytest.skip(what)


def claude_binary() -> Path:
    spec = importlib.util.find_spec("claude_agent_sdk")
    name = "claude.exe" if sys.platform == "win32" else "claude"
    if spec is not None and spec.origin is not None:
        binary = Path(spec.origin).parent / "_bundled" / name
        if binary.is_file():
            return binary
    missing("the wheel `claude-agent-sdk` with its bundled client is not installed")


def allow(*tools: str) -> tuple[str, ...]:
    """Permission that holds in an untrusted folder and for root, where bypassing is refused."""
    return ("--permission-mode", "default", "--allowedTools", ",".join(tools))


def with_settings(settings: Mapping[str, Any]) -> tuple[str, ...]:
    return ("--settings", json.dumps(settings))


def command_hooks(**commands: str) -> Json:
    """Settings with one command hook for each named event."""
    return {
        "hooks": {
            event: [{"hooks": [{"type": "command", "command": command}]}]
            for event, command in commands.items()
        }
    }


@dataclass(kw_only=True)
class Client:
    """A user's machine: home, project, environment. `server` is the only model it knows."""

    home: Path
    project: Path
    server: ModelServer
    path: Sequence[Path] = ()
    environ: Mapping[str, str] = field(default_factory=dict)
    trusted: bool = True

    def __post_init__(self) -> None:
        self.binary = claude_binary()
        self.home.joinpath("tmp").mkdir(parents=True, exist_ok=True)
        self.project.mkdir(parents=True, exist_ok=True)
        self._write_person_state()

    @property
    def environment(self) -> dict[str, str]:
        """Everything the client is given; nothing of the environment the tests run in."""
        return {
            "PATH": os.pathsep.join([*map(str, self.path), "/usr/bin", "/bin"]),
            "HOME": str(self.home),
            # Otherwise its sockets and the output of its tasks go to a shared folder.
            "TMPDIR": str(self.home / "tmp"),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "ANTHROPIC_BASE_URL": self.server.url,
            "ANTHROPIC_API_KEY": API_KEY,
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            **self.environ,
        }

    def write_settings(self, settings: Mapping[str, Any], *, scope: str = "project") -> Path:
        """Writes `settings` as the user's, the project's or the local settings file."""
        files = {
            "user": self.home / ".claude" / "settings.json",
            "project": self.project / ".claude" / "settings.json",
            "local": self.project / ".claude" / "settings.local.json",
        }
        files[scope].parent.mkdir(parents=True, exist_ok=True)
        files[scope].write_text(json.dumps(settings, indent=2), encoding="utf-8")
        return files[scope]

    def transcript(self, session_id: str) -> Path:
        (found,) = self.home.glob(f".claude/projects/*/{session_id}.jsonl")
        return found

    def command(self, *arguments: str, limit: float = 30) -> subprocess.CompletedProcess[str]:
        """A run of the client that asks no model, such as `plugin install`."""
        return subprocess.run(
            [self.binary, *arguments],
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
        )

    def run(self, prompt: str, *arguments: str, stdin: str = "", limit: float = 30) -> Result:
        """`claude -p PROMPT`, killed with all its children after `limit` seconds."""
        with self.begin(prompt, *arguments, stdin=stdin, limit=limit) as conversation:
            return conversation.finish()

    def begin(
        self, prompt: str, *arguments: str, stdin: str = "", limit: float = 30
    ) -> Conversation:
        """The same, for a test that acts while it runs. An empty prompt leaves it to `stdin`."""
        words = ["-p", prompt] if prompt else ["-p"]
        conversation = self._start([*words, *arguments], limit=limit)
        conversation.send(stdin)
        # An open input that says nothing costs the client three seconds of waiting.
        conversation.close_input()
        return conversation

    def talk(self, *arguments: str, limit: float = 30) -> Conversation:
        """One headless process that takes several prompts, see `Conversation.say`."""
        return self._start(["-p", "--input-format", "stream-json", *arguments], limit=limit)

    def _start(self, arguments: Sequence[str], *, limit: float) -> Conversation:
        argv = [str(self.binary), *arguments, *HEADLESS]
        return Conversation(argv, cwd=self.project, environment=self.environment, limit=limit)

    def _write_person_state(self) -> None:
        path = self.home / ".claude.json"
        state: Json = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        # Without these the interactive client opens with its own questions.
        state["hasCompletedOnboarding"] = True
        state["customApiKeyResponses"] = {"approved": [API_KEY], "rejected": []}
        projects = state.setdefault("projects", {})
        projects.setdefault(str(self.project), {})["hasTrustDialogAccepted"] = self.trusted
        path.write_text(json.dumps(state), encoding="utf-8")
