"""The drill speaks to each agent's hooks as its client does."""

import pytest

from untildone.agents.imitation import ImitatedAnswer, ImitatedSession
from untildone.agents.registry import AGENTS, find_agent
from untildone.core.verdict import Continue

SESSION = ImitatedSession(id="s1", process="1")
FIELDS = {"session_id": "s1", "cwd": "/p", "prompt_id": "p1", "transcript_path": ""}


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("held", [False, True])
def test_a_stop_is_understood_as_the_clients_own(name: str, held: bool) -> None:
    agent = AGENTS[name]
    imitation = agent.load_imitation()
    environ = imitation.list_variables(SESSION)
    said = {"last_assistant_message": "Done.", "stop_hook_active": held}
    payload = imitation.write_payload(agent.LAYOUT.events["Stop"], {**FIELDS, **said})

    assert agent.HOOKS.is_own(payload, environ)
    stop = agent.parse_stop(agent.HOOKS.translate("Stop", payload), environ)
    assert (stop.session, stop.cwd, stop.held_before) == ("s1", "/p", held)


@pytest.mark.parametrize("name", AGENTS)
def test_a_session_start_names_its_session(name: str) -> None:
    agent = AGENTS[name]
    written = agent.load_imitation().write_payload("SessionStart", {**FIELDS, "source": "startup"})
    started = agent.parse_session_start(agent.HOOKS.translate("SessionStart", written))
    assert (started.session, started.source) == ("s1", "startup")


@pytest.mark.parametrize("name", AGENTS)
def test_a_hold_is_read_from_the_answer(name: str) -> None:
    agent = AGENTS[name]
    hold = agent.format_reply(
        Continue(cause="unmet", names=("test",)), feedback="go on", notice="", environ={}
    )
    read_answer = agent.load_imitation().read_answer
    assert read_answer(hold).hold == "go on"
    assert read_answer(agent.HOOKS.notify("a line")) == ImitatedAnswer(notice="a line")
    assert read_answer("") == ImitatedAnswer()


def test_an_agent_without_hooks_is_not_imitated() -> None:
    with pytest.raises(NotImplementedError, match="without hooks"):
        find_agent("acp:any").load_imitation()
