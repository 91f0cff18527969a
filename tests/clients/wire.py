"""How a scripted answer is written in the model APIs of the clients."""

import json
import uuid
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

Json: TypeAlias = dict[str, Any]


class Call(NamedTuple):
    """One tool call of the model; a `custom` tool takes text instead of fields."""

    tool: str
    input: Json | str

    @property
    def custom(self) -> bool:
        return isinstance(self.input, str)


# What the model answers: texts and tool calls, in this order.
Answer: TypeAlias = Sequence[str | Call]
USAGE = {"input": 10, "output": 5}


def make_id(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex[:10]}"


def stream_responses(answer: Answer, model: str) -> Iterator[Json]:
    """OpenAI's Responses API, as Codex reads it."""
    response: Json = {"id": make_id("resp"), "object": "response", "model": model, "output": []}
    yield {"type": "response.created", "response": {**response, "status": "in_progress"}}
    items = []
    for index, part in enumerate(answer):
        item = _make_item(part)
        items.append(item)
        yield {"type": "response.output_item.added", "output_index": index, "item": item}
        if isinstance(part, str):
            place = {"item_id": item["id"], "output_index": index, "content_index": 0}
            yield {"type": "response.output_text.delta", **place, "delta": part}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    usage = {
        "input_tokens": USAGE["input"],
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": USAGE["output"],
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": sum(USAGE.values()),
    }
    done = {**response, "status": "completed", "output": items, "usage": usage}
    yield {"type": "response.completed", "response": done}


def _make_item(part: str | Call) -> Json:
    if isinstance(part, str):
        text = {"type": "output_text", "text": part, "annotations": []}
        message = {"type": "message", "role": "assistant", "content": [text]}
        return {"id": make_id("msg"), "status": "completed", **message}
    common = {"call_id": make_id("call"), "name": part.tool, "status": "completed"}
    if part.custom:
        return {"type": "custom_tool_call", "id": make_id("ct"), "input": part.input, **common}
    arguments = json.dumps(part.input)
    return {"type": "function_call", "id": make_id("fc"), "arguments": arguments, **common}


def make_chat(answer: Answer, model: str) -> Json:
    """OpenAI's chat completions without a stream."""
    text, calls = _split(answer)
    message: Json = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "finish_reason": _finish(calls)}
    return {
        "id": make_id("chatcmpl"),
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [choice],
        "usage": _count_tokens(),
    }


def stream_chat(answer: Answer, model: str) -> Iterator[Json]:
    """The same as a stream, as Qwen, Copilot and opencode read it."""
    chunk = {
        "id": make_id("chatcmpl"),
        "object": "chat.completion.chunk",
        "created": 1,
        "model": model,
    }
    text, calls = _split(answer)
    deltas: list[tuple[Json, str | None]] = [({"role": "assistant", "content": text}, None)]
    if calls:
        indexed = [{"index": index, **call} for index, call in enumerate(calls)]
        deltas.append(({"tool_calls": indexed}, None))
    deltas.append(({}, _finish(calls)))
    for delta, finish in deltas:
        yield {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    yield {**chunk, "choices": [], "usage": _count_tokens()}


def _split(answer: Answer) -> tuple[str, list[Json]]:
    calls = [
        {
            "id": make_id("call"),
            "type": "function",
            "function": {"name": part.tool, "arguments": json.dumps(part.input)},
        }
        for part in answer
        if isinstance(part, Call)
    ]
    return "".join(part for part in answer if isinstance(part, str)), calls


def _finish(calls: list[Json]) -> str:
    return "tool_calls" if calls else "stop"


def _count_tokens() -> Json:
    total = sum(USAGE.values())
    return {
        "prompt_tokens": USAGE["input"],
        "completion_tokens": USAGE["output"],
        "total_tokens": total,
    }


def make_gemini(answer: Answer) -> Json:
    """Google's generateContent; its stream has one such object."""
    parts = [
        {"text": part}
        if isinstance(part, str)
        else {"functionCall": {"name": part.tool, "args": part.input}}
        for part in answer
    ]
    usage = {
        "promptTokenCount": USAGE["input"],
        "candidatesTokenCount": USAGE["output"],
        "totalTokenCount": sum(USAGE.values()),
    }
    content = {"role": "model", "parts": parts}
    candidate = {"content": content, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}
