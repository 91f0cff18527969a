"""Pages as HTML: whole files without script or external resources, and their parts."""

import base64
import hashlib
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape

from untildone.core.late_patterns import compile_late
from untildone.report.page.charts import DrawnChart, draw_chart
from untildone.report.page.history_view import HistoryView
from untildone.report.page.plan_view import PlanView
from untildone.report.page.values import Chart, LoopView, Tone

_TEMPLATES = "templates"
# Meaning never depends on colour alone.
_MARKS: dict[Tone, str] = {"good": "✓", "bad": "✗", "warn": "!", "calm": "•"}
# Texts of ours quote commands and names like this.
_CODE = compile_late(r"`([^`]+)`")


def render_loop_page(view: LoopView, *, head_extra: str = "", controls: str = "") -> str:
    """Return a whole file; `head_extra` and `controls` are markup of the caller's own."""
    title = f"{view.headline.state}: {view.title}"
    return render_page(title, render_loop_body(view), head_extra=head_extra, controls=controls)


def render_loop_body(view: LoopView) -> str:
    """Return the content of `<main>`, for a page with a frame of its own."""
    return _render("loop.html", view=view)


def render_history_page(view: HistoryView) -> str:
    """Return a whole file about all loops of a project."""
    body = _render("history.html", view=view)
    return render_page(f"{view.headline.text}: {view.title}", body)


def render_plan_page(view: PlanView) -> str:
    """Return a whole file about a plan and the loops of its tasks."""
    body = _render("plan.html", view=view)
    return render_page(f"{view.headline.text}: {view.feature}", body)


def render_page(title: str, body: str, *, head_extra: str = "", controls: str = "") -> str:
    """Return a file that loads nothing and runs nothing, with this content of `<main>`."""
    style = load_style()
    return _render(
        "page.html",
        title=title,
        body=_trust(body),
        style=_trust(style),
        policy=_make_policy(style),
        head_extra=_trust(head_extra),
        controls=_trust(controls),
    )


@cache
def load_style() -> str:
    return files(__package__).joinpath("style.css").read_text(encoding="utf-8")


def _make_policy(style: str) -> str:
    """Return the content security policy: our own style sheet, by its hash, and nothing else."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _render(template: str, **values: object) -> str:
    return _open_environment().get_template(template).render(values)


@cache
def _open_environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__, _TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    environment.filters["quoted"] = mark_code
    environment.filters["drawn"] = _draw
    environment.globals["marks"] = _MARKS
    return environment


def mark_code(text: str) -> Markup:
    """Return the text escaped, with what is between backticks as code."""
    return _trust(_CODE.sub(r"<code>\1</code>", str(escape(text))))


def _trust(markup: str) -> Markup:
    """Return markup that this package made itself, all foreign text in it escaped."""
    return Markup(markup)  # noqa: S704  the only place, and never foreign text


def _draw(chart: Chart) -> tuple[DrawnChart, Markup]:
    drawn = draw_chart(chart)
    return drawn, _trust(drawn.svg)
