"""What the pages show, and how little is read for it."""

import os
import shutil
import time

from msgspec.structs import replace

from untildone.core.contract import Contract
from untildone.core.progress import Status
from untildone.core.verdict import Outcome
from untildone.engine.verbs import change_loop
from untildone.report.running_checks import RUNNING
from untildone.runs.plan.plan_journal import PlanJournal, TaskProgress
from untildone.runs.plan.plan_record import PlanRecord, write_record
from untildone.web.loop_list import PAGE_SIZE
from untildone.web.pages import Pages
from web.visitor import LivePage, serve_page
from world import World

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(1)>\"'`javascript:alert(1)`"
    " \x1b[31mred\x1b]8;;http://evil.example\x07 \u202egnp.exe {{7*7}} {% raw %}"
)


def make_loops(world: World, count: int) -> None:
    for number in range(count):
        contract = Contract(
            id=f"{number:08x}",
            agent="claude",
            session="",
            project=str(world.project),
            task=f"task no{number}x",
            started_at=f"2026-01-01T00:00:{number % 60:02}.{number:06}+00:00",
        )
        world.context.loops.create(contract)


def test_many_loops_are_shown_page_by_page(world: World, page: LivePage) -> None:
    make_loops(world, PAGE_SIZE + 3)

    first, second = page.get(), page.get("/?page=2")

    assert (first.text.count('<li class="row'), second.text.count('<li class="row')) == (50, 3)
    assert f"page 1 of 2, {PAGE_SIZE + 3} loops" in first.shown
    assert page.get("/?page=999").text.count('<li class="row') == 3
    assert page.get("/?page=x&group=y").text.count('<li class="row') == 50
    found = page.get("/?q=TASK+no52x")
    assert found.text.count('<li class="row') == 1
    assert "No loop here" in page.get("/?q=nothing").shown


def test_a_refresh_reads_only_what_has_changed(world: World, page: LivePage) -> None:
    make_loops(world, 120)
    pages = Pages(world.context, page.access)

    reads = [pages.loops.reads]
    pages.build_list({})
    reads.append(pages.loops.reads)
    pages.build_list({"page": "2"})
    reads.append(pages.loops.reads)
    change_loop(world.context, f"{7:08x}", lambda now: replace(now.progress, round=1), kind="x")
    shutil.rmtree(world.context.loops.get_folder(f"{8:08x}"))
    pages.build_list({})
    reads.append(pages.loops.reads)

    assert reads == [0, 120, 120, 121]
    assert len(pages.loops.list_all()) == 119


def set_state(world: World, number: int, status: Status, outcome: Outcome | None) -> None:
    change_loop(
        world.context,
        f"{number:08x}",
        lambda now: replace(now.progress, status=status, outcome=outcome, reason="no key"),
        kind="x",
    )


def test_the_groups_and_what_waits_for_the_user_first(world: World, page: LivePage) -> None:
    make_loops(world, 5)
    set_state(world, 1, "paused", "paused")
    set_state(world, 2, "finished", "done")
    set_state(world, 3, "paused", "blocked")
    for name in ("contract.json", "state.json", "journal.jsonl"):
        (world.context.loops.get_folder(f"{4:08x}") / name).write_text("x", encoding="utf-8")

    shown = page.get()

    assert "all 5 need you 1 active 1 paused 1 finished 1 damaged 1" in shown.shown
    order = [f"loop-{number:08x}" for number in (3, 0)]
    assert (
        shown.text.index(order[0]) < shown.text.index(order[1]) < shown.text.index("loop-00000001")
    )
    assert "<title>(1) untildone</title>" in shown.text
    assert page.get("/?group=asks").text.count('<li class="row') == 1
    assert "cannot be read" in page.get("/?group=broken").shown
    assert page.get(f"/loops/{4:08x}").status in (404, 500)


def test_a_running_check_is_shown_with_its_time(world: World, page: LivePage) -> None:
    world.start()
    since = time.time() - 12
    checks = {
        "slow <b>": {"since": since, "expected": 480.0},
        "lint": {"since": since, "expected": None},
    }
    world.session.write_json(RUNNING, {"process": os.getpid(), "phase": "check", "checks": checks})

    world.session.write_json("output", {"slow <b>": "..F\n\x1b[31m<b>assert\x1b[0m"})

    for path in ("/", f"/loops/{world.loop}"):
        text = page.get(path).text
        assert "checking <b>slow &lt;b&gt;</b>" in text
        assert f'data-since="{round(since)}" data-expected="480"' in text
    assert "checking <b>lint</b>" in text
    assert ">..F\n&lt;b&gt;assert</pre>" in text


