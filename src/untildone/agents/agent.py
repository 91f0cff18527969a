"""What every agent's module provides: translation only."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from untildone.agents.events import Prompt, SessionStarted, Stop, Usage
from untildone.core.verdict import Verdict

if TYPE_CHECKING:
    from untildone.agents.headless import Headless


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

    # how it is run without a person
    def load_headless(self) -> "Headless": ...

    # payload of the event that ends a turn
    def parse_stop(self, payload: Mapping[str, Any], environ: Mapping[str, str]) -> Stop: ...

    # payload of a submitted prompt
    def parse_prompt(self, payload: Mapping[str, Any], environ: Mapping[str, str]) -> Prompt: ...

    # payload of a session's beginning, also after compaction
    def parse_session_start(self, payload: Mapping[str, Any]) -> SessionStarted: ...

    # the answer to a stop: what the agent is told, what the person sees
    def format_reply(
        self, verdict: Verdict, *, feedback: str, notice: str, environ: Mapping[str, str]
    ) -> str: ...

    # the answer to a prompt that goes on to the model, with what is added to it
    def pass_prompt(self, *, context: str, notice: str) -> str: ...

    # the answer to a prompt that was dealt with and must not reach the model
    def consume_prompt(self, notice: str) -> str: ...

    # what is given back to the model when a session begins or was compacted
    def format_greeting(self, *, context: str, notice: str) -> str: ...

    # what is added to the conversation after a tool call
    def add_context_after_tool(self, context: str) -> str: ...

    # the answer after tool calls that ends the turn without asking the model again
    def end_turn(self, notice: str) -> str: ...

    # the tokens of one message, from a line of the transcript
    def parse_usage(self, line: bytes) -> Usage | None: ...

    # the folder with the transcripts of the session's subagents
    def find_subagents_folder(self, transcript: str) -> str: ...

    # what kept the model from answering, such as a limit, seen in the transcript's last lines
    def find_failure(self, transcript_tail: str) -> str: ...

    # files, and folders of files, in which the client keeps a session's own list of things to do
    def list_todo_paths(self, session: str, environ: Mapping[str, str]) -> tuple[str, ...]: ...

    # the items of such a file, or of a tool call that writes the list: text and status of each
    def parse_todo_items(self, value: object) -> tuple[tuple[str, str], ...] | None: ...

    # input of the person that waits in the client's queue, seen in the transcript's last lines
    def has_queued_input(self, transcript_tail: str) -> bool: ...

    # the person broke off the last tool call, seen in the transcript's last lines
    def was_interrupted(self, transcript_tail: str) -> bool: ...
