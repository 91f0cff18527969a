"""The user's verbs on the page, each seen in the store."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from shop import SHOP
from snippets import snippet
from untildone.core.contract import Amendment, Bounds
from untildone.engine.verbs import change_loop
from untildone.runs import run_memory
from untildone.runs.run_memory import RunMemory
from web.visitor import Answer, LivePage, serve_page
from world import World


def find_seals(answer: Answer) -> list[str]:
    found = re.findall(r'name="question" value="([0-9a-f]{64})"', answer.text)
    # A button approves all of several.
    return list(dict.fromkeys(found))


def act(page: LivePage, world: World, verb: str, **form: object) -> str:
    """Send a form of the loop's page; return what the next page says of it."""
    answer = page.post(f"/loops/{world.loop}/{verb}", form=form)
    assert answer.status == 303, answer.shown
    return page.get(answer.headers["location"].removeprefix(page.access.folder)).shown


def ask_about(world: World, *concerns: str) -> None:
    """As a pause for approval leaves it."""
    change_loop(
        world.context,
        world.loop,
        lambda now: replace(
            now.progress,
            status="paused",
            outcome="needs-approval",
            reason="1 test changed",
            reported_concerns=concerns,
        ),
        kind="asked",
    )


def test_pause_continue_cancel(world: World, page: LivePage) -> None:
    loop = world.start().contract.id

    assert f"loop {loop} is paused after 0 rounds" in act(page, world, "pause")
    assert world.state() == ("paused", "paused", 0)
    assert f"loop {loop} continues, round 0 of 10" in act(page, world, "continue")
    assert world.state() == ("active", None, 0)
    assert f"loop {loop} is cancelled" in act(page, world, "cancel")
    assert world.state() == ("finished", "cancelled", 0)
    assert [line.partition(":")[0] for line in page.told] == [
        "a browser has opened the link",
        "pause in the browser",
        "continue in the browser",
        "cancel in the browser",
    ]
    kinds = [entry.kind for entry in world.context.loops.read_journal(loop)]
    assert kinds[-3:] == ["paused", "continued", "cancelled"]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ({}, (2, 25.0, 0.0)),
        ({"rounds": " +5 ", "budget": "", "minutes": ""}, (6, 25.0, 0.0)),
        ({"rounds": "=7", "budget": "+2.5", "minutes": "30"}, (7, 27.5, 30.0)),
    ],
)
def test_continue_with_more(
    world: World, page: LivePage, form: dict[str, str], expected: tuple[int, float, float]
) -> None:
    world.start(bounds=Bounds(rounds=1))
    world.stop()

    act(page, world, "continue", **form)

    bounds = world.contract.bounds
    assert (bounds.rounds, bounds.budget_usd, bounds.minutes) == expected
    assert world.state() == ("active", None, 1)


def test_what_is_not_possible_is_explained_and_changes_nothing(
    world: World, page: LivePage
) -> None:
    world.start()
    act(page, world, "cancel")

    answers = [
        page.post(f"/loops/{world.loop}/pause"),
        page.post(f"/loops/{world.loop}/continue", form={"rounds": "many"}),
        page.post(f"/loops/{world.loop}/answer", form={"answer": "yes"}),
        page.post(f"/loops/{world.loop}/approve", form={"question": "0" * 64}),
        page.post(f"/loops/{world.loop}/approve"),
        page.post("/loops/none/pause"),
    ]

    assert [answer.status for answer in answers] == [409] * 6
    assert "is already finished (cancelled)" in answers[0].shown
    assert "`" not in answers[0].shown
    assert page.post(f"/loops/{world.loop}/trust").status == 404
    assert world.state() == ("finished", "cancelled", 0)


def test_an_approval_ends_a_green_loop_with_the_diff_beside_it(
    world: World, page: LivePage
) -> None:
    world.write_all(SHOP)
    world.start()
    world.finish()
    removed = "def test_large():\n    assert price(100) == 90\n"
    world.write("tests/test_shop.py", SHOP["tests/test_shop.py"].replace(removed, ""))
    world.stop()
    world.stop()
    assert world.outcome == "needs-approval"

    shown = page.get(f"/loops/{world.loop}")
    said = act(page, world, "approve", question=find_seals(shown))

    assert '<span class="del">-def test_large():' in shown.text
    assert "Approve all 2" in shown.shown
    assert "approved remove-test:tests/test_shop.py::test_large" in said
    assert world.state()[:2] == ("finished", "done")


def test_what_the_page_has_not_shown_is_not_approved(world: World, page: LivePage) -> None:
    world.start()
    ask_about(world, "config:a", "remove-test:a.py::test_a")
    seals = find_seals(page.get(f"/loops/{world.loop}"))
    ask_about(world, "config:a", "remove-test:a.py::test_b")

    answer = page.post(f"/loops/{world.loop}/approve", form={"question": seals})

    assert (answer.status, world.progress.amendments) == (409, ())
    assert "what is asked has changed since the page was loaded" in answer.shown


