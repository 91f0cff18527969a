"""Who may use the live page: a browser that has opened the link printed in the user's terminal.

The link has a token, which is exchanged for a cookie, a secret of its own. Browsers send the
cookies of 127.0.0.1 to every port there, thus to any server that an agent may have started; so all
our addresses begin with a random folder, and the cookie is limited to it. Nothing of this is on
disk.
"""

import secrets
from collections.abc import Iterable, Iterator
from threading import Lock

LOOPBACK = "127.0.0.1"


class Access:
    """The secrets of one run of the server, which listens on `port`."""

    def __init__(self, port: int, *, allow_verbs: bool = False) -> None:
        self.allow_verbs = allow_verbs
        self.hosts = frozenset((f"{LOOPBACK}:{port}", f"localhost:{port}"))
        self.folder = f"/{secrets.token_urlsafe(9)}"
        # A form of ours sends it, a page of another site cannot know it.
        self.form_token = secrets.token_urlsafe(24)
        self.origin = f"http://{LOOPBACK}:{port}"
        self._token = secrets.token_urlsafe(24)
        self._cookie = secrets.token_urlsafe(24)
        self._cookie_name = f"untildone-{port}"
        self._tickets: set[str] = set()
        self._lock = Lock()

    @property
    def link(self) -> str:
        """Return the address to print in the user's terminal."""
        return f"{self.origin}{self.folder}/?token={self._token}"

    def make_ticket_link(self) -> str:
        """Return an address that works once: other programs see the arguments of a browser."""
        ticket = secrets.token_urlsafe(24)
        with self._lock:
            self._tickets.add(ticket)
        return f"{self.origin}{self.folder}/?token={ticket}"

    def accepts_token(self, token: str) -> bool:
        """Say whether the token is the link's, or a ticket that was not used yet."""
        if is_equal(token, self._token):
            return True
        with self._lock:
            used = next((ticket for ticket in self._tickets if is_equal(token, ticket)), None)
            self._tickets.discard(used or "")
        return used is not None

    @property
    def cookie(self) -> str:
        """Return the value of the header `Set-Cookie` for a browser that has shown the token."""
        limits = f"Path={self.folder}/; HttpOnly; SameSite=Strict"
        return f"{self._cookie_name}={self._cookie}; {limits}"

    def accepts_cookie(self, headers: Iterable[str]) -> bool:
        """Say whether one of the headers `Cookie` has ours."""
        return any(
            is_equal(value, self._cookie) for header in headers for value in self._read(header)
        )

    def _read(self, header: str) -> Iterator[str]:
        """Yield our values; the standard library drops all cookies if a foreign one is odd."""
        for cookie in header.split(";"):
            name, _, value = cookie.strip().partition("=")
            if name == self._cookie_name:
                yield value


def is_equal(given: str, secret: str) -> bool:
    """Compare in constant time."""
    return secrets.compare_digest(given.encode("utf-8", "replace"), secret.encode())
