"""The pages of loops and plan runs, rendered from what the store holds."""

import time
from collections import OrderedDict
from collections.abc import Callable
from importlib.resources import files
from threading import Lock
from typing import TypeAlias
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from msgspec import Struct

from untildone import __version__
from untildone.engine.context import Context
from untildone.engine.speaker import is_driven
from untildone.install.held_loops import find_hold_problem
from untildone.report.page.inert_text import make_line
from untildone.report.page.render import load_style, mark_code, render_loop_body
from untildone.report.page.view import build_loop_view
from untildone.store.loop_index import LoopIndex
from untildone.store.loops import Record
from untildone.web.access import Access
from untildone.web.live_loop import QuestionView, build_live_loop, load_questions
from untildone.web.loop_list import GROUPS, build_list, choose_group, parse_listing
from untildone.web.page import Page
from untildone.web.plan_runs import PlanIndex
from untildone.web.queue_pages import QueuePages
from untildone.web.queue_source import QueueSource

PageBuilder: TypeAlias = Callable[[], Page]
# Loops whose reports are kept: as many as a user looks at in turn.
_KEPT_LOOPS = 16
_MAX_TITLE = 80
# The files of an installation are many, and hardly ever change.
_PROBLEM_SECONDS = 30.0


class _ReadLoop(Struct, frozen=True, kw_only=True):
    """What is read of a loop's journal: its report as HTML, and what it asks."""

    body: str
    questions: tuple[QuestionView, ...]


class Pages:
    """What the pages show, read from the store through caches."""

    def __init__(self, context: Context, access: Access, queue: QueueSource | None = None) -> None:
        self.loops = LoopIndex(context.loops)
        self._context = context
        self._access = access
        self._plans = PlanIndex(context.home)
        self._read: OrderedDict[tuple[str, int], _ReadLoop] = OrderedDict()
        self._problems: dict[tuple[str, str], tuple[float, str]] = {}
        self._lock = Lock()
        self._templates = Environment(
            loader=PackageLoader("untildone.web"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=StrictUndefined,
        )
        self._templates.filters["quoted"] = mark_code
        self._templates.globals.update(
            folder=access.folder,
            allow_verbs=access.allow_verbs,
            form_token=access.form_token,
            version=__version__,
        )
        source = queue or QueueSource(context)
        self.queue = QueuePages(source, self._render, folder=access.folder)

    def build_list(self, query: dict[str, str]) -> Page:
        listed = build_list(self._context, self.loops.list_all(), parse_listing(query))
        asking = listed.counts["asks"]
        address = self._make_list_address(listed.listing.group, listed.listing.words)
        plans = self._plans.list_all()
        parts = {
            "loops": self._render("loops.html", listed=listed, groups=GROUPS, address=address),
            "plans": self._render("plans.html", plans=plans) if plans else "",
        }
        # What runs now comes first.
        runs_plan = any(run.running for run in plans)
        parts = dict(reversed(parts.items())) if runs_plan else parts
        return Page(
            title=f"({asking}) untildone" if asking else "untildone",
            parts={"queue": self.queue.render_summary(), **parts},
            events="events",
        )

    def _make_list_address(self, group: str | None, words: str) -> Callable[..., str]:
        """Return a function that makes the address of this list with something changed."""

        def make(**changed: object) -> str:
            fields = {"group": group or "", "q": words, "page": "", **changed}
            query = urlencode({name: value for name, value in fields.items() if value})
            return f"{self._access.folder}/{f'?{query}' if query else ''}"

        return make

    def build_loop(self, loop: str) -> Page:
        """Return the page of a loop; raise UserError or DamagedFileError if it has none."""
        record = self._context.loops.load(loop)
        known = self._read_loop(record)
        live = build_live_loop(
            self._context,
            record,
            questions=known.questions,
            hold_problem=self._find_problem(record),
        )
        title = make_line(record.contract.task, _MAX_TITLE) or loop
        return Page(
            title=f"{live.state}: {title}",
            parts={
                "live": self._render("live.html", live=live, group=choose_group(record)),
                "report": known.body,
            },
            events=f"events/loops/{loop}",
        )

    def _find_problem(self, record: Record) -> str:
        """Return why the installed hooks may not judge the next stop, as of a moment ago."""
        contract, now = record.agreed, time.monotonic()
        if record.progress.status != "active" or is_driven(self._context.session_of(record)):
            return ""
        key = (contract.project, contract.agent)
        found_at, problem = self._problems.get(key, (-_PROBLEM_SECONDS, ""))
        if now - found_at >= _PROBLEM_SECONDS:
            problem = find_hold_problem(self._context, project=key[0], agent=key[1])
            self._problems[key] = (now, problem)
        return problem

    def build_plan(self, name: str) -> Page:
        run = self._plans.load(name)
        return Page(
            title=f"{run.state}: {run.feature}",
            parts={"plan": self._render("plan.html", run=run)},
            events=f"events/plans/{name}",
        )

    def render(self, page: Page, *, notice: str = "") -> str:
        """Return the whole document."""
        return self._render("document.html", page=page, notice=notice)

    def render_problem(self, text: str, hint: str) -> str:
        page = Page(title="untildone", parts={})
        return self._render("problem.html", page=page, notice="", text=text, hint=hint)

    def _read_loop(self, record: Record) -> _ReadLoop:
        """Return what the journal tells, which is read once for each state of the loop."""
        key = (record.contract.id, record.generation)
        with self._lock:
            if known := self._read.get(key):
                self._read.move_to_end(key)
                return known
        history = self._context.loops.read_history(record)
        known = _ReadLoop(
            body=render_loop_body(build_loop_view(record, history)),
            questions=load_questions(self._context, record),
        )
        with self._lock:
            self._read[key] = known
            while len(self._read) > _KEPT_LOOPS:
                self._read.popitem(last=False)
        return known

    def _render(self, template: str, **values: object) -> str:
        return self._templates.get_template(template).render(**values)


def read_static_files() -> dict[str, tuple[str, bytes]]:
    """Return the media type and the content of each file that pages load; there are no others."""
    static = files("untildone.web") / "static"
    return {
        "live.js": ("text/javascript", (static / "live.js").read_bytes()),
        "icon.svg": ("image/svg+xml", (static / "icon.svg").read_bytes()),
        "page.css": ("text/css", (static / "page.css").read_bytes()),
        "report.css": ("text/css", load_style().encode()),
    }
