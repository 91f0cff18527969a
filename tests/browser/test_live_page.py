"""The live page in a real browser: it moves, its verbs reach the store, and others are kept out."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Literal, TypeAlias

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, expect

from browser.conftest import Picture
from shop import SHOP
from tools import axe
from untildone.core.contract import Bounds
from untildone.core.verdict import PauseOutcome
from untildone.engine.verbs import change_loop
from untildone.report.running_checks import RUNNING
from untildone.runs.plan.plan_journal import PlanJournal, TaskProgress
from untildone.runs.plan.plan_record import PlanRecord, write_record
from web.filled_queue import FilledQueue
from web.test_pages import HOSTILE
from web.visitor import LivePage, serve_page
from world import World

Scheme: TypeAlias = Literal["light", "dark"]
WIDTHS = (360, 480, 768, 860, 861, 1024, 1280, 1600)
PLAN = "0" * 24


@pytest.fixture
def live(world: World) -> Iterator[LivePage]:
    with serve_page(world.context) as live:
        yield live


def visit(page: Page, live: LivePage, path: str = "") -> None:
    """Open the printed link, then a page of the server, and wait until it is live."""
    page.goto(live.access.link)
    page.wait_for_url(f"http://{live.host}{live.access.folder}/")
    if path:
        page.goto(f"http://{live.host}{live.access.folder}/{path}")
    expect(page.locator("#connection")).to_have_text("live")


def wait_until(is_true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def run_check(world: World, name: str) -> None:
    """Record a check as running for 12 seconds now."""
    checks = {name: {"since": time.time() - 12, "expected": 480.0}}
    world.session.write_json(RUNNING, {"process": os.getpid(), "phase": "check", "checks": checks})


def pause_with(world: World, outcome: PauseOutcome, reason: str) -> None:
    change_loop(
        world.context,
        world.loop,
        lambda now: replace(now.progress, status="paused", outcome=outcome, reason=reason),
        kind="asked",
    )


def ask_for_approval(world: World) -> None:
    """A loop whose agent has removed a test."""
    world.write("tests/test_shop.py", SHOP["tests/test_shop.py"])
    world.start(task="give per cent off, not units off")
    world.finish()
    removed = "def test_large():\n    assert price(100) == 90\n"
    world.write("tests/test_shop.py", SHOP["tests/test_shop.py"].replace(removed, ""))
    world.stop()
    world.stop()
    assert world.outcome == "needs-approval"


def run_plan(world: World) -> None:
    folder = world.state_folder / "plans" / PLAN
    folder.mkdir(parents=True)
    journal = PlanJournal(folder, world.context.now)
    journal.append("T-1", TaskProgress(step="merged"))
    journal.append("T-2", TaskProgress(step="begun", loops=(world.loop,)))
    record = PlanRecord(
        plan="/home/me/shop/TASKS.json",
        feature="Checkout with vouchers",
        titles={"T-1": "Price rules", "T-2": "Voucher table", "T-3": "Voucher page"},
        started_at=world.context.now(),
        process=os.getpid(),
    )
    write_record(folder, record)


def test_a_running_loop_moves_without_a_reload(
    page: Page, world: World, live: LivePage, keep_picture: Picture
) -> None:
    world.start(task="port the parser")
    visit(page, live, f"loops/{world.loop}")
    page.evaluate("window.kept = true")
    page.locator(".confirm summary").click()
    pause = page.get_by_role("button", name="Pause")
    pause.focus()

    run_check(world, "slow tests")
    running = page.locator(".running")
    expect(running).to_contain_text("checking slow tests")
    first = running.locator(".clock").inner_text()
    expect(running.locator(".clock")).not_to_have_text(first)
    world.stop()
    expect(page.locator("#round-1")).to_be_visible()
    keep_picture(page, "1280")
    world.session.remove(RUNNING)
    expect(running).to_have_count(0)

    assert first.endswith(" s of about 8 min")
    assert page.evaluate("window.kept") is True
    assert page.locator(".confirm").evaluate("each => each.open") is True
    expect(pause).to_be_focused()
    world.finish()
    world.stop()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Done, after 2 rounds")
    expect(page).to_have_title("done: port the parser")
    expect(page.get_by_role("button")).to_have_count(0)


def test_the_list_moves_and_keeps_what_is_typed(page: Page, world: World, live: LivePage) -> None:
    world.start(task="port the parser")
    visit(page, live)
    page.get_by_role("searchbox").fill("pars")

    pause_with(world, "blocked", "no key")

    expect(page.locator(".row.asks")).to_contain_text("no key")
    expect(page).to_have_title("(1) untildone")
    assert page.get_by_role("searchbox").input_value() == "pars"
    page.get_by_role("button", name="Find").click()
    page.get_by_role("link", name="port the parser").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("the agent is blocked")


def test_pause_continue_and_cancel_are_clicked(page: Page, world: World, live: LivePage) -> None:
    world.start(bounds=Bounds(rounds=1))
    visit(page, live, f"loops/{world.loop}")

    page.get_by_role("button", name="Pause").click()
    expect(page.locator(".notice")).to_contain_text("is paused after 0 rounds")
    assert world.state() == ("paused", "paused", 0)
    page.get_by_text("with more").click()
    page.get_by_label("rounds").fill("+4")
    page.get_by_role("button", name="Continue").click()
    expect(page.locator(".notice")).to_contain_text("round 0 of 5")
    assert (world.state()[0], world.contract.bounds.rounds) == ("active", 5)
    page.get_by_text("Cancel …").click()
    page.get_by_role("button", name="Cancel this loop").click()
    expect(page.locator(".notice")).to_contain_text("is cancelled")
    assert world.state() == ("finished", "cancelled", 0)


def test_an_approval_is_clicked_with_the_diff_beside_it(
    page: Page, world: World, live: LivePage, keep_picture: Picture
) -> None:
    ask_for_approval(world)
    visit(page, live, f"loops/{world.loop}")
    keep_picture(page, "1280")

    expect(page.locator(".diffs .del").first).to_have_text("-def test_large():")
    removal = page.locator(".question", has_text="test_large")
    removal.get_by_label("never ask about this kind").check()
    removal.get_by_role("button", name="Approve").click()
    expect(page.locator(".notice")).to_contain_text("still open: config:done.txt")
    (amendment,) = world.progress.amendments
    assert amendment.always == ("remove-test:tests/test_shop.py::test_large",)
    page.get_by_role("button", name="Approve").click()
    expect(page.locator(".notice")).to_contain_text("untildone: done after 2 rounds")
    assert world.state()[:2] == ("finished", "done")


def test_a_gate_is_answered_by_a_click(page: Page, world: World, live: LivePage) -> None:
    world.start(preset="loop", task="Clean up. Done when the check is green.")
    pause_with(world, "gate", "round 1 is over: continue?")
    visit(page, live, f"loops/{world.loop}")

    page.get_by_role("button", name="Yes, go on").click()

    expect(page.locator(".notice")).to_contain_text("goes on")
    assert world.state()[:2] == ("active", None)


def press_until(page: Page, text: str) -> None:
    """Press Tab until what has this text has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent").strip().startswith(text):
            return
    raise AssertionError(f"{text!r} is not reached by the keyboard")


