"""Programs that are sent more while they run."""

import sys
import threading
import time
from pathlib import Path

from untildone.process.live_input import LiveInput
from untildone.process.runner import run

ECHO = "import sys\nfor line in sys.stdin: print(line.strip()[::-1], flush=True)"
DEAF = "import time; print('up', flush=True); time.sleep(60)"


def test_what_is_sent_later_arrives_and_closing_ends_the_program(tmp_path: Path) -> None:
    stdin = LiveInput()
    stdin.send(b"abc\n")
    heard = bytearray()

    def answer(data: bytes) -> None:
        heard.extend(data)
        if heard == b"cba\n":
            stdin.send(b"def\n")
        elif heard == b"cba\nfed\n":
            stdin.close()

    ended = run(
        [sys.executable, "-c", ECHO], cwd=tmp_path, timeout=20, stdin=stdin, on_output=answer
    )
    # On a busy machine it is ended before it has ended by itself.
    assert (ended.exit_code or 0, ended.text) == (0, "cba\nfed\n")


def test_a_program_that_ignores_the_end_of_its_input_is_ended(tmp_path: Path) -> None:
    stdin = LiveInput()
    stdin.close()
    began = time.monotonic()
    ended = run([sys.executable, "-c", DEAF], cwd=tmp_path, timeout=30, stdin=stdin)
    assert (ended.exit_code, ended.timed_out, ended.interrupted) == (None, False, False)
    assert time.monotonic() - began < 15


def test_a_stopped_program_hears_the_last_words(tmp_path: Path) -> None:
    stop = threading.Event()
    stdin = LiveInput(lambda: b"bye\n")
    heard: list[bytes] = []

    def hear(data: bytes) -> None:
        heard.append(data)
        stdin.close() if b"eyb" in b"".join(heard) else stop.set()

    stdin.send(b"hi\n")
    ended = run(
        [sys.executable, "-c", ECHO],
        cwd=tmp_path,
        timeout=20,
        stop=stop,
        stdin=stdin,
        on_output=hear,
    )
    assert ended.interrupted
    assert b"".join(heard).startswith(b"ih\neyb\n")
