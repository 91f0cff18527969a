"""`python -m untildone.features.milestones.notify`: sends one notification from stdin."""

import sys

import msgspec

from untildone.features.milestones.milestones import Delivery, MilestoneEvent


def main(data: bytes) -> int:
    told = msgspec.json.decode(data, type=Delivery)
    try:
        import apprise
    except ImportError:
        sys.stderr.write("apprise is not installed: `pip install 'untildone[notify]'`\n")
        return 1
    sender = apprise.Apprise()
    if not sender.add(told.milestone.notify):
        sys.stderr.write("apprise does not know this kind of address\n")
        return 1
    sent = sender.notify(title=format_title(told.happened), body=format_body(told.happened))
    return 0 if sent else 1


def format_title(happened: MilestoneEvent) -> str:
    what = happened.outcome or happened.event
    return f"untildone: {what} (loop {happened.loop}, round {happened.round})"


def format_body(happened: MilestoneEvent) -> str:
    lines = (
        happened.task.strip()[:200],
        happened.reason,
        f"unmet: {', '.join(happened.unmet)}" if happened.unmet else "",
        happened.project,
    )
    return "\n".join(filter(None, lines))


if __name__ == "__main__":
    raise SystemExit(main(sys.stdin.buffer.read()))