def test_everything_is_done_by_the_keyboard_alone(page: Page, world: World, live: LivePage) -> None:
    world.start(task="port the parser")
    visit(page, live)

    press_until(page, "port the parser")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/loops/{world.loop}")
    press_until(page, "Pause")
    page.keyboard.press("Enter")
    wait_until(lambda: world.state()[0] == "paused")
    page.wait_for_url("**notice=*")
    press_until(page, "Cancel …")
    page.keyboard.press("Enter")
    press_until(page, "Cancel this loop")
    page.keyboard.press("Space")
    wait_until(lambda: world.state()[0] == "finished")


def list_pages(world: World) -> dict[str, str]:
    """A page of each kind: one running loop in a list, a question, a plan, a queue, its task."""
    ask_for_approval(world)
    asking = world.loop
    run_plan(world)
    run_check(world, "slow tests")
    task = fill_queue(world)
    return {
        "list": "",
        "question": f"loops/{asking}",
        "plan": f"plans/{PLAN}",
        "queue": "queue",
        "task": f"queue/{task}",
    }


def fill_queue(world: World) -> str:
    """A queue with tasks of several states; returns the one that ended."""
    queue = FilledQueue(world)
    queue.add("Write the docs of the parser", priority=9)
    ended = queue.take("the agent is blocked: it needs a key for the registry")
    first = queue.add("Port the parser", priority=5, labels=("gpu",), agent="claude")
    queue.add("Use the parser everywhere", after=(first,))
    queue.take()
    queue.close()
    return ended


