"""The queue on the live page: what it shows, what it can do, and that it creates nothing."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from untildone.runs.queue.tables import ACCOUNTS, TASKS
from untildone.web.pages import Pages
from untildone.web.queue_source import QueueSource
from untildone.web.queue_view import PAGE_SIZE
from web.filled_queue import REPOSITORY, FilledQueue
from web.test_pages import HOSTILE
from web.visitor import LivePage, serve_page
from world import World


@pytest.fixture
def queue(world: World) -> Iterator[FilledQueue]:
    queue = FilledQueue(world)
    yield queue
    queue.close()


def test_without_a_queue_nothing_is_shown_opened_or_created(world: World, page: LivePage) -> None:
    before = sorted(world.state_folder.iterdir())

    shown = page.get().text

    assert 'id="queue-summary"' not in shown
    assert '<div id="queue"></div>' in shown
    assert page.get("/queue").status == 404
    assert sorted(world.state_folder.iterdir()) == before


def test_without_the_extra_a_queue_is_not_there(
    world: World, page: LivePage, queue: FilledQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue.add("port the parser")
    monkeypatch.setitem(sys.modules, "dbos", None)

    pages = Pages(world.context, page.access, QueueSource(world.context))

    assert pages.build_list({}).parts["queue"] == ""


def test_tasks_and_workers_with_why_they_wait(page: LivePage, queue: FilledQueue) -> None:
    ended = queue.add("write the docs", priority=9)
    queue.take("no key")
    first = queue.add("port the parser", priority=5, labels=("gpu",))
    queue.add("use the parser", after=(first,))
    queue.take()

    assert "Queue 1 worker waiting 1 running 1 ended 1" in page.get().shown
    shown = page.get("/queue").shown
    assert "open 2 waiting 1 running 1 ended 1" in shown
    assert f"port the parser {REPOSITORY} · {first} · needs gpu ▸ running priority 5" in shown
    assert f"after {first} ‖ waiting" in shown
    assert "build-1 build · claude · has gpu ▸ alive 1 of 2 at work seen" in shown
    assert "no key" not in shown
    assert "no key ! blocked" in page.get("/queue?state=ended").shown
    task = page.get(f"/queue/{ended}").shown
    assert "done" not in task
    for text in ("write the docs", "fetch from the origin", "taken build", "# Receipt"):
        assert text in task
    assert page.get("/queue/none").status == 404


def test_dead_letters_and_sleeping_accounts(page: LivePage, queue: FilledQueue) -> None:
    queue.add("write the docs")
    queue.take("the repository is gone")
    queue.execute(sa.update(TASKS).values(dead=1, faults=2))
    sleeps = {"name": "claude:ann", "reason": "limit", "asleep_until_ms": 4_000_000_000_000}
    queue.execute(sa.insert(ACCOUNTS).values(sleeps))

    assert "ended 1 dead letters 1" in page.get("/queue").shown
    assert "account claude:ann sleeps until 2096-10-02" in page.get("/queue").shown
    assert "! blocked, dead letter" in page.get("/queue?state=dead").shown


def test_many_tasks_are_shown_page_by_page(page: LivePage, queue: FilledQueue) -> None:
    for number in range(PAGE_SIZE + 2):
        queue.add(f"task no{number}x")

    first, second = page.get("/queue").text, page.get("/queue?page=2").text

    assert (first.count("task no"), second.count("task no")) == (PAGE_SIZE, 2)
    assert "no0x" in first
    assert page.get("/queue?page=99&state=x").text.count("task no") == 2
    assert "No task here" in page.get("/queue?state=done").shown


def test_verbs_of_the_queue(world: World, page: LivePage, queue: FilledQueue) -> None:
    task = queue.add("port the parser")

    assert page.post("/queue/pause").status == 303
    assert queue.queue.is_paused()
    assert "Paused" in page.get("/queue").shown
    assert "the queue is paused" in page.get(f"/queue/{task}").shown
    page.post("/queue/resume")
    assert not queue.queue.is_paused()
    page.post(f"/queue/{task}/cancel")
    assert queue.queue.show(task).task.state == "cancelled"
    page.post(f"/queue/{task}/retry")
    assert queue.queue.show(task).task.state == "queued"
    assert page.told[-1] == f"retry in the browser: task {task}: queued again"
    assert page.post(f"/queue/{task}/retry").status == 409
    assert page.post(f"/queue/{task}/eat").status == 409
    # Nobody but a page of ours.
    assert page.post("/queue/pause", form={"token": "x"}).status == 403
    assert page.post("/queue/pause", origin="http://evil.example").status == 403
    with serve_page(world.context, allow_verbs=False) as other:
        assert other.post("/queue/pause").status == 403
        assert "<form" not in other.get("/queue").text
    assert not queue.queue.is_paused()


def test_hostile_text_of_the_queue_is_inert(page: LivePage, queue: FilledQueue) -> None:
    text = HOSTILE + "\n" + "x" * 100_000
    queue.add(text, priority=1)
    task = queue.take(HOSTILE)
    queue.add(text, repository=HOSTILE, labels=(HOSTILE,), source=HOSTILE)
    queue.execute(sa.update(TASKS).values(updated_at=HOSTILE, base=HOSTILE))

    for path in ("/", "/queue", "/queue?state=ended", f"/queue/{task}", "/queue/%3Cscript%3E"):
        shown = page.get(path).text
        assert shown.count("<script") == 1, path
        assert "<img" not in shown
        assert not {"\x1b", "\u202e", "\x07"} & set(shown)
        assert len(shown) < 100_000


def test_changes_of_the_queue_are_streamed(page: LivePage, queue: FilledQueue) -> None:
    task = queue.add("port the parser")
    with page.listen("/events/queue") as listed, page.listen(f"/events/queue/{task}") as one:
        listed.wait_for("tasks", "port the parser")
        one.wait_for("task", "No worker has taken it yet")
        queue.take()
        listed.wait_for("tasks", "1 of 2 at work")
        one.wait_for("task", "from the origin")


def test_a_queue_that_cannot_be_read_is_said_and_the_loops_stay(
    world: World, tmp_path: Path
) -> None:
    world.start(task="port the parser")
    damaged = tmp_path / "damaged.sqlite"
    damaged.write_bytes(b"no database" * 1_000)
    with serve_page(world.context, database=str(damaged)) as page:
        for path in ("/", "/queue", "/queue/a1"):
            answer = page.get(path)
            assert answer.status == 200
            assert "damaged.sqlite cannot be used" in answer.shown
        assert "port the parser" in page.get().shown
        assert page.post("/queue/pause").status == 409


def test_a_database_that_fails_later_is_left_alone_for_a_while(
    page: LivePage, queue: FilledQueue
) -> None:
    queue.add("port the parser")
    assert "port the parser" in page.get("/queue").shown
    queue.execute(sa.text("ALTER TABLE untildone_task RENAME TO gone"))

    shown = page.get("/queue").shown
    queue.execute(sa.text("ALTER TABLE gone RENAME TO untildone_task"))

    assert "the queue cannot be read: OperationalError" in shown
    assert "cannot be read" in page.get().shown
