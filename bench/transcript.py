"""What a stop costs whose conversation is long."""

import json
from collections.abc import Callable
from pathlib import Path

from bench.hooks import DONE, ROUNDS, install_hooks
from bench.table import Row, measure_medians

MEGABYTE = 1_000_000


def measure(folder: Path) -> list[Row]:
    fire = install_hooks(folder)
    call = fire("PostToolUse", session="busy", tool_name="Bash", tool_input={"command": "ls"})

    def held(transcript: Path) -> Callable[[], None]:
        stop = fire("Stop", session="busy", transcript_path=str(transcript), **DONE)

        def action() -> None:
            # Without a tool call in between, the loop would soon be paused.
            call()
            if b'"block"' not in stop():
                raise ValueError("the agent was not held")

        return action

    actions = [held(write_transcript(folder, 5)), held(write_transcript(folder, 500))]
    few, many = measure_medians(actions, rounds=ROUNDS // 2)
    return [Row("stop with a transcript of 500 MB", many / few, 1.2, "one of 5 MB")]


def write_transcript(folder: Path, megabytes: int) -> Path:
    entry = {
        "type": "assistant",
        "uuid": "u" * 36,
        "message": {
            "id": "msg_1",
            "role": "assistant",
            "content": [{"type": "text", "text": "word " * 180}],
            "usage": {"input_tokens": 10, "output_tokens": 20},
        },
    }
    line = json.dumps(entry).encode() + b"\n"
    part = line * (MEGABYTE // len(line))
    path = folder / f"{megabytes}.jsonl"
    with path.open("wb") as file:
        for _ in range(megabytes):
            file.write(part)
    return path