def test_axe_finds_nothing_and_nothing_scrolls_sideways(
    page: Page, world: World, live: LivePage, keep_picture: Picture
) -> None:
    pages = list_pages(world)
    script = axe().read_text(encoding="utf-8")
    schemes: tuple[Scheme, ...] = ("light", "dark")
    problems: list[object] = []

    for name, path in pages.items():
        visit(page, live, path)
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        page.evaluate(script)
        for scheme in schemes:
            page.emulate_media(color_scheme=scheme)
            found = page.evaluate("() => axe.run()")["violations"]
            problems += [(name, scheme, each["id"], each["nodes"][0]["html"]) for each in found]
            keep_picture(page, f"{name}-{scheme}")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
                problems.append((name, width))
        page.set_viewport_size({"width": 360, "height": 800})
        keep_picture(page, f"{name}-360")
        page.set_viewport_size({"width": 1280, "height": 900})

    assert problems == []


def test_the_link_of_a_notification_leads_to_the_loop(
    page: Page, world: World, live: LivePage
) -> None:
    world.start()
    link = f"http://{live.host}/loops/{world.loop}"
    page.goto(link)
    expect(page.locator("body")).to_contain_text("needs the link")
    visit(page, live)

    page.goto(link)

    page.wait_for_url(f"http://{live.host}{live.access.folder}/loops/{world.loop}")


def test_hostile_text_is_inert(page: Page, world: World, live: LivePage) -> None:
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    world.start(task=HOSTILE)
    run_check(world, HOSTILE)
    world.stop(last_assistant_message=HOSTILE)
    pause_with(world, "gate", HOSTILE)

    for path in ("", f"loops/{world.loop}"):
        visit(page, live, path)
        assert "<script>alert(1)</script>" in page.evaluate("document.body.textContent")
        assert page.locator("img, iframe, body script, a[href^='javascript']").count() == 0
    assert dialogs == []


def test_without_scripts_the_page_is_whole_and_acts(browser: Browser, world: World) -> None:
    world.start(task="port the parser")
    with (
        serve_page(world.context) as live,
        browser.new_context(java_script_enabled=False) as context,
    ):
        page = context.new_page()
        page.goto(live.access.link)
        page.get_by_role("link", name="port the parser").click()
        expect(page.locator("#connection")).to_have_text("Reload to see what changed")
        page.get_by_role("button", name="Pause").click()
        expect(page.locator(".notice")).to_contain_text("is paused")

    assert world.state()[0] == "paused"


def test_a_server_that_was_started_anew_is_told(browser: Browser, world: World) -> None:
    with browser.new_context() as context, serve_page(world.context) as live:
        page = context.new_page()
        visit(page, live)
        link = live.access.link
        live.end()
        expect(page.locator("#connection")).to_have_text("the server does not answer")
        with serve_page(world.context, port=live.port):
            expect(page.locator("#connection")).to_have_text(
                "the server was started anew: open its new link", timeout=15_000
            )
            page.goto(link)
            expect(page.locator("body")).to_contain_text("untildone serve")


ATTACK = """<!doctype html><title>a dev server</title>
<iframe id=frame src="{address}"></iframe>
<img src="{address}static/icon.svg">
<form method=post action="{address}loops/{loop}/cancel"><input name=token value="{token}"></form>
"""


class OtherServer(BaseHTTPRequestHandler):
    """A server on another port of this machine, as an agent may start one."""

    cookies: list[str] = []  # noqa: RUF012  one server, one test
    html = ""

    def do_GET(self) -> None:
        self.cookies.append(self.headers.get("Cookie", ""))
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self.html.encode())

    def log_message(self, *_: object) -> None:
        pass


def test_a_page_on_another_port_gets_no_cookie_and_cannot_act(
    browser: Browser, world: World
) -> None:
    world.start()
    with (
        serve_page(world.context) as live,
        HTTPServer(("127.0.0.1", 0), OtherServer) as other,
        browser.new_context() as context,
    ):
        threading.Thread(target=other.serve_forever, daemon=True).start()
        address = f"http://{live.host}{live.access.folder}/"
        # It knows even what it cannot know.
        OtherServer.html = ATTACK.format(
            address=address, loop=world.loop, token=live.access.form_token
        )
        page = context.new_page()
        visit(page, live)
        page.goto(f"http://127.0.0.1:{other.server_port}/")
        read = page.evaluate(
            f"fetch('{address}', {{credentials: 'include'}}).then(() => 'read', () => 'refused')"
        )
        framed = page.frames[-1].evaluate("document.body ? document.body.textContent : ''")
        page.evaluate("document.forms[0].submit()")
        page.wait_for_url(f"{address}loops/{world.loop}/cancel")
        said = page.locator("body").inner_text()
        other.shutdown()

    assert (read, "port the parser" in framed) == ("refused", False)
    assert "another site may not use the live page" in said
    assert set(OtherServer.cookies) == {""}
    assert world.state() == ("active", None, 0)
