"""Splitting a stream into messages, however it arrives."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untildone.checks.lsp.framing import LARGEST_HEADER, Frames, FramingError, add_header

LARGEST = 1_000
NO_MESSAGE = "sent something that is no message"
NO_LENGTH = "sent a message without its length"


def read(*pieces: bytes) -> list[bytes]:
    frames = Frames(largest=LARGEST)
    return [message for piece in pieces for message in frames.feed(piece)]


def cut_at(data: bytes, at: list[int]) -> list[bytes]:
    places = [0, *sorted(place % (len(data) + 1) for place in at), len(data)]
    return [data[a:b] for a, b in pairwise(places)]


@given(st.lists(st.binary(max_size=LARGEST), max_size=5), st.lists(st.integers(0), max_size=20))
def test_messages_arrive_whole_however_they_are_cut(messages: list[bytes], at: list[int]) -> None:
    stream = b"".join(map(add_header, messages))

    assert read(*cut_at(stream, at)) == messages


@given(st.binary(max_size=6_000), st.lists(st.integers(0), max_size=20))
def test_any_bytes_are_messages_or_refused(data: bytes, at: list[int]) -> None:
    def outcome(pieces: list[bytes]) -> list[bytes] | str:
        try:
            return read(*pieces)
        except FramingError as reason:
            return str(reason)

    whole, pieces = outcome([data]), outcome(cut_at(data, at))
    assert isinstance(whole, str) == isinstance(pieces, str)


@given(st.lists(st.binary(max_size=50), min_size=1, max_size=3), st.binary(min_size=1, max_size=50))
def test_messages_before_the_noise_are_found(messages: list[bytes], noise: bytes) -> None:
    frames = Frames(largest=LARGEST)
    found: list[bytes] = []
    for piece in (*map(add_header, messages), noise + b"\n\n"):
        try:
            found += frames.feed(piece)
        except FramingError:
            break

    assert found[: len(messages)] == messages


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        pytest.param(b"", [], id="nothing"),
        pytest.param(b"Content-Length: 0\r\n\r\n", [b""], id="empty"),
        pytest.param(b"content-LENGTH:\t 2 \r\n\r\n{}", [b"{}"], id="spelling"),
        pytest.param(
            b"Content-Length: 2\r\nContent-Type: x; charset=utf-8\r\n\r\n{}", [b"{}"], id="type"
        ),
        pytest.param(b"Content-Length: 3\r\n\r\n{}", [], id="not all there"),
        pytest.param(b"Content-Length: 1000\r\n\r\n", [], id="as long as may be"),
    ],
)
def test_a_stream(stream: bytes, expected: list[bytes]) -> None:
    assert read(stream) == expected


@pytest.mark.parametrize(
    ("stream", "reason"),
    [
        pytest.param(b"Hello\n", NO_MESSAGE, id="text"),
        pytest.param(b"usage: server\r\n", NO_MESSAGE, id="usage"),
        pytest.param(b"\r\n\r\n", NO_MESSAGE, id="no header"),
        pytest.param(b"{}\r\n\r\n", NO_MESSAGE, id="no field"),
        pytest.param(b"Content-X: " + b"y" * LARGEST_HEADER, NO_MESSAGE, id="header without end"),
        pytest.param(b"Content-Length: 2\n\n{}", NO_MESSAGE, id="wrong line ends"),
        pytest.param(b"Content-Type: x\r\n\r\n{}", NO_LENGTH, id="no length"),
        pytest.param(b"Content-Length: -2\r\n\r\n{}", NO_LENGTH, id="negative"),
        pytest.param(b"Content-Length: two\r\n\r\n{}", NO_LENGTH, id="a word"),
        pytest.param(
            b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", NO_LENGTH, id="two lengths"
        ),
        pytest.param(
            b"Content-Length: 1001\r\n\r\n",
            "sent a message of 1001 bytes, more than 1000",
            id="huge",
        ),
    ],
)
def test_a_stream_that_cannot_be_read(stream: bytes, reason: str) -> None:
    with pytest.raises(FramingError) as raised:
        read(stream)

    assert str(raised.value) == reason
