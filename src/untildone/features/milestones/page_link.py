"""Where a user who reads a notification can look: the live page, or the receipt."""

import json
from pathlib import Path

from msgspec.structs import replace

from untildone.features.milestones.events import MilestoneEvent
from untildone.process.runner import is_alive

# `untildone serve` writes its address there while it runs, without its token.
SERVE_FILE = "serve.json"
_RECEIPT = ".untildone/receipt.md"
_LARGEST = 10_000


def add_links(event: MilestoneEvent, home: Path) -> MilestoneEvent:
    """Return the event with the page of its loop and with the command that shows it."""
    page = find_page(home)
    if not event.loop:
        return replace(event, link=page)
    look = f"`untildone report {event.loop}`"
    receipt = Path(event.project) / _RECEIPT
    if event.status != "active" and receipt.is_file():
        look = f"{receipt} or {look}"
    return replace(event, look=look, link=f"{page}/loops/{event.loop}" if page else "")


def find_page(home: Path) -> str:
    """Return the address of the live page; empty if it does not run."""
    try:
        with (home / SERVE_FILE).open("rb") as file:
            record = json.loads(file.read(_LARGEST))
        url, process = record["url"], record["pid"]
    except (OSError, ValueError, TypeError, KeyError):
        return ""
    is_known = isinstance(url, str) and url.startswith("http://") and isinstance(process, int)
    return url.rstrip("/") if is_known and is_alive(process) else ""
