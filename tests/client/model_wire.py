"""The Messages API as bytes: answers, streamed or whole, and errors."""

import json
from uuid import uuid4

from client.model_request import Json
from client.script import Answer, Block, Call


def error(kind: str, text: str) -> Json:
    return {"type": "error", "error": {"type": kind, "message": text}}


def message(answer: Answer, *, model: str) -> Json:
    calls = any(isinstance(block, Call) for block in answer.blocks)
    return {
        "id": f"msg_{uuid4().hex}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [_content(block) for block in answer.blocks],
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": answer.input_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": answer.output_tokens,
        },
    }


def stream(whole: Json) -> bytes:
    """The message as server-sent events."""
    return "".join(
        f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in _events(whole)
    ).encode()


def _content(block: Block) -> Json:
    if isinstance(block, str):
        return {"type": "text", "text": block}
    return {
        "type": "tool_use",
        "id": f"toolu_{uuid4().hex}",
        "name": block.tool,
        "input": dict(block.input),
    }


def _events(whole: Json) -> list[Json]:
    start = {**whole, "content": [], "stop_reason": None}
    events: list[Json] = [{"type": "message_start", "message": start}]
    for index, block in enumerate(whole["content"]):
        events += _block_events(index, block)
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    usage = {"output_tokens": whole["usage"]["output_tokens"]}
    events.append({"type": "message_delta", "delta": ending, "usage": usage})
    events.append({"type": "message_stop"})
    return events


def _block_events(index: int, block: Json) -> list[Json]:
    empty: Json
    if block["type"] == "text":
        empty = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": block["text"]}
    else:
        empty = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return [
        {"type": "content_block_start", "index": index, "content_block": empty},
        {"type": "content_block_delta", "index": index, "delta": delta},
        {"type": "content_block_stop", "index": index},
    ]
