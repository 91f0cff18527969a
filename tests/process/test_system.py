"""The systems that are not the one the tests run on, as far as they can be tried here."""

import os
import subprocess
from collections.abc import Sequence

import pytest

from untildone.process.system import Posix, Step, Tree, Windows


def ask(argv: Sequence[str]) -> str:
    return subprocess.run(argv, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize("step", ["interrupt", "terminate", "kill"])
def test_a_process_group_ends_at_every_step(step: Step) -> None:
    system = Posix(ask)
    system.prepare()
    tree = Tree("token")
    assert system.find_members(tree) == set()
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as child:
        tree.pid, tree.poll = child.pid, child.poll
        assert (system.find_members(tree), system.read_exit_status(tree)) == ({child.pid}, None)
        system.send(system.find_members(tree), step=step)
        child.wait(5)

    assert (system.find_members(tree), system.read_exit_status(tree)) == (set(), child.returncode)


def test_the_process_group_holds_what_outlives_its_leader() -> None:
    system = Posix(ask)
    tree = Tree("token")
    with subprocess.Popen(["sh", "-c", "sleep 60 &"], start_new_session=True) as child:
        tree.pid, tree.poll = child.pid, child.poll
    assert system.find_members(tree) == {child.pid}

    system.send(system.find_members(tree), step="kill")


def test_unix_lists_parents_and_living_processes() -> None:
    system = Posix(ask)

    assert system.find_parent(os.getpid()) == os.getppid()
    assert system.find_parent(2**31 - 1) == 0
    assert [system.is_alive(number) for number in (os.getpid(), 2**31 - 1, 2**80)] == [
        True,
        False,
        False,
    ]


def test_windows_is_asked_to_end_the_tree() -> None:
    asked: list[Sequence[str]] = []

    def record(argv: Sequence[str]) -> str:
        asked.append(argv)
        return '"python.exe","42","Console"'

    system = Windows(record)
    system.prepare()
    system.send({42}, step="terminate")
    system.send({42}, step="kill")

    assert asked == [
        ["taskkill", "/T", "/PID", "42"],
        ["taskkill", "/T", "/F", "/PID", "42"],
    ]
    assert (system.is_alive(42), system.is_alive(4), system.find_parent(42)) == (True, False, 0)


def test_windows_knows_the_program_itself() -> None:
    tree = Tree("token")
    assert Windows(ask).find_members(tree) == {0} - {0}
    tree.pid = 42
    assert Windows(ask).find_members(tree) == {42}
    tree.poll = lambda: 0
    assert Windows(ask).find_members(tree) == set()


def test_windows_quotes_for_its_shell_and_searches_its_path() -> None:
    system = Windows(ask)

    shell = system.prepare_argv(["cmd", "/d", "/s", "/c", 'echo "a b"'], {})
    assert shell == 'cmd /d /s /c "echo "a b""'
    assert system.prepare_argv(["sh", "x"], {"PATH": "/bin"}) == ["/bin/sh", "x"]
    assert system.prepare_argv(["no-such-program"], {"PATH": "/bin"}) == ["no-such-program"]
