"""A client without a model: each call plays one step of a script in Claude Code's protocol.

`python -m untildone.runs.scripted_client SCRIPT.json [client arguments]`, with the prompt on stdin.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from untildone.process.command import quote_argument
from untildone.runs.scripted_agent import Agent, Edit, ScriptEvent, Shell, Turn
from untildone.store.durable_files import write_atomically

_WINDOW = 200_000
_TEXTS = {401: "Invalid API key", 429: "This request would exceed your account's rate limit"}


class Step(Struct, frozen=True, kw_only=True):
    """What one call does, says and costs, or how it fails."""

    edits: tuple[Edit | Shell, ...] = ()
    says: str = ""
    cost_usd: float = 0
    tokens: int = 1_000
    denied: tuple[str, ...] = ()
    # An HTTP status with the client's message, and the end of the limit for 429.
    status: int = 0
    until: float = 0
    # Seconds it hangs after its edits, the signal that kills it, an exit code without a result.
    hangs: float = 0
    dies: int = 0
    exit_code: int | None = None


class Script(Struct, frozen=True, kw_only=True):
    """After its end the last step repeats; `played` and `costs` are the totals so far."""

    steps: tuple[Step, ...]
    played: int = 0
    costs: dict[str, float] = {}
    prompts: tuple[str, ...] = ()


def write_script(path: Path, steps: Sequence[Step]) -> str:
    """Write the script and return the command line that plays it."""
    write_atomically(path, msgspec.json.encode(Script(steps=tuple(steps))), keep_previous=False)
    words = (sys.executable, "-P", "-m", __name__, str(path))
    return " ".join(quote_argument(word) for word in words)


def main(argv: Sequence[str]) -> int:
    """Play the next step of the script and return the client's exit code."""
    path, arguments = Path(argv[0]), list(argv[1:])
    script = read(path)
    step = script.steps[min(script.played, len(script.steps) - 1)]
    session, begun = _parse_session(arguments)
    if begun != (session in script.costs):
        print(f"No conversation found with session ID: {session}", file=sys.stderr)  # noqa: T201
        return 1
    costs = {**script.costs, session: script.costs.get(session, 0) + step.cost_usd}
    prompts = (*script.prompts, sys.stdin.read())
    script = Script(steps=script.steps, played=script.played + 1, costs=costs, prompts=prompts)
    write_atomically(path, msgspec.json.encode(script), keep_previous=False)
    return _play(step, session, costs[session])


def read(path: Path) -> Script:
    return msgspec.json.decode(path.read_bytes(), type=Script)


def _parse_session(arguments: list[str]) -> tuple[str, bool]:
    begun = "--resume" in arguments
    return arguments[arguments.index("--resume" if begun else "--session-id") + 1], begun


def _play(step: Step, session: str, cost: float) -> int:
    _print_event("system", subtype="init", session_id=session)
    agent = Agent(Path.cwd(), settings=(), environ=os.environ, session=session, show=_show)
    agent.prompt("", [Turn(edits=step.edits, says=step.says)])
    usage = {"input_tokens": step.tokens}
    _print_event("assistant", message={"content": [], "usage": usage}, parent_tool_use_id=None)
    for tool in step.denied:
        _print_event(
            "system", subtype="permission_denied", tool_name=tool, message="requires approval"
        )
    time.sleep(step.hangs)
    if step.dies:
        os.kill(os.getpid(), step.dies if os.name != "nt" else signal.SIGTERM)
    if step.exit_code is not None:
        return step.exit_code
    if step.until:
        limit = {"status": "rejected", "resetsAt": step.until}
        _print_event("rate_limit_event", rate_limit_info=limit)
    _print_event(
        "result",
        subtype="success",
        is_error=bool(step.status),
        api_error_status=step.status or None,
        result=step.says or (_TEXTS.get(step.status, "API Error") if step.status else ""),
        total_cost_usd=cost,
        num_turns=1 + len(step.edits),
        modelUsage={"scripted": {"contextWindow": _WINDOW}},
    )
    return 1 if step.status else 0


def _show(event: ScriptEvent) -> None:
    match event.what:
        case "edit":
            block = {"type": "tool_use", "name": "Write", "input": {"file_path": event.text}}
        case "shell":
            block = {"type": "tool_use", "name": "Bash", "input": {"command": event.text}}
        case "says":
            block = {"type": "text", "text": event.text}
        case _:
            return
    _print_event("assistant", message={"content": [block]}, parent_tool_use_id="scripted")


def _print_event(kind: str, **fields: Any) -> None:  # noqa: ANN401  any JSON value
    print(json.dumps({"type": kind, **fields}), flush=True)  # noqa: T201  its protocol is stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
