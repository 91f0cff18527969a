"""An agent that is named by its command."""

import pytest

from untildone.agents.acp import hooks
from untildone.agents.acp.agent import AcpAgent
from untildone.agents.acp.headless import AcpProgram
from untildone.agents.events import Prompt
from untildone.agents.headless import ClientCall, ClientFault
from untildone.agents.registry import AGENTS, find_agent
from untildone.core.verdict import Ignore

AGENT = AcpAgent(command="gemini --acp")


def test_the_name_says_which_agent_it_is() -> None:
    assert AGENT.NAME == "acp:gemini --acp"
    assert find_agent(AGENT.NAME) == AGENT
    assert find_agent("acp").NAME == "acp"
    assert find_agent("claude") is AGENTS["claude"]


def test_it_is_installed_nowhere() -> None:
    assert (AGENT.LAYOUT.files, AGENT.LAYOUT.events) == ({}, {})
    assert not any(
        (hooks.SHELL_VARIABLE, hooks.SESSION_VARIABLE, hooks.PROCESS_VARIABLE, hooks.SETTINGS)
    )


def test_events_are_read_as_they_are() -> None:
    payload: dict[str, object] = {"session_id": "s", "prompt": "Go."}
    assert AGENT.HOOKS.translate("Stop", payload) is payload
    assert AGENT.parse_stop(payload, {}).session == "s"
    assert AGENT.parse_prompt(payload, {}).text == "Go."


def test_answers_are_plain_texts() -> None:
    verdict = Ignore(reason="x")
    assert AGENT.format_reply(verdict, feedback="a", notice="b", environ={}) == "a"
    assert AGENT.pass_prompt(Prompt(session="s", text="t"), context="", notice="b") == "b"
    assert AGENT.format_greeting(context="a", notice="") == "a"
    assert AGENT.end_turn("over") == "over"


def test_the_command_gets_the_users_arguments() -> None:
    program = AGENT.load_headless()
    call = ClientCall(session="s", arguments=("--model", "x", "--deny-permissions"))
    assert program.PROGRAM == "gemini"
    assert {"CLAUDECODE", "CODEX_SESSION_ID", "OPENCODE"} < program.SESSION_VARIABLES
    assert program.build_arguments(call) == ("--acp", "--model", "x")


@pytest.mark.parametrize(("begun", "resumed"), [(True, b"session/load"), (False, b"session/new")])
def test_a_conversation_is_resumed_only_once_begun(*, begun: bool, resumed: bytes) -> None:
    call = ClientCall(session="s", client_session="of-the-agent", begun=begun)
    dialogue = AcpProgram(command="x").open_dialogue(call, "Go.", folder="/p")
    dialogue.begin()
    offers = (
        b'{"id": 1, "result": {"protocolVersion": 1, "agentCapabilities": {"loadSession": true}}}'
    )
    assert resumed in dialogue.answer(offers)[0]


@pytest.mark.parametrize(
    ("stderr", "fault"),
    [
        ("Session 1f2e not found", "lost"),
        ("Error: 401 Unauthorized", "authentication"),
        ("402: add credits", "billing"),
        ("You exceeded your current quota", "limit"),
        ("The model is overloaded", "overloaded"),
        ("unknown option '--acpp'", "refused"),
        ("TypeError: fetch failed", "network"),
        ("Segmentation fault", "crashed"),
    ],
)
def test_failures_without_an_answer(stderr: str, fault: ClientFault) -> None:
    assert AcpProgram(command="x").classify_failure(stderr) == fault


def test_no_client_sends_it_events() -> None:
    assert not find_agent("acp:any").HOOKS.is_own({"session_id": "s1"}, {})
