"""What the client sent to the model, read the way a test asks about it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

Json: TypeAlias = dict[str, Any]

_SUMMARY_WANTED = "CRITICAL: Respond with TEXT ONLY."


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One message request. `new_texts` is what the request before it did not carry."""

    body: Json
    headers: Mapping[str, str]
    new_messages: tuple[Json, ...]

    @classmethod
    def received(
        cls, body: Json, headers: Mapping[str, str], *, earlier: Sequence["Request"]
    ) -> Self:
        request = cls(body=body, headers=headers, new_messages=tuple(body["messages"]))
        same = [item for item in earlier if item._conversation == request._conversation]
        if not same:
            return request
        shared = _shared(same[-1].messages, request.messages)
        return replace(request, new_messages=request.new_messages[shared:])

    @property
    def _conversation(self) -> tuple[str, str, bool]:
        return (self.session, self.agent, self.main)

    @property
    def messages(self) -> list[Json]:
        messages: list[Json] = self.body["messages"]
        return messages

    @property
    def tools(self) -> tuple[str, ...]:
        return tuple(tool["name"] for tool in self.body.get("tools") or ())

    @property
    def main(self) -> bool:
        return bool(self.tools) and not self.agent and not self.compacts

    @property
    def compacts(self) -> bool:
        """Whether the client asks for a summary of the conversation, tools and all."""
        # A hook's context may stand behind the demand, in a message of the system.
        said = [message for message in self.messages if message["role"] == "user"]
        return any(text.startswith(_SUMMARY_WANTED) for text in _texts(said[-1:]))

    @property
    def session(self) -> str:
        return self.headers.get("X-Claude-Code-Session-Id", "")

    @property
    def agent(self) -> str:
        """The id of the subagent that asks; empty for the main loop."""
        return self.headers.get("x-claude-code-agent-id", "")

    @property
    def texts(self) -> tuple[str, ...]:
        """Every text in the messages that is not the model's own."""
        return tuple(_texts(self.messages))

    @property
    def new_texts(self) -> tuple[str, ...]:
        return tuple(_texts(self.new_messages))


def _shared(known: Sequence[Json], messages: Sequence[Json]) -> int:
    count = 0
    for old, new in zip(known, messages, strict=False):
        if _comparable(old) != _comparable(new):
            break
        count += 1
    return count


def _comparable(message: Json) -> str:
    # The client moves its cache marks to the end of the conversation with every request.
    content = message["content"]
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    blocks = [{k: v for k, v in block.items() if k != "cache_control"} for block in content]
    return json.dumps([message["role"], blocks], sort_keys=True)


def _texts(messages: Sequence[Json]) -> Iterator[str]:
    for message in messages:
        if message["role"] != "assistant":
            yield from _content_texts(message["content"])


def _content_texts(content: str | list[Json]) -> Iterator[str]:
    if isinstance(content, str):
        yield content
        return
    for block in content:
        if block["type"] == "text":
            yield block["text"]
        elif block["type"] == "tool_result":
            yield from _content_texts(block.get("content") or "")
