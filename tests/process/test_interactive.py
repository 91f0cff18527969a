"""A program talked to over pipes, and its end."""

import threading
from pathlib import Path

import pytest

from process.hostile_programs import HOSTILE, Marked, command, python, wait_until, zombies
from untildone.process.interactive import Conversation, NotReadingError, open_conversation
from untildone.process.trees import CannotStartError

ECHO = ["sh", "-c", 'while read -r line; do echo "heard $line"; done; echo over; sleep 60']


def receive_until(conversation: Conversation, ending: bytes) -> bytes:
    text = b""
    while not text.endswith(ending) and (data := conversation.receive()):
        text += data
    return text


def test_messages_are_sent_and_received_in_turn(tmp_path: Path) -> None:
    marked, earlier = Marked(), zombies()
    with open_conversation(ECHO, cwd=tmp_path, env=marked.env) as conversation:
        conversation.send(b"one\n")
        first = receive_until(conversation, b"\n")
        conversation.send(b"two\n")
        second = receive_until(conversation, b"\n")

    assert (first, second) == (b"heard one\n", b"heard two\n")
    assert (marked.left(), zombies()) == ([], earlier)


def test_a_large_message_arrives_whole(tmp_path: Path) -> None:
    with open_conversation(["cat"], cwd=tmp_path, env=Marked().env) as conversation:
        conversation.send(b"x" * 5_000_000 + b"\n")

        assert receive_until(conversation, b"\n") == b"x" * 5_000_000 + b"\n"


def test_who_hears_is_let_go_at_the_end(tmp_path: Path) -> None:
    said: list[bytes] = []
    with open_conversation(["sleep", "60"], cwd=tmp_path, env=Marked().env) as conversation:
        ear = threading.Thread(target=lambda: said.append(conversation.receive()))
        ear.start()
    ear.join(20)

    assert said == [b""]
    assert conversation.receive() == b""


def test_a_program_that_does_not_listen_is_noticed_without_waiting(tmp_path: Path) -> None:
    with open_conversation(["sleep", "60"], cwd=tmp_path, env=Marked().env) as conversation:
        for _ in range(16):
            conversation.send(b"x" * 1_000_000)
        with pytest.raises(NotReadingError, match="does not read what it is told"):
            conversation.send(b"x" * 1_000_000)


def test_nothing_is_said_to_a_program_that_has_ended(tmp_path: Path) -> None:
    with open_conversation(["true"], cwd=tmp_path, env=Marked().env) as conversation:
        assert conversation.receive() == b""

        def ended() -> bool:
            try:
                conversation.send(b"still there?\n")
            except NotReadingError as reason:
                return str(reason) == "has ended"
            return False

        assert wait_until(ended)


@pytest.mark.parametrize("script", sorted(path.name for path in HOSTILE.glob("d*.py")))
def test_nothing_of_a_hostile_program_is_left(script: str, tmp_path: Path) -> None:
    marked, earlier = Marked(), zombies()
    with open_conversation(command(script), cwd=tmp_path, env=marked.env):
        assert wait_until(marked.left)

    assert (marked.left(), zombies()) == ([], earlier)


def test_nothing_is_left_when_the_talk_breaks_off(tmp_path: Path) -> None:
    marked = Marked()
    with (
        pytest.raises(ValueError, match="enough"),
        open_conversation(ECHO, cwd=tmp_path, env=marked.env),
    ):
        raise ValueError("enough")

    assert marked.left() == []


def test_its_errors_are_not_part_of_what_it_says(tmp_path: Path) -> None:
    program = ["sh", "-c", "echo aside >&2; echo said"]
    with open_conversation(program, cwd=tmp_path, env=Marked().env) as conversation:
        assert receive_until(conversation, b"\n") == b"said\n"


def test_its_memory_is_known(tmp_path: Path) -> None:
    program = python("x = b'x' * 50_000_000; print('here', flush=True); input()")
    with open_conversation(program, cwd=tmp_path, env=Marked().env) as conversation:
        receive_until(conversation, b"here\n")

        assert 50_000_000 < conversation.read_resident_memory() < 500_000_000


def test_a_program_that_cannot_be_started_is_named(tmp_path: Path) -> None:
    missing = open_conversation(["nothing-like-this"], cwd=tmp_path, env=Marked().env)
    with pytest.raises(CannotStartError, match="`nothing-like-this` was not found"), missing:
        pass
