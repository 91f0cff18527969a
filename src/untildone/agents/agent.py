"""The protocol of an agent's module: translation between the agent's messages and our values."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from untildone.agents.events import Prompt, SessionStarted, Stop, Usage
from untildone.core.verdict import Verdict

if TYPE_CHECKING:
    from untildone.agents.headless import Headless


class Agent(Protocol):
    # the agent's name on the command line and in the state folder
    @property
    def NAME(self) -> str: ...

    # the environment variable that holds the session's id in hooks and in the agent's shell
    @property
    def SESSION_VARIABLE(self) -> str: ...

    # the environment variable that holds the client's process id
    @property
    def PROCESS_VARIABLE(self) -> str: ...

    # how it runs without a user
    def load_headless(self) -> "Headless": ...

    # payload of the event that ends a turn
    def parse_stop(self, payload: Mapping[str, Any], environ: Mapping[str, str]) -> Stop: ...

    # payload of a submitted prompt
    def parse_prompt(self, payload: Mapping[str, Any], environ: Mapping[str, str]) -> Prompt: ...

    # payload of the start of a session, also after compaction
    def parse_session_start(self, payload: Mapping[str, Any]) -> SessionStarted: ...

    # the answer to a stop: feedback for the agent, a notice for the user
    def format_reply(
        self, verdict: Verdict, *, feedback: str, notice: str, environ: Mapping[str, str]
    ) -> str: ...

    # the answer to a prompt that goes to the model, with additional context
    def pass_prompt(self, *, context: str, notice: str) -> str: ...

    # the answer to a prompt that we handled and that must not reach the model
    def consume_prompt(self, notice: str) -> str: ...

    # context for the model when a session starts or was compacted
    def format_greeting(self, *, context: str, notice: str) -> str: ...

    # context for the model after a tool call
    def add_context_after_tool(self, context: str) -> str: ...

    # the answer after tool calls that ends the turn without another model request
    def end_turn(self, notice: str) -> str: ...

    # the tokens of one message, from a line of the transcript
    def parse_usage(self, line: bytes) -> Usage | None: ...

    # the folder with the transcripts of the session's subagents
    def find_subagents_folder(self, transcript: str) -> str: ...

    # why the model did not answer, such as a limit, from the transcript's last lines
    def find_failure(self, transcript_tail: str) -> str: ...

    # files and folders in which the client keeps the todo list of a session
    def list_todo_paths(self, session: str, environ: Mapping[str, str]) -> tuple[str, ...]: ...

    # text and status of each item in such a file, or in a tool call that writes the list
    def parse_todo_items(self, value: object) -> tuple[tuple[str, str], ...] | None: ...

    # input of the user that waits in the client's queue, from the transcript's last lines
    def list_queued_input(self, transcript_tail: str) -> tuple[str, ...]: ...

    # whether the user interrupted the last tool call, from the transcript's last lines
    def was_interrupted(self, transcript_tail: str) -> bool: ...

    # whether the user interrupted the judging of the last stop, from the transcript's last lines
    def was_stop_interrupted(self, transcript_tail: str) -> bool: ...