def test_one_of_two_questions_and_for_good(world: World, page: LivePage) -> None:
    world.start()
    world.stop()
    ask_about(world, "config:tox.ini:tox.env_list#12", "remove-test:a.py::test_a")
    seals = find_seals(page.get(f"/loops/{world.loop}"))

    said = act(page, world, "approve", question=seals[0], always="yes")

    what = "config:tox.ini:tox.env_list"
    assert f"always approved in this project: {what}; still open: remove-test:a.py::test_a" in said
    assert [amendment.always for amendment in world.progress.amendments] == [(what,)]
    assert world.outcome == "needs-approval"
    act(page, world, "approve", question=seals[1])
    assert world.state()[:2] == ("active", None)


@pytest.mark.parametrize(("answer", "gated"), [("yes", True), ("always", False)])
def test_a_gate_is_passed(world: World, page: LivePage, answer: str, gated: bool) -> None:
    world.start(preset="loop", task="Clean up. Done when the check is green.")
    asks = Amendment(by="agent", at="", gated=True)
    change_loop(
        world.context,
        world.loop,
        lambda now: replace(
            now.progress,
            status="paused",
            outcome="gate",
            reason="round 1 is over: continue?",
            amendments=(asks,),
        ),
        kind="asked",
    )
    assert "It asks you round 1 is over: continue?" in page.get(f"/loops/{world.loop}").shown

    said = act(page, world, "answer", answer=answer)

    assert f"loop {world.loop} goes on" in said
    assert (world.state()[:2], world.contract.gated) == (("active", None), gated)


def test_a_headless_run_is_continued_in_a_terminal(world: World, page: LivePage) -> None:
    world.start()
    run_memory.write(world.context, world.loop, RunMemory())
    act(page, world, "pause")

    answer = page.post(f"/loops/{world.loop}/continue")

    assert answer.status == 409
    assert f"run untildone continue {world.loop} there" in answer.shown.replace("  ", " ")
    assert f"untildone continue {world.loop}" in page.get(f"/loops/{world.loop}").shown
    assert world.state()[:2] == ("paused", "paused")


def test_without_allow_verbs_the_page_only_shows(world: World) -> None:
    world.start()
    ask_about(world, "config:a")
    with serve_page(world.context, allow_verbs=False) as page:
        shown = page.get(f"/loops/{world.loop}")
        answer = page.post(f"/loops/{world.loop}/cancel")

    assert "read-only" in shown.text
    assert "<button" not in shown.text
    assert page.access.form_token not in shown.text
    assert (answer.status, world.state()[:2]) == (403, ("paused", "needs-approval"))


FOREIGN: dict[str, dict[str, str]] = {
    "no browser": {"origin": ""},
    "a frame or a file": {"origin": "null"},
    "another site": {"origin": "http://evil.example"},
    "another port": {"origin": "http://127.0.0.1:1"},
    "another of our hosts": {"origin": "http://localhost:{0}"},
    "another scheme": {"origin": "https://127.0.0.1:{0}"},
    "another port, by the browser's word": {"sec-fetch-site": "same-site"},
    "no cookie": {"cookie": ""},
}
WRONG_FORMS = ({"token": ""}, {"token": "x"}, {"more": "x" * 200_000})


def test_no_other_site_can_act(world: World, page: LivePage) -> None:
    world.start()
    path = f"/loops/{world.loop}/cancel"

    answers = {
        name: page.post(path, form={}, **{key: value.format(page.port)}).status
        for name, headers in FOREIGN.items()
        for key, value in headers.items()
    }
    wrong = [page.post(path, form=dict(form)).status for form in WRONG_FORMS]

    assert answers == dict.fromkeys(FOREIGN, 403)
    assert wrong == [403, 403, 403]
    assert world.state() == ("active", None, 0)


SEND = snippet("""
    import sys, urllib.request
    sys.stdin.readline()
    url, origin, cookie, token = sys.argv[1:]
    request = urllib.request.Request(
        url, data=f"token={token}".encode(), headers={"Origin": origin, "Cookie": cookie}
    )
    try:
        print(urllib.request.urlopen(request).status)
    except urllib.error.HTTPError as error:
        print(error.code)
""")


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="asks /proc")
@pytest.mark.parametrize("is_client", [True, False])
def test_an_agents_process_cannot_act_even_with_every_secret(
    world: World, page: LivePage, is_client: bool
) -> None:
    world.start()
    address = f"http://{page.host}{page.access.folder}/loops/{world.loop}/pause"
    secrets = (address, f"http://{page.host}", page.cookie, page.access.form_token)
    child = subprocess.Popen(
        [sys.executable, "-c", SEND, *secrets],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PATH": os.environ["PATH"]},
        text=True,
    )
    process = child.pid if is_client else 0
    world.session.write_json("session.json", {"process": str(process)})

    out, _ = child.communicate("\n")

    assert (out.strip(), world.state()[0]) == (
        ("403", "active") if is_client else ("200", "paused")
    )