def test_whether_the_agent_is_held(world: World) -> None:
    world.environ["HOME"] = str(world.folder)
    loop = world.start().contract.id
    with serve_page(world.context) as page:
        unseen = page.get(f"/loops/{loop}").shown
        world.session.write_json("session.json", {"process": str(os.getpid())})
        without_hooks = page.get(f"/loops/{loop}").shown
        world.session.write("driver", str(os.getpid()))
        driven = page.get(f"/loops/{loop}").shown

    assert "the agent is not held: no hook of this session was seen" in unseen
    assert "whether the agent is held is not known: " in without_hooks
    assert "the agent is held: its next stop is judged" in driven


def test_hostile_text_is_inert_everywhere(world: World, page: LivePage) -> None:
    world.start(task=HOSTILE + "\n" + "x" * 100_000)
    world.stop(last_assistant_message=HOSTILE)
    change_loop(
        world.context,
        world.loop,
        lambda now: replace(
            now.progress,
            status="paused",
            outcome="needs-approval",
            reason=HOSTILE,
            reported_concerns=(f"config:{HOSTILE}",),
        ),
        kind="asked",
    )
    checks = {HOSTILE: {"since": 0.0, "expected": None}}
    world.session.write_json(RUNNING, {"process": os.getpid(), "phase": HOSTILE, "checks": checks})

    for path in ("/", f"/loops/{world.loop}", f"/?q={'%3Cscript%3E'}", "/loops/%3Cscript%3E"):
        text = page.get(path).text
        assert text.count("<script") == 1, path
        assert "<img" not in text
        assert not {"\x1b", "\u202e", "\x07"} & set(text)
        assert len(text) < 100_000


def test_an_empty_state_says_how_to_begin(page: LivePage) -> None:
    assert "No loop ran on this machine yet" in page.get().shown
    assert page.get("/loops/none").status == 404


def test_changes_are_streamed(world: World, page: LivePage) -> None:
    loop = world.start(task="port the parser").contract.id
    with page.listen(f"/events/loops/{loop}") as events, page.listen("/events") as listed:
        events.wait_for("live", "the agent is not held")
        listed.wait_for("loops", "port the parser")
        world.stop()
        report = events.wait_for("report", "Round 1")
        page.post(f"/loops/{loop}/pause")
        title = events.wait_for("title", "paused: port the parser")
        live = events.wait_for("live", "paused")

    assert (report.count("<script"), "Continue" in live, title != "") == (0, True, True)
    assert events.answer.headers["content-type"].startswith("text/event-stream")


def test_a_stream_of_a_removed_loop_says_so_and_ends(world: World, page: LivePage) -> None:
    loop = world.start().contract.id
    with page.listen(f"/events/loops/{loop}") as events:
        events.wait_for("live", "active")
        world.context.loops.forget(loop)
        shutil.rmtree(world.loop_folder)
        last = list(events)[-1]

    assert last == ("gone", {"text": f"there is no loop `{loop}`"})


def test_a_restart_loses_nothing(world: World) -> None:
    world.start(task="port the parser")
    with serve_page(world.context) as page:
        page.post(f"/loops/{world.loop}/pause")
        old = page.cookie
        with page.listen("/events") as events:
            events.wait_for("loops", "paused")
    with serve_page(world.context) as page:
        assert "paused" in page.get(f"/loops/{world.loop}").shown
        assert page.get(cookie=old).status == 403
        page.post(f"/loops/{world.loop}/continue")
    assert world.state()[:2] == ("active", None)


def test_plan_runs(world: World, page: LivePage) -> None:
    loop = world.start().contract.id
    folder = world.state_folder / "plans" / ("0" * 24)
    folder.mkdir(parents=True)
    journal = PlanJournal(folder, lambda: "2026-01-01T00:00:00+00:00")
    journal.append("one", TaskProgress(step="merged"))
    journal.append("two", TaskProgress(step="begun", loops=(loop,)))
    record = PlanRecord(
        plan="/x/TASKS.json",
        feature="Checkout <b>",
        titles={"zero": "Old", "one": "Begin", "two": "Go on", "three": "End"},
        completed=("zero",),
        started_at="2026-01-01T00:00:00+00:00",
        process=os.getpid(),
    )
    write_record(folder, record)

    listed, shown = page.get().shown, page.get(f"/plans/{'0' * 24}")
    write_record(folder, replace(record, process=2**22 + 1))
    gone = page.get(f"/plans/{'0' * 24}").shown
    write_record(folder, replace(record, ended_at="x", outcome="done", reason="every task"))
    ended = page.get(f"/plans/{'0' * 24}").shown
    (folder / "run.json").write_text("{", encoding="utf-8")

    assert "Checkout &lt;b&gt; /x/TASKS.json running 2 of 4 merged" in listed
    assert f'<a href="{page.access.folder}/loops/{loop}">{loop}</a>' in shown.text
    assert "Go on two at work" in shown.shown
    assert "broken off" in gone
    assert "done 2 of 4 tasks merged" in ended
    assert "a plan of an earlier version" in page.get().shown
    (folder / "journal.jsonl").write_text("x\n", encoding="utf-8")
    assert page.get(f"/plans/{'0' * 24}").status == 404
