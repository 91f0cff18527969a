"""The agent's status line: records what the session cost so far, prints the loop's line."""

from untildone.engine.payload import Call
from untildone.store.sessions import Session


def answer(call: Call) -> str:
    session = Session(call.home, call.agent, call.text("session_id"))
    if not session.get_loop_id():
        return ""
    cost = call.data.get("cost")
    total = cost.get("total_cost_usd") if isinstance(cost, dict) else None
    if isinstance(total, (int, float)):
        _record(session, float(total))
    return session.read("line").strip()


def _record(session: Session, total: float) -> None:
    """What came before the loop is not its spend; a client begun anew may count from 0 again."""
    known = session.read_json("spend.json")
    loop = session.get_loop_id()
    mine = known.get("loop") == loop
    last, spent = (known.get(key) if mine else None for key in ("last", "spent"))
    if last == total:
        return
    before = last if isinstance(last, float) else total
    grown = total - before if total >= before else total
    spent = (spent if isinstance(spent, float) else 0.0) + grown
    session.write_json("spend.json", {"loop": loop, "last": total, "spent": spent})
