"""The hook lines of clients that tell a shell no session id, as the shell reads them."""

import os
import subprocess
from pathlib import Path

import pytest

from untildone.agents.codex import agent as codex
from untildone.agents.codex.trust import compute_hash
from untildone.agents.registry import AGENTS
from untildone.install.claude_lines import (
    HookProgram,
    build_settings_program,
    build_shared_program,
)
from untildone.install.plain_lines import build_entries
from untildone.store.sessions import Session


def get_lines(program: HookProgram) -> dict[str, str]:
    groups = build_entries(codex, program).hooks
    return {event: group["hooks"][0]["command"] for event, group in groups.items()}  # type: ignore[index]  # as built


class Machine:
    """Where a started interpreter only says so."""

    def __init__(self, folder: Path) -> None:
        self.state = folder / "state of mine"
        self.session = Session(str(self.state), "codex", "s1")

    def starts(self, event: str, prompt: str = "hello") -> bool:
        program = HookProgram(
            home=f"'{self.state}'",
            program="echo",
            arguments="started",
            source="test",
            agent="codex",
        )
        done = subprocess.run(
            ["sh", "-c", get_lines(program)[event]],
            input=prompt,
            env={"PATH": os.defpath},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.startswith("started")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_every_line_is_sound_shell() -> None:
    program = build_settings_program(
        agent="codex",
        home=Path("/a b/it's"),
        python=Path("/c d/py thon"),
        package=Path("/e 'f'/untildone"),
    )
    for line in get_lines(program).values():
        checked = subprocess.run(["sh", "-n", "-c", line], capture_output=True, check=False)
        assert (checked.returncode, checked.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("event", "without", "paused", "active"),
    [
        ("SessionStart", True, True, True),
        ("UserPromptSubmit", False, True, True),
        ("PreToolUse", False, True, True),
        ("PostToolUse", False, True, True),
        ("SessionEnd", False, True, True),
        ("PreCompact", False, False, True),
        ("Stop", False, False, True),
    ],
)
def test_an_interpreter_starts_only_where_a_loop_needs_it(
    machine: Machine, event: str, without: bool, paused: bool, active: bool
) -> None:
    found = [machine.starts(event)]
    for is_active in (False, True):
        machine.session.bind("a1", active=is_active)
        found.append(machine.starts(event))
    machine.session.release()
    found.append(machine.starts(event))
    assert found == [without, paused, active, without]


def test_a_loop_of_another_agent_starts_nothing(machine: Machine) -> None:
    Session(str(machine.state), "claude", "s1").bind("a1", active=True)
    assert not machine.starts("Stop")


def test_a_prompt_that_may_mean_a_loop_starts_an_interpreter(machine: Machine) -> None:
    assert machine.starts("UserPromptSubmit", "test relentlessly: the parser")


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("codex", '{"systemMessage":"'),
        ("copilot", '{"type":"progress","message":"'),
        ("opencode", '{"notice":"'),
        ("cursor", '{"user_message":"'),
    ],
)
def test_who_has_no_untildone_is_told_so_in_the_clients_own_answer(name: str, answer: str) -> None:
    agent = AGENTS[name]
    hook = build_entries(agent, build_shared_program("project", name)).hooks
    entry = hook[agent.LAYOUT.events["UserPromptSubmit"]]
    line = str(_get_hook(entry)["command"] if "hooks" in entry else entry["command"])
    done = subprocess.run(
        ["sh", "-c", line],
        input="test relentlessly: the parser",
        env={"PATH": "/usr/bin:/bin", "HOME": "/nowhere"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(f"{answer}untildone is not installed here")


# A line that changes loses the trust of every user of Codex: they must approve it again.
TRUSTED = {
    "SessionStart": "687a8799bf45",
    "UserPromptSubmit": "6039e85320b4",
    "Stop": "3188f1f7fcec",
    "PreCompact": "d43d43f01c6c",
    "SessionEnd": "c3b53412b534",
    "PreToolUse": "58ac1fe10920",
    "PostToolUse": "2ecc130931fd",
}


def test_the_lines_stay_as_codex_users_trusted_them() -> None:
    program = build_settings_program(
        home=Path("/state"), python=Path("/python"), package=Path("/untildone"), agent="codex"
    )
    groups = build_entries(codex, program).hooks
    hooks = {event: _get_hook(group) for event, group in groups.items()}
    hashes = {event: compute_hash(event, {}, hook)[-12:] for event, hook in hooks.items()}
    assert hashes == TRUSTED


def _get_hook(group: dict[str, object]) -> dict[str, object]:
    hooks = group["hooks"]
    assert isinstance(hooks, list)
    return dict(hooks[0])
