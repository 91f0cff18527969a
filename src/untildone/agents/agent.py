"""The protocol of an agent's module: translation between the agent's messages and our values."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from untildone.agents.events import Prompt, SessionStarted, Stop, Usage
from untildone.agents.layout import Layout, UntrustedHook
from untildone.core.verdict import Verdict

if TYPE_CHECKING:
    from untildone.agents.headless import Headless, Interactive
    from untildone.agents.imitation import Imitation


class Hooks(Protocol):
    """The module `hooks` of an agent's package. It imports nothing but `json` and `re`.

    A variable that the client does not have is empty.
    """

    # the environment variable that only this agent's shell has
    @property
    def SHELL_VARIABLE(self) -> str: ...

    # the one that holds the session's id in the agent's shell, mostly in hooks too
    @property
    def SESSION_VARIABLE(self) -> str: ...

    # the one that holds the project's folder in hooks
    @property
    def PROJECT_VARIABLE(self) -> str: ...

    # the one that holds the client's process id in hooks
    @property
    def PROCESS_VARIABLE(self) -> str: ...

    # the one that says in hooks whether a user sits at the session: "1" or "0"
    @property
    def ATTENDED_VARIABLE(self) -> str: ...

    # the one that names another folder for the user's settings, and that folder's usual name
    @property
    def FOLDER_VARIABLE(self) -> str: ...
    @property
    def FOLDER(self) -> str: ...

    # files in that folder, of the user or of a project, that can hold our hooks or disable them;
    # one that begins with `/` lies in any project, beside that folder
    @property
    def SETTINGS(self) -> tuple[str, ...]: ...

    # whether our shell line records by itself that a tool call begins; it does so on POSIX systems
    @property
    def COUNTS_CALLS_IN_SHELL(self) -> bool: ...

    # whether this client sent the payload: another one may read the file with our hooks too
    def is_own(self, payload: dict[str, object], environ: dict[str, str]) -> bool: ...

    # the payload of one of our events, with the names of fields and tools that Claude Code has;
    # a call that changes several files has all of them in its input's `file_paths`
    def translate(self, event: str, payload: dict[str, object]) -> dict[str, object]: ...

    # the answer that refuses a tool call
    def refuse_call(self, reason: str) -> str: ...

    # the answer that permits a tool call, so that the client does not ask the user
    def permit_call(self, reason: str) -> str: ...

    # the answer that refuses a change of the client's settings
    def refuse_settings(self, reason: str) -> str: ...

    # the answer that only shows a line to the user
    def notify(self, text: str) -> str: ...


class Agent(Protocol):
    # the agent's name on the command line and in the state folder
    @property
    def NAME(self) -> str: ...

    # where the client keeps its hooks
    @property
    def LAYOUT(self) -> Layout: ...

    # the part of it that is on every hook's path
    @property
    def HOOKS(self) -> "Hooks": ...

    # how the drill imitates its client
    def load_imitation(self) -> "Imitation": ...

    # how it runs without a user
    def load_headless(self) -> "Headless | Interactive": ...

    # whether the client was started without a user, by its command line, if no payload says so
    def is_headless(self, arguments: Sequence[str], /) -> bool: ...

    # payload of the event that ends a turn
    def parse_stop(self, payload: Mapping[str, Any], environ: Mapping[str, str]) -> Stop: ...

    # payload of a submitted prompt
    def parse_prompt(self, payload: Mapping[str, Any], environ: Mapping[str, str]) -> Prompt: ...

    # payload of the start of a session, also after compaction
    def parse_session_start(self, payload: Mapping[str, Any]) -> SessionStarted: ...

    # the hooks in a settings file that the client does not run, by the text of its trust file;
    # the settings file may have several names, and `project` is empty for that of the user
    def find_untrusted_hooks(
        self, files: tuple[str, ...], settings: Mapping[str, Any], trust: str, project: str, /
    ) -> tuple[UntrustedHook, ...]: ...

    # the text of a command's file from its description and the prompt that it stands for
    def format_command(self, description: str, prompt: str, /) -> str: ...

    # the answer to a stop: feedback for the agent, a notice for the user
    def format_reply(
        self, verdict: Verdict, *, feedback: str, notice: str, environ: Mapping[str, str]
    ) -> str: ...

    # the answer to a prompt that goes to the model, with additional context
    def pass_prompt(self, prompt: Prompt, /, *, context: str, notice: str) -> str: ...

    # the answer to a prompt that we handled and that must not reach the model
    def consume_prompt(self, notice: str) -> str: ...

    # context for the model when a session starts or was compacted
    def format_greeting(self, *, context: str, notice: str) -> str: ...

    # context for the model after a tool call
    def add_context_after_tool(self, context: str) -> str: ...

    # the answer after tool calls that ends the turn without another model request
    def end_turn(self, notice: str) -> str: ...

    # the tokens of one message, from a line of the transcript
    def parse_usage(self, line: bytes, /) -> Usage | None: ...

    # the folder with the transcripts of the session's subagents
    def find_subagents_folder(self, transcript: str, /) -> str: ...

    # why the model did not answer, such as a limit, from the transcript's last lines
    def find_failure(self, transcript_tail: str, /) -> str: ...

    # the agent's last message, from the transcript's last lines, if no payload has it
    def find_message(self, transcript_tail: str, /) -> str: ...

    # files and folders in which the client keeps the todo list of a session
    def list_todo_paths(self, session: str, environ: Mapping[str, str], /) -> tuple[str, ...]: ...

    # text and status of each item in such a file, or in a tool call that writes the list
    def parse_todo_items(self, value: object, /) -> tuple[tuple[str, str], ...] | None: ...

    # input of the user that waits in the client's queue, from the transcript's last lines
    def list_queued_input(self, transcript_tail: str, /) -> tuple[str, ...]: ...

    # whether the user interrupted the last tool call, from the transcript's last lines
    def was_interrupted(self, transcript_tail: str, /) -> bool: ...

    # whether the user interrupted the judging of the last stop, from the transcript's last lines
    def was_stop_interrupted(self, transcript_tail: str, /) -> bool: ...
