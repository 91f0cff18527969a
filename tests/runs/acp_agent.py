"""An agent that speaks the Agent Client Protocol and plays a script: one turn for each prompt.

`python acp_agent.py SCRIPT.json` reads `{"turns": [...], "offers": {...}}` and writes back which
turns are played and every message that it was sent.
"""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

Json = dict[str, Any]


class Agent:
    def __init__(self, script: Path) -> None:
        self.script = script
        self.state: Json = {"received": [], "played": 0, **json.loads(script.read_text("utf-8"))}
        self.session = "of-the-agent"

    def save(self) -> None:
        self.script.write_text(json.dumps(self.state), encoding="utf-8")

    def send(self, **message: object) -> None:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()

    def receive(self) -> Json:
        line = sys.stdin.readline()
        if not line:
            if self.state.get("lingers"):
                time.sleep(60)
            sys.exit(0)
        message: Json = json.loads(line)
        self.state["received"].append(message)
        self.save()
        return message

    def update(self, name: str, /, **fields: object) -> None:
        update = {"sessionUpdate": name, **fields}
        params = {"sessionId": self.session, "update": update}
        self.send(method="session/update", params=params)

    def say(self, text: str) -> None:
        self.update("agent_message_chunk", content={"type": "text", "text": text})

    def serve(self) -> None:
        while True:
            message = self.receive()
            number = message.get("id")
            match message.get("method"):
                case "initialize":
                    version = self.state.get("version", 1)
                    offers = self.state.get("offers", {"loadSession": True})
                    result = {"protocolVersion": version, "agentCapabilities": offers}
                    self.send(id=number, result=result)
                case "session/new" if error := self.state.get("new_error"):
                    self.send(id=number, error=error)
                case "session/new":
                    self.send(id=number, result={"sessionId": self.session})
                case "session/load" if self.state.get("lost"):
                    self.send(id=number, error={"code": -32602, "message": "unknown"})
                case "session/load" | "session/resume":
                    self.say("What was said before.")
                    self.send(id=number, result={})
                case "session/prompt":
                    self.play(number)
                case _:
                    pass

    def play(self, number: object) -> None:
        turns = self.state["turns"]
        turn = turns[min(self.state["played"], len(turns) - 1)]
        self.state["played"] += 1
        self.save()
        if turn.get("asks"):
            self.ask(turn["asks"])
        for path in turn.get("writes", ()):
            self.update("tool_call", toolCallId="1", title=f"Write {path}", kind="edit")
            Path(path).write_text("x\n", encoding="utf-8")
        if command := turn.get("runs"):
            subprocess.run(command, shell=True, check=False)  # noqa: S602  the script of the test
        if turn.get("crashes"):
            sys.stderr.write(turn["crashes"])
            sys.exit(7)
        if turn.get("waits"):
            Path("begun").touch()
            if self.receive().get("method") == "session/cancel":
                turn = {"stop": "cancelled"}
        if turn.get("says"):
            half = len(turn["says"]) // 2
            self.say(turn["says"][:half])
            self.say(turn["says"][half:])
        if turn.get("usage"):
            self.update("usage_update", **turn["usage"])
        if turn.get("error"):
            self.send(id=number, error=turn["error"])
        else:
            self.send(id=number, result={"stopReason": turn.get("stop", "end_turn")})

    def ask(self, method: str) -> None:
        options = [
            {"optionId": f"{kind}-1", "name": kind, "kind": kind}
            for kind in ("allow_always", "allow_once", "reject_once")
        ]
        call = {"toolCallId": "1", "title": "rm -rf /", "kind": "execute"}
        self.send(id=99, method=method, params={"toolCall": call, "options": options})
        self.receive()


Agent(Path(sys.argv[1])).serve()
