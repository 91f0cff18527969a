"""An agent that speaks the Agent Client Protocol, named by its command."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from untildone.agents import defaults, payloads
from untildone.agents.acp import hooks
from untildone.agents.agent import Hooks
from untildone.agents.events import Prompt, Stop
from untildone.agents.layout import Layout
from untildone.core.verdict import Verdict

if TYPE_CHECKING:
    from untildone.agents.headless import Interactive
    from untildone.agents.imitation import Imitation

KIND = "acp"


class AcpAgent(Struct, frozen=True, kw_only=True):
    """`command` starts the agent, such as `gemini --acp`.

    It has no hooks: a headless run judges its returns, so the answers to events are never sent.
    """

    command: str

    @property
    def NAME(self) -> str:  # noqa: N802  as in `Agent`
        return f"{KIND}:{self.command}" if self.command else KIND

    @property
    def LAYOUT(self) -> Layout:  # noqa: N802  as in `Agent`
        return Layout(title=self.NAME, program="", folder="", files={}, events={})

    @property
    def HOOKS(self) -> Hooks:  # noqa: N802  as in `Agent`
        return hooks

    def load_imitation(self) -> "Imitation":
        raise NotImplementedError("an agent without hooks of ours has none to drill")

    def load_headless(self) -> "Interactive":
        # Imported here because no hook runs a client.
        from untildone.agents.acp.headless import AcpProgram

        return AcpProgram(command=self.command)

    def parse_stop(self, payload: Mapping[str, Any], environ: Mapping[str, str]) -> Stop:
        return payloads.parse_stop(payload, environ, hooks)

    def parse_prompt(self, payload: Mapping[str, Any], environ: Mapping[str, str]) -> Prompt:
        return payloads.parse_prompt(payload, environ, hooks)

    def format_reply(
        self, verdict: Verdict, *, feedback: str, notice: str, environ: Mapping[str, str]
    ) -> str:
        del verdict, environ
        return feedback or notice

    def pass_prompt(self, _prompt: Prompt, /, *, context: str, notice: str) -> str:
        return context or notice

    def format_greeting(self, *, context: str, notice: str) -> str:
        return context or notice

    consume_prompt = end_turn = add_context_after_tool = staticmethod(hooks.notify)
    parse_session_start = staticmethod(payloads.parse_session_start)
    find_untrusted_hooks = staticmethod(defaults.find_untrusted_hooks)
    is_headless = staticmethod(defaults.is_headless)
    format_command = staticmethod(defaults.format_command)
    parse_usage = staticmethod(defaults.parse_usage)
    find_subagents_folder = staticmethod(defaults.find_subagents_folder)
    find_failure = staticmethod(defaults.find_failure)
    find_message = staticmethod(defaults.find_message)
    list_todo_paths = staticmethod(defaults.list_todo_paths)
    parse_todo_items = staticmethod(defaults.parse_todo_items)
    list_queued_input = staticmethod(defaults.list_queued_input)
    was_interrupted = staticmethod(defaults.was_interrupted)
    was_stop_interrupted = staticmethod(defaults.was_stop_interrupted)
