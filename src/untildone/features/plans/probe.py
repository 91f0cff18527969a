"""The program that checks a plan's conditions on a file's text or an HTTP status.

    python -m untildone.features.plans.probe contains -- src/a.ts export
    python -m untildone.features.plans.probe answers -- GET http://localhost:3000/health 200

It exits with 0 and prints `ok` if the condition is met, else with 1 and prints what is wrong.
"""

import sys
from collections.abc import Sequence
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

_LARGEST_BYTES = 64_000_000
_TIMEOUT_SECONDS = 20.0


def main(arguments: Sequence[str]) -> int:
    """Check one condition, print the result and return the exit status."""
    # `--` may stand before values that begin with a dash.
    kind, values = list(arguments[:1]), list(arguments[1:])
    match kind + (values[1:] if values[:1] == ["--"] else values):
        case ["contains", path, text]:
            problem = check_file_contains(Path(path), text)
        case ["answers", method, url, code]:
            problem = check_http_status(method, url, int(code))
        case _:
            problem = "usage: contains [--] PATH TEXT, or answers [--] METHOD URL CODE"
    sys.stdout.write(f"{problem or 'ok'}\n")
    return 1 if problem else 0


def check_file_contains(path: Path, text: str) -> str:
    """Return why the file does not contain the text, or an empty text if it does."""
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST_BYTES).decode("utf-8", "replace")
    except OSError as error:
        return f"`{path}` cannot be read: {(error.strerror or '').lower()}"
    return "" if text in content else f"`{path}` does not contain `{text}`"


class _NoRedirects(HTTPRedirectHandler):
    """A redirect counts as the answer: following it could lead to another machine."""

    def redirect_request(self, *_arguments: Request | IO[bytes] | int | str | HTTPMessage) -> None:
        return None


def check_http_status(method: str, url: str, code: int) -> str:
    """Return what was answered instead of the status `code`, or an empty text."""
    # No proxy: the address is one of this machine.
    opener = build_opener(ProxyHandler({}), _NoRedirects)
    request = Request(url, method=method, data=b"" if method in ("POST", "PUT", "PATCH") else None)  # noqa: S310  the address begins with `http`
    try:
        with opener.open(request, timeout=_TIMEOUT_SECONDS) as answer:
            status = answer.status
    except HTTPError as error:
        status = error.code
        error.close()
    except (URLError, HTTPException, OSError, ValueError) as error:
        return f"{method} `{url}` gets no answer: {getattr(error, 'reason', error)}"
    return "" if status == code else f"{method} `{url}` answers {status}, not {code}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
