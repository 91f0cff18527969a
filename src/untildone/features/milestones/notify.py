"""The program that sends one notification through apprise, an optional library.

`python -m untildone.features.milestones.notify` reads a delivery as JSON from stdin: it has the
address, which may contain a password, and the event.
"""

import sys

import msgspec

from untildone.extras import describe_extra
from untildone.features.milestones.events import Delivery
from untildone.features.milestones.notice_text import write_body, write_title


def main(data: bytes) -> int:
    """Send the delivery; return the exit status, 1 if it could not be sent."""
    delivery = msgspec.json.decode(data, type=Delivery)
    try:
        import apprise
    except ImportError:
        sys.stderr.write(f"apprise is not installed: {describe_extra('notify')}\n")
        return 1
    sender = apprise.Apprise()
    if not sender.add(delivery.milestone.notify):
        sys.stderr.write("apprise does not know this kind of address\n")
        return 1
    title, body = write_title(delivery.message), write_body(delivery.message)
    if sender.notify(title=title, body=body):
        return 0
    sys.stderr.write("the service refused it or cannot be reached\n")
    return 1


if __name__ == "__main__":
    raise SystemExit(main(sys.stdin.buffer.read()))
