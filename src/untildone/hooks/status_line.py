"""The agent's status line: record the session's cost so far and print the loop's line."""

from untildone.engine.payload import Call
from untildone.store.sessions import Session


def answer(call: Call) -> str:
    session = Session(call.home, call.agent, call.text("session_id"))
    if not session.get_loop_id():
        return ""
    cost = call.data.get("cost")
    total = cost.get("total_cost_usd") if isinstance(cost, dict) else None
    if isinstance(total, (int, float)):
        _record_spend(session, float(total))
    line = session.read("line").strip()
    return f"{line} | released until your next prompt" if session.has("released") else line


def _record_spend(session: Session, total: float) -> None:
    """Add the increase since the last event; a restarted client may count from 0 again."""
    record = session.read_json("spend.json")
    loop = session.get_loop_id()
    if record.get("loop") != loop:
        record = {}
    last, spent = record.get("last"), record.get("spent")
    if last == total:
        return
    before = last if isinstance(last, float) else total
    increase = total - before if total >= before else total
    spent = (spent if isinstance(spent, float) else 0.0) + increase
    session.write_json("spend.json", {"loop": loop, "last": total, "spent": spent})
