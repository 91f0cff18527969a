"""The connection to one language server: a thread that reads, requests, and limits."""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from untildone.checks.lsp import messages
from untildone.checks.lsp.framing import Frames, FramingError, add_header
from untildone.checks.lsp.messages import Incoming, ProtocolError
from untildone.process.command import filter_environment
from untildone.process.interactive import Conversation, NotReadingError, open_conversation
from untildone.process.trees import CannotStartError

_POLL_SECONDS = 0.05
_ENDING_SECONDS = 2.0


class ServerLimits(Struct, frozen=True, kw_only=True):
    """Limits of a server; `received` and `messages` apply to one question."""

    largest_message: int = 8 * 1024 * 1024
    received: int = 64 * 1024 * 1024
    messages: int = 50_000
    answer_seconds: float = 60
    quiet_seconds: float = 0.3
    diagnostics: int = 1_000
    resident: int = 3 * 1024**3


class _PendingRequest(Struct, frozen=True, kw_only=True):
    since: float
    then: Callable[[Incoming], None]


class Connection:
    """A running server: it calls `on_message` with its messages, and sends what that returns.

    All callbacks run while `changed` is locked. A server that exceeds a limit or breaks the
    protocol is ended, and `failure` says why.
    """

    def __init__(
        self,
        argv: list[str],
        cwd: Path,
        *,
        limits: ServerLimits,
        on_message: Callable[[Incoming], bytes | None],
    ) -> None:
        self.changed = threading.Condition()
        self.failure = ""
        self._limits = limits
        self._on_message = on_message
        self._conversation: Conversation | None = None
        self._unsent: list[bytes] = []
        self._number = 0
        self._pending: dict[int, _PendingRequest] = {}
        self._received = 0
        self._messages = 0
        self._thread = threading.Thread(target=self._run, args=(argv, cwd), daemon=True)
        self._thread.start()

    def send(self, message: bytes) -> None:
        """Send a message without waiting; a message to a failed server is lost."""
        with self.changed:
            if self._conversation is None:
                self._unsent.append(add_header(message))
                return
            try:
                self._conversation.send(add_header(message))
            except NotReadingError as reason:
                self.fail(str(reason))

    def request(self, method: str, params: object, *, then: Callable[[Incoming], None]) -> None:
        """Call `then` with the answer, even if nobody waits for it any longer."""
        with self.changed:
            self._number += 1
            self._pending[self._number] = _PendingRequest(since=time.monotonic(), then=then)
            self.send(messages.encode(id=self._number, method=method, params=params))

    def wait(self, until: Callable[[], bool], *, deadline: float) -> bool:
        """Say whether the condition became true in time and the server did not fail."""
        with self.changed:
            while not self.failure and not until():
                seconds = deadline - time.monotonic()
                if seconds <= 0:
                    return False
                self.changed.wait(min(seconds, _POLL_SECONDS))
            return not self.failure

    def begin_question(self) -> None:
        self._end_if_overdue()
        with self.changed:
            self._received = self._messages = 0

    def check(self) -> None:
        """End a server that does not answer for too long, or takes too much memory."""
        self._end_if_overdue()
        conversation = self._conversation
        if conversation and conversation.read_resident_memory() > self._limits.resident:
            self.fail(f"took more than {self._limits.resident // 1024**2} MB of memory")

    def _end_if_overdue(self) -> None:
        with self.changed:
            since = min(
                (request.since for request in self._pending.values()), default=time.monotonic()
            )
            self.expect_since(since)

    def expect_since(self, since: float) -> None:
        """End a server that has not answered since then, if that is too long ago."""
        if time.monotonic() - since > self._limits.answer_seconds:
            self.fail(f"gave no answer in {self._limits.answer_seconds:g} seconds")

    def fail(self, reason: str) -> None:
        """Record the first failure and end the server."""
        with self.changed:
            self.failure = self.failure or reason
            self._pending.clear()
            self.changed.notify_all()
            conversation = self._conversation
        if conversation and threading.current_thread() is not self._thread:
            # Ending a process tree takes seconds, and the caller has a deadline.
            threading.Thread(target=conversation.end, daemon=True).start()

    def close(self) -> None:
        self.fail("was ended")
        if self._conversation:
            self._conversation.end()
        self._thread.join(_ENDING_SECONDS)

    def _run(self, argv: list[str], cwd: Path) -> None:
        try:
            with open_conversation(
                argv, cwd=cwd, env=filter_environment(os.environ)
            ) as conversation:
                self._listen(conversation)
        except (CannotStartError, NotReadingError, FramingError, ProtocolError) as reason:
            self.fail(str(reason))
        else:
            self.fail("ended by itself")

    def _listen(self, conversation: Conversation) -> None:
        with self.changed:
            self._conversation = conversation
            for message in self._unsent:
                conversation.send(message)
            self._unsent.clear()
        frames = Frames(largest=self._limits.largest_message)
        while not self.failure and (data := conversation.receive()):
            self._count(len(data))
            for message in frames.feed(data):
                self._messages += 1
                self._receive(messages.decode(message, Incoming))

    def _count(self, received: int) -> None:
        with self.changed:
            self._received += received
            too_much = self._received > self._limits.received
            if too_much or self._messages > self._limits.messages:
                raise ProtocolError("sent far more than expected")

    def _receive(self, message: Incoming) -> None:
        with self.changed:
            if message.method:
                if reply := self._on_message(message):
                    self.send(reply)
            elif isinstance(message.id, int) and (pending := self._pending.pop(message.id, None)):
                pending.then(message)
            self.changed.notify_all()
