"""The harness itself: what the real client does when untildone is not there."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from client.harness import Client, allow, command_hooks, missing
from client.model_server import ModelServer
from client.processes import running
from client.script import Billed, Call, Fail, Gate, bash
from client.terminal import Terminal
from snippets import snippet

pytestmark = pytest.mark.client


def new_client(folder: Path, server: ModelServer) -> Client:
    return Client(home=folder / "home", project=folder / "project", server=server)


def test_without_hooks_one_request_ends_the_run(tmp_path: Path) -> None:
    with ModelServer(["I am done."]) as server:
        result = new_client(tmp_path, server).run("please work")

    assert (result.exit_code, result.text, len(server.requests)) == (0, "I am done.", 1)
    assert result.hook_responses == ()
    assert "please work" in server.requests[0].texts


def test_a_stop_hook_s_context_reaches_the_model_once(tmp_path: Path) -> None:
    with ModelServer(["one", "two"]) as server:
        client = new_client(tmp_path, server)
        client.write_settings(command_hooks(Stop=str(hold_once(tmp_path))))
        result = client.run("please work")

    assert (result.exit_code, result.text) == (0, "two")
    assert server.reached_model[1:] == (
        (
            snippet("""
                <system-reminder>
                Stop hook additional context: the tests are red
                </system-reminder>"""),
        ),
    )
    assert [item["exit_code"] for item in result.responses_to("Stop")] == [0, 0]


def hold_once(folder: Path) -> Path:
    script = folder / "hold"
    script.write_text(
        "#!/bin/sh\n"
        f"test -e '{folder}/held' && exit 0\n"
        f": > '{folder}/held'\n"
        """echo '{"hookSpecificOutput": {"hookEventName": "Stop","""
        """ "additionalContext": "the tests are red"}}'\n""",
        encoding="utf-8",
    )
    script.chmod(0o755)
    return script


def test_a_tool_call_is_carried_out_and_its_output_reaches_the_model(tmp_path: Path) -> None:
    with ModelServer([bash("echo out of the shell"), "done"]) as server:
        new_client(tmp_path, server).run("please work", *allow("Bash"))

    assert server.reached_model[1:] == (("out of the shell",),)


def test_a_refused_request_ends_the_run_with_an_error(tmp_path: Path) -> None:
    with ModelServer(after=Fail(400, kind="invalid_request_error")) as server:
        result = new_client(tmp_path, server).run("please work")

    assert (result.exit_code, result.results[-1]["is_error"]) == (1, True)


def test_a_run_past_its_limit_is_ended(tmp_path: Path) -> None:
    with ModelServer([Gate("too late")]) as server:
        result = new_client(tmp_path, server).run("please work", limit=1)

    assert (result.timed_out, result.exit_code, result.text) == (True, -9, "")


def test_what_the_client_started_does_not_outlive_the_test(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    nap = bash(f"echo $$ > '{note}.new'; mv '{note}.new' '{note}'; sleep 60")
    with (
        ModelServer([nap]) as server,
        new_client(tmp_path, server).begin("please work", *allow("Bash")),
    ):
        while not note.exists():
            time.sleep(0.02)
        shell = int(note.read_text(encoding="utf-8"))
        assert running(shell)

    assert not running(shell)


def test_one_process_takes_several_prompts(tmp_path: Path) -> None:
    with (
        ModelServer(["first", "second"]) as server,
        new_client(tmp_path, server).talk() as conversation,
    ):
        answers = [conversation.say(text)[-1]["result"] for text in ("one", "two")]
        result = conversation.finish()

    assert (answers, result.exit_code) == (["first", "second"], 0)
    assert server.reached_model[1:] == (("two",),)


def test_a_subagent_plays_a_script_of_its_own(tmp_path: Path) -> None:
    task = {"description": "look", "prompt": "look around", "subagent_type": "general-purpose"}
    call = Call("Agent", {**task, "run_in_background": False})
    with ModelServer([call, "done"], subagents=["nothing found"]) as server:
        result = new_client(tmp_path, server).run("please work", *allow("Agent"))

    assert (result.text, len(server.requests), len(server.subagent_requests)) == ("done", 2, 1)
    assert "look around" in server.subagent_requests[0].texts


def test_a_compaction_takes_no_step_of_the_script(tmp_path: Path) -> None:
    with ModelServer(["one", "two", "three"]) as server:
        client = new_client(tmp_path, server)
        client.write_settings(command_hooks(SessionStart="echo context $$", Stop="true"))
        session = client.run("please work").session_id
        resume = ("--resume", session)
        texts = [client.run(prompt, *resume).text for prompt in ("more", "/compact", "go on")]

    assert texts == ["two", "", "three"]
    assert (len(server.requests), len(server.asides)) == (3, 1)


def test_the_client_reports_the_cost_of_the_scripted_tokens(tmp_path: Path) -> None:
    with ModelServer([Billed("one", input_tokens=1_000_000)]) as server:
        dear = new_client(tmp_path / "dear", server).run("please work")
        cheap = new_client(tmp_path / "cheap", server).run("please work")

    assert dear.cost_usd > 1 > cheap.cost_usd > 0


def test_a_missing_client_fails_where_it_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNTILDONE_REQUIRE_CLIENT", "1")
    with pytest.raises(pytest.fail.Exception, match="no client"):
        missing("no client")
    monkeypatch.delenv("UNTILDONE_REQUIRE_CLIENT")
    with pytest.raises(pytest.skip.Exception, match="no client"):
        missing("no client")


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[tuple[Terminal, Gate]]:
    gate = Gate("the echo of the model")
    with ModelServer([gate]) as server, Terminal(new_client(tmp_path, server)) as shown:
        shown.wait_until_ready()
        yield shown, gate


def test_the_interactive_client_answers_once_the_gate_opens(
    terminal: tuple[Terminal, Gate],
) -> None:
    shown, gate = terminal
    shown.submit("hello out there")
    gate.wait_reached()
    time.sleep(0.3)
    assert "the echo of the model" not in shown.screen()
    gate.open()
    shown.wait_for("the echo of the model")
    shown.wait_until_idle()
