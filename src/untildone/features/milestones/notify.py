"""The program that sends one notification through apprise, an optional library.

`python -m untildone.features.milestones.notify` reads a delivery as JSON from stdin: it has the
address, which may contain a password, and the event.
"""

import sys

import msgspec

from untildone.extras import describe_extra
from untildone.features.milestones.milestones import Delivery

_MAX_TASK_CHARACTERS = 200


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
    message = delivery.message
    subject = message.outcome or message.event
    title = f"untildone: {subject} (loop {message.loop}, round {message.round})"
    unmet = f"unmet: {', '.join(message.unmet)}" if message.unmet else ""
    lines = (message.task.strip()[:_MAX_TASK_CHARACTERS], message.reason, unmet, message.project)
    was_sent = sender.notify(title=title, body="\n".join(filter(None, lines)))
    return 0 if was_sent else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.stdin.buffer.read()))
