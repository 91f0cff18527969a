"""One call of a client: what it prints becomes events and a return."""

import json
import sys
import threading
from pathlib import Path

from untildone.agents.gemini import headless as gemini
from untildone.agents.headless import AgentText, ClientCall, Returned, RunEvent, Tool
from untildone.runs.client_call import CallSettings, Limits, call

PRINTED = (
    {"type": "message", "role": "assistant", "content": "I lo", "delta": True},
    {"type": "message", "role": "assistant", "content": "ok.", "delta": True},
    {"type": "tool_use", "tool_name": "glob"},
    {"type": "message", "role": "assistant", "content": "Done.", "delta": True},
    {"type": "result", "status": "success"},
)


def test_parts_of_a_text_are_joined(tmp_path: Path) -> None:
    script = tmp_path / "client.py"
    lines = [json.dumps(entry) for entry in PRINTED]
    script.write_text(f"print({chr(10).join(lines)!r})", encoding="utf-8")
    command = (sys.executable, str(script))
    settings = CallSettings(client=gemini, command=command, project=tmp_path, environ={})
    shown: list[RunEvent] = []
    limits = Limits(stop=threading.Event())
    returned = call(settings, ClientCall(session="s"), "go", limits=limits, show=shown.append)
    assert shown == [
        AgentText(text="I look."),
        Tool(name="glob"),
        AgentText(text="Done."),
        Returned(turns=1),
    ]
    assert (returned.message, returned.tools) == ("Done.", 1)
