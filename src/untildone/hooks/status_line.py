"""The agent's status line: record the session's cost so far and print the loop's line."""

from untildone.engine.payload import Call
from untildone.report.running_checks import find_running_check, is_judging
from untildone.store.sessions import Session


def answer(call: Call) -> str:
    session = Session(call.home, call.agent, call.text("session_id"))
    if not session.get_loop_id():
        return session.read("ending").strip()
    cost = call.data.get("cost")
    total = cost.get("total_cost_usd") if isinstance(cost, dict) else None
    if isinstance(total, (int, float)):
        _record_spend(session, float(total))
    return " | ".join(filter(None, (session.read("line").strip(), _describe_now(session))))


def _describe_now(session: Session) -> str:
    """Say what an active loop does right now; an empty text if the agent works."""
    if not session.is_active():
        return ""
    running = find_running_check(session)
    if running:
        return str(running)
    if is_judging(session):
        return "judging the stop"
    return "released until your next prompt" if session.has("released") else ""


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
