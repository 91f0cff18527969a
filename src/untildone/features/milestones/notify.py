"""`python -m untildone.features.milestones.notify`: sends one notification from stdin."""

import sys

import msgspec

from untildone.features.milestones.milestones import Delivery


def main(data: bytes) -> int:
    delivery = msgspec.json.decode(data, type=Delivery)
    try:
        import apprise
    except ImportError:
        sys.stderr.write("apprise is not installed: `pip install 'untildone[notify]'`\n")
        return 1
    sender = apprise.Apprise()
    if not sender.add(delivery.milestone.notify):
        sys.stderr.write("apprise does not know this kind of address\n")
        return 1
    happened = delivery.happened
    what = happened.outcome or happened.event
    title = f"untildone: {what} (loop {happened.loop}, round {happened.round})"
    unmet = f"unmet: {', '.join(happened.unmet)}" if happened.unmet else ""
    lines = (happened.task.strip()[:200], happened.reason, unmet, happened.project)
    sent = sender.notify(title=title, body="\n".join(filter(None, lines)))
    return 0 if sent else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.stdin.buffer.read()))
