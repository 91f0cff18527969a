"""Arguments of the clients that grew from Gemini CLI: session, approval mode, allowed tools."""

from untildone.agents import headless
from untildone.commands.agent_calls import CHECK, REPORTING_VERBS


def build_arguments(
    call: headless.ClientCall, *, chosen: tuple[str, ...], mode: str
) -> tuple[str, ...]:
    """Return the arguments; `chosen` are options with which the user set the permissions."""
    session = ("--resume" if call.begun else "--session-id", call.session)
    has_permissions = any(argument.startswith(chosen) for argument in call.arguments)
    permissions = () if has_permissions else _build_permissions(mode)
    return ("--output-format", "stream-json", *session, *permissions, *call.arguments)


def _build_permissions(mode: str) -> tuple[str, ...]:
    """Return the options that let the agent edit files and report to us; the rest is refused."""
    verbs = (*REPORTING_VERBS, CHECK)
    tools = ",".join(f"run_shell_command(untildone {verb})" for verb in verbs)
    return ("--approval-mode", mode, f"--allowed-tools={tools}")
