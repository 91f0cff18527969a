"""Headless calls of an agent that speaks the Agent Client Protocol."""

from importlib import import_module
from typing import ClassVar

from msgspec import Struct

from untildone.agents import NAMES, headless
from untildone.agents.acp.dialogue import AcpDialogue
from untildone.agents.fault_messages import classify_message
from untildone.process.command import parse_argv

# An argument of the user for us, not for the agent: refuse whatever the agent asks for.
DENY = "--deny-permissions"


class AcpProgram(Struct, frozen=True, kw_only=True):
    """`command` starts the agent; each call is one process of it."""

    command: str
    REMEDIES: ClassVar[dict[headless.ClientFault, str]] = {
        "limit": "wait until the limit ends, then `untildone continue`",
        "authentication": "sign in: run the agent once in a terminal",
        "billing": "add credit to the agent's account",
        "refused": "read the message above; `-- ARGUMENTS` go to the agent",
        "overloaded": "try again later: `untildone continue`",
        "network": "check the connection, then `untildone continue`",
        "lost": "`untildone run --fresh` starts a new conversation",
        "missing": "install it, or correct the command: `--agent 'acp:COMMAND'`",
        "crashed": "run the command once by hand: it must speak the Agent Client Protocol",
        "denied": f"leave out `{DENY}`, or allow it in the agent's settings",
    }

    @property
    def SESSION_VARIABLES(self) -> frozenset[str]:  # noqa: N802  as in `Program`
        """Return those of all agents: any of them may be behind the protocol."""
        modules = (import_module(f"untildone.agents.{name}.headless") for name in NAMES)
        return frozenset(variable for module in modules for variable in module.SESSION_VARIABLES)

    @property
    def PROGRAM(self) -> str:  # noqa: N802  as in `Program`
        return parse_argv(self.command)[0]

    def build_arguments(self, call: headless.ClientCall) -> tuple[str, ...]:
        users = (argument for argument in call.arguments if argument != DENY)
        return (*parse_argv(self.command)[1:], *users)

    def classify_failure(self, stderr: str) -> headless.ClientFault:
        return classify_message(stderr)

    def open_dialogue(
        self, call: headless.ClientCall, prompt: str, *, folder: str
    ) -> headless.Dialogue:
        session = call.client_session if call.begun else ""
        allows = DENY not in call.arguments
        return AcpDialogue(prompt, session=session, folder=folder, allows=allows)
