"""A project that a team shares, in the real client: a colleague with and one without untildone."""

from pathlib import Path

import pytest

from client.harness import Client, allow
from client.model_server import ModelServer
from client.script import Step, bash
from client.terminal import Terminal
from client.texts import still_red
from client.world import ClientWorld

pytestmark = pytest.mark.client

SAID = "untildone is not installed here, so no loop is held: install it as its README says"


def share_project(folder: Path) -> Path:
    ann = ClientWorld(folder / "ann", install="nothing")
    ann.untildone("init", "--scope", "project")
    return ann.project


def test_a_colleague_without_untildone_reads_one_line_and_no_error(tmp_path: Path) -> None:
    project = share_project(tmp_path)
    script: list[Step] = [bash("echo until"), "Done."]

    with ModelServer(script) as server:
        client = Client(home=tmp_path / "bea", project=project, server=server)
        result = client.run("wait until it is green, then test it", *allow("Bash"))

    failed = [hook for hook in result.hook_responses if hook["exit_code"] or hook["stderr"]]
    said = [hook["stdout"] for hook in result.hook_responses if hook["stdout"]]
    assert (result.text, len(server.requests), failed) == ("Done.", 2, [])
    assert len(said) == 1
    assert SAID in said[0]


def test_the_line_is_on_the_screen_of_a_new_session(tmp_path: Path) -> None:
    project = share_project(tmp_path)

    with ModelServer(["Done."]) as server:
        client = Client(home=tmp_path / "bea", project=project, server=server)
        with Terminal(client) as terminal:
            terminal.wait_until_ready()
            terminal.wait_for(SAID)
            terminal.submit("wait until it is green")
            terminal.wait_for("Done.")
            assert terminal.screen(history=True).count(SAID) == 1


def test_a_colleague_with_untildone_is_held(tmp_path: Path) -> None:
    project = share_project(tmp_path)
    bea = ClientWorld(tmp_path / "bea", install="nothing")
    bea.project = project
    bea.start()

    _, server = bea.run(["Done.", bash("echo > done.txt"), "Done."])

    assert bea.told(server)[0] == (still_red(1),)
    assert bea.standing() == ("finished", "done", 2)
