"""Clients on a screen: what a user types starts a loop, which holds the agent and releases it."""

from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from clients.machine import CHECK, ClientMachine
from clients.server import ModelServer
from clients.table import CLIENTS
from clients.terminal import Terminal
from untildone.agents.registry import AGENTS


class Screen(NamedTuple):
    """How a client is started, and what it shows when it waits for the user."""

    arguments: tuple[str, ...]
    ready: str
    # A question that Enter answers before that.
    question: str = ""


SCREENS = {
    "gemini": Screen(("--model", "gemini-2.5-flash", "--yolo"), "Type your message"),
    "qwen": Screen(("--yolo",), "Type your message"),
    "copilot": Screen(("--allow-all-tools",), "/ commands", "Do you trust the files"),
}


@pytest.mark.parametrize("name", SCREENS)
def test_a_command_typed_into_the_client_holds_its_agent(tmp_path: Path, name: str) -> None:
    machine, screen = ClientMachine(tmp_path, CLIENTS[name]), SCREENS[name]
    command = AGENTS[name].LAYOUT.name_command("test")
    with ModelServer(["It is done.", machine.client.shell("touch done.txt"), "Now."]) as server:
        variables = machine.client.prepare(machine.home, machine.project, server.url)
        program = (*machine.client.find_program(), *screen.arguments)
        with closing(Terminal(machine, program, variables)) as terminal:
            if screen.question:
                terminal.wait_for(screen.question)
                terminal.press("Enter")
            terminal.wait_for(screen.ready)
            terminal.type(f"{command} --check '{CHECK}' --refactor make the file")
            terminal.wait_for("untildone: done after 2 rounds")
            shown = terminal.read()
    assert machine.standing() == ("finished", "done", 2)
    assert server.sent_text("Round 1 of 10")
    # The user reads our words, not our command line.
    assert "UNTILDONE_CLIENT_PID" not in shown
