"""Head, tail and log of what a program printed."""

import os
import sys
from pathlib import Path

import pytest

from snippets import snippet
from untildone.process.output import FLOOD_LIMIT, HEAD_LIMIT, LOG_LIMIT, TAIL_LIMIT, Output
from untildone.process.runner import Finished, run


def keep_output(*pieces: bytes, log: Path | None = None) -> Finished:
    reading, writing = os.pipe()
    output = Output(os.fdopen(reading, "rb", buffering=0), log=log)
    for piece in pieces:
        os.write(writing, piece)
    os.close(writing)
    assert output.ended.wait(10)
    head, tail, size = output.close()
    return Finished(exit_code=0, head=head, tail=tail, size=size)


@pytest.mark.parametrize(
    ("size", "head", "tail", "gap"),
    [
        pytest.param(0, 0, 0, "", id="nothing"),
        pytest.param(HEAD_LIMIT, HEAD_LIMIT, 0, "", id="head only"),
        pytest.param(HEAD_LIMIT + TAIL_LIMIT, HEAD_LIMIT, TAIL_LIMIT, "", id="fits"),
        pytest.param(
            HEAD_LIMIT + TAIL_LIMIT + 1,
            HEAD_LIMIT,
            TAIL_LIMIT,
            "\n[1 bytes left out]\n",
            id="one too many",
        ),
        pytest.param(
            1_000_000, HEAD_LIMIT, TAIL_LIMIT, "\n[901696 bytes left out]\n", id="far too many"
        ),
    ],
)
def test_head_and_tail_are_kept(size: int, head: int, tail: int, gap: str) -> None:
    data = (b"0123456789" * (size // 10 + 1))[:size]
    result = keep_output(*(data[start : start + 7777] for start in range(0, size, 7777)))

    assert (result.head, result.tail) == (data[:head], data[size - tail :])
    assert (result.size, result.text) == (size, data[:head].decode() + gap + result.tail.decode())


def test_a_character_across_head_and_tail_stays_whole() -> None:
    text = "x" * (HEAD_LIMIT - 1) + "é"

    assert keep_output(text.encode()).text == text


def test_a_small_log_is_the_whole_output(tmp_path: Path) -> None:
    log = tmp_path / "new" / "log"
    keep_output(b"one\n", b"two\n", log=log)

    assert log.read_bytes() == b"one\ntwo\n"
    assert log.stat().st_mode & 0o777 == 0o600


def test_of_a_flood_the_log_keeps_beginning_and_end_and_says_so(tmp_path: Path) -> None:
    log = tmp_path / "log"
    keep_output(*[b"-" * 65536] * (LOG_LIMIT // 65536), b"the end\n", log=log)

    written = log.read_bytes()
    gap = b"\n[%d bytes left out]\n" % (LOG_LIMIT + 8 - FLOOD_LIMIT)
    assert len(written) == FLOOD_LIMIT + len(gap)
    assert written[FLOOD_LIMIT - TAIL_LIMIT :].startswith(gap)
    assert written.endswith(b"-the end\n")


def test_a_log_up_to_its_limit_is_whole(tmp_path: Path) -> None:
    log = tmp_path / "log"
    keep_output(b"-" * (LOG_LIMIT - 3), b"end", log=log)

    assert log.stat().st_size == LOG_LIMIT
    assert log.read_bytes().endswith(b"---end")


@pytest.mark.parametrize("name", ["folder", "/dev/full", "link"])
def test_a_log_that_cannot_be_written_costs_nothing_else(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")

    assert keep_output(b"output", log=tmp_path / name).head == b"output"
    assert not (tmp_path / "elsewhere").exists()


def test_what_a_program_says_is_heard_as_it_says_it(tmp_path: Path) -> None:
    heard: list[bytes] = []
    gate = tmp_path / "gate"

    def hear(chunk: bytes) -> None:
        heard.append(chunk)
        gate.touch()

    # It goes on only once its first words were heard.
    program = snippet("""
        import os, sys, time
        print('first', flush=True)
        while not os.path.exists(sys.argv[1]): time.sleep(0.01)
        print('second')
    """)
    ended = run(
        [sys.executable, "-c", program, str(gate)], cwd=tmp_path, timeout=60, on_output=hear
    )

    assert (ended.exit_code, b"".join(heard).split()) == (0, [b"first", b"second"])
