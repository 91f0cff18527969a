"""The pages of the queue: a summary in the list of loops, its tasks and workers, one task."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import quote, urlencode

from untildone.report.page.inert_text import make_line
from untildone.runs.queue.values import Part
from untildone.web.page import Page
from untildone.web.queue_source import QueueSource, UnreadableQueueError
from untildone.web.queue_view import (
    PAGE_SIZE,
    QueueTab,
    choose_tab,
    describe_account,
    list_tabs,
    make_task_row,
    make_task_view,
    make_worker_rows,
    parse_page,
)

if TYPE_CHECKING:
    from untildone.runs.queue.task_queue import TaskQueue

# Renders a template with these values.
Render: TypeAlias = Callable[..., str]
_MAX_TITLE = 80


class QueuePages:
    """`folder` is where all addresses of the live page begin."""

    def __init__(self, source: QueueSource, render: Render, *, folder: str) -> None:
        self._source = source
        self._render = render
        self._folder = folder

    def render_summary(self) -> str:
        """Return a section with the counts; nothing if there is no queue."""
        if not self._source.is_there():
            return ""
        try:
            with self._source.read() as queue:
                counts, is_paused = queue.count_tasks(), queue.is_paused()
                workers = queue.list_workers()
        except UnreadableQueueError as error:
            return self._render_problem(error)
        live = sum(worker.state != "dead" for worker in workers)
        tabs = [tab for tab in list_tabs(counts)[1:] if tab.count]
        return self._render(
            "queue_summary.html", tabs=tabs, is_paused=is_paused, live=live, make=self._make_address
        )

    def build_list(self, query: Mapping[str, str]) -> Page:
        """Return one page of the tasks, and the workers."""
        try:
            with self._source.read() as queue:
                html = self._render_list(queue, query)
        except UnreadableQueueError as error:
            html = self._render_problem(error)
        return Page(title="queue: untildone", parts={"tasks": html}, events="events/queue")

    def _render_list(self, queue: "TaskQueue", query: Mapping[str, str]) -> str:
        counts, is_paused = queue.count_tasks(), queue.is_paused()
        tabs = list_tabs(counts)
        tab = choose_tab(tabs, query)
        page, pages = parse_page(query, tab.count)
        part = Part(
            first=(page - 1) * PAGE_SIZE,
            most=PAGE_SIZE,
            newest_first=not tab.is_open,
            is_dead=tab.is_dead,
        )
        tasks = queue.list_tasks(tab.states, part=part)
        workers, more_workers = make_worker_rows(queue.list_workers(), counts)
        return self._render(
            "queue.html",
            name=make_line(self._source.name, 200),
            is_paused=is_paused,
            tabs=tabs,
            tab=tab,
            page=page,
            pages=pages,
            rows=[make_task_row(task, is_paused=is_paused) for task in tasks],
            workers=workers,
            more_workers=more_workers,
            accounts=[make_line(describe_account(one), 300) for one in queue.list_accounts()],
            make=self._make_address,
        )

    def build_task(self, name: str) -> Page:
        """Return the page of a task; raise UserError if there is none."""
        events = f"events/queue/{quote(name, safe='')}"
        try:
            with self._source.read() as queue:
                view = make_task_view(queue.show(name), is_paused=queue.is_paused())
        except UnreadableQueueError as error:
            return Page(title=name, parts={"task": self._render_problem(error)}, events=events)
        title = f"{view.row.label}: {make_line(view.row.title, _MAX_TITLE)}"
        html = self._render("queue_task.html", view=view)
        return Page(title=title, parts={"task": html}, events=events)

    def _render_problem(self, error: UnreadableQueueError) -> str:
        return self._render("queue_problem.html", text=make_line(error.message, 400))

    def _make_address(self, tab: QueueTab, page: int = 1) -> str:
        fields = {"state": tab.name, "page": page if page > 1 else ""}
        query = urlencode({name: value for name, value in fields.items() if value})
        return f"{self._folder}/queue{f'?{query}' if query else ''}"
