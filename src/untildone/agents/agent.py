"""What every agent's module provides: translation only."""

from collections.abc import Mapping
from typing import Any, Protocol

from untildone.agents.events import Prompt, SessionStarted, Stop
from untildone.loop.model import Verdict


class Agent(Protocol):
    # the agent's name on the command line and in the state's folders
    @property
    def NAME(self) -> str: ...

    # the environment variable that holds the session's id in hooks and in the agent's shell
    @property
    def SESSION_VARIABLE(self) -> str: ...

    # the environment variable that holds the client's process id
    @property
    def PROCESS_VARIABLE(self) -> str: ...

    # payload of the event that ends a turn
    def stop(self, payload: Mapping[str, Any], environ: Mapping[str, str]) -> Stop: ...

    # payload of a submitted prompt
    def prompt(self, payload: Mapping[str, Any], environ: Mapping[str, str]) -> Prompt: ...

    # payload of a session's beginning, also after compaction
    def session_started(
        self, payload: Mapping[str, Any], environ: Mapping[str, str]
    ) -> SessionStarted: ...

    # the answer to a stop: what the agent is told, what the person sees
    def reply(
        self, verdict: Verdict, *, feedback: str, notice: str, environ: Mapping[str, str]
    ) -> str: ...

    # the answer to a prompt that goes on to the model, with what is added to it
    def pass_prompt(self, *, context: str, notice: str) -> str: ...

    # the answer to a prompt that was dealt with and must not reach the model
    def take_prompt(self, notice: str) -> str: ...

    # what is given back to the model when a session begins or was compacted
    def greet(self, *, context: str, notice: str) -> str: ...

    # what is added to the conversation after a tool call
    def after_tool(self, context: str) -> str: ...

    # input of the person that waits in the client's queue, seen in the transcript's last lines
    def queued(self, transcript_tail: str) -> bool: ...

    # the person broke off the last tool call, seen in the transcript's last lines
    def interrupted(self, transcript_tail: str) -> bool: ...
