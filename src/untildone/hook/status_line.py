"""The agent's status line: records what the session cost so far, prints the loop's line."""

from untildone.hook.payload import Call
from untildone.store.sessions import Session


def answer(call: Call) -> str:
    session = Session(call.home, call.agent, call.text("session_id"))
    if not session.loop():
        return ""
    cost = call.data.get("cost")
    total = cost.get("total_cost_usd") if isinstance(cost, dict) else None
    if isinstance(total, (int, float)):
        _record(session, float(total))
    return session.read("line").strip()


def _record(session: Session, total: float) -> None:
    """`first` is the total when the loop was first seen: what came before is not its spend."""
    known = session.read_json("spend.json")
    loop = session.loop()
    first = known.get("first") if known.get("loop") == loop else total
    session.write_json("spend.json", {"loop": loop, "first": first, "total": total})
