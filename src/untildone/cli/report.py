"""`untildone report`: a loop, a plan or a project's history as one page, for a browser."""

import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import click
from msgspec import Struct

from untildone.cli import loops, options
from untildone.engine.artifacts import open_artifact_folder
from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.report.page.history_view import HistoryView, build_history_view
from untildone.report.page.markdown import render_markdown
from untildone.report.page.plan_view import PlanView
from untildone.report.page.values import LoopView
from untildone.report.page.view import build_loop_view
from untildone.store.durable_files import write_atomically
from untildone.store.loops import Record, UnreadableLoop

_STDOUT = "-"
View: TypeAlias = LoopView | HistoryView | PlanView


class Subject(Struct, frozen=True, kw_only=True):
    """What is reported on, and where its page goes unless the user names a file.

    That is the project's folder for our files, or `otherwise` where there is none.
    """

    view: View
    name: str
    project: Path
    otherwise: Path

    def choose_path(self) -> Path:
        folder = open_artifact_folder(self.project) if self.project.is_dir() else None
        return (folder or self.otherwise) / self.name


@click.command("report")
@options.loop_argument
@click.option(
    "--html",
    "file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path, allow_dash=True),
    help="Write the page there; `-` prints it.",
)
@click.option("--open", "opens", is_flag=True, help="Open the page in your browser.")
@click.option("--markdown", is_flag=True, help="Print a comment for a pull request instead.")
@click.option(
    "--plan",
    metavar="[PLAN]",
    is_flag=False,
    flag_value="",
    help="Of a plan: its TASKS.json or its feature; the only plan here if none is named.",
)
@click.option("--all", "everything", is_flag=True, help="Of all loops of this project.")
@options.project_option
@options.json_option
def report_command(loop: str | None, *, project: Path | None, **values: Any) -> None:  # noqa: ANN401  click's own values
    """Write a loop as one page: outcome, proof, charts, rounds, concerns. It needs no server.

    \b
    untildone report                  this project's loop, or its last one
    untildone report 1f2e --html report.html --open
    untildone report --all            every loop of this project
    untildone report --markdown       for a pull request
    """
    _require_one_subject(loop, values)
    context = loops.open_context()
    subject = _choose_subject(context, loop, project, values)
    if values["as_json"]:
        options.print_json(subject.view)
    elif values["markdown"]:
        click.echo(_render_markdown(subject.view), nl=False)
    elif str(values["file"]) == _STDOUT:
        click.echo(render(subject.view), nl=False)
    else:
        path = write_page(subject.view, values["file"] or subject.choose_path())
        click.echo(f"report: {path}")
        if values["opens"]:
            _open_page(path)


def _require_one_subject(loop: str | None, values: dict[str, Any]) -> None:
    given = [
        name
        for name, is_given in (
            ("a loop", loop is not None),
            ("`--plan`", values["plan"] is not None),
            ("`--all`", values["everything"]),
        )
        if is_given
    ]
    if len(given) > 1:
        raise UserError(
            f"{given[0]} and {given[1]} cannot be reported on together", hint="name one of them"
        )


def _choose_subject(
    context: Context, loop: str | None, project: Path | None, values: dict[str, Any]
) -> Subject:
    if values["everything"]:
        return _load_history(context, project)
    if values["plan"] is not None:
        return _load_plan(context, project, values["plan"])
    record = loops.choose_loop_to_show(context, loop, project)
    loop_id = record.contract.id
    return Subject(
        view=build_loop_view(record, context.loops.read_history(record)),
        name=f"report-{loop_id}.html",
        project=Path(record.contract.project),
        otherwise=context.loops.get_folder(loop_id),
    )


def _load_history(context: Context, project: Path | None) -> Subject:
    place, entries = options.find_project(project), context.loops.list_all()
    records = [entry for entry in entries if isinstance(entry, Record)]
    view = build_history_view(
        [record for record in records if record.contract.project == str(place)],
        [entry for entry in entries if isinstance(entry, UnreadableLoop)],
        title=str(place),
    )
    return Subject(view=view, name="history.html", project=place, otherwise=context.home)


def _load_plan(context: Context, project: Path | None, name: str) -> Subject:
    # Imported where it is used: only this report reads plans.
    from untildone.cli.plan_report import load_plan_view

    place = options.find_project(project)
    view = load_plan_view(context, place, name)
    return Subject(view=view, name="plan.html", project=place, otherwise=context.home)


def render(view: View) -> str:
    # Imported here: only a page needs the template engine.
    from untildone.report.page import render as pages

    match view:
        case LoopView():
            return pages.render_loop_page(view)
        case HistoryView():
            return pages.render_history_page(view)
        case PlanView():
            return pages.render_plan_page(view)


def write_page(view: View, path: Path) -> Path:
    """Write the page whole, and return its path."""
    if not path.parent.is_dir():
        raise UserError(
            f"there is no folder `{path.parent}`", hint="name a file in a folder there is"
        )
    write_atomically(path.absolute(), render(view).encode("utf-8", "replace"), keep_previous=False)
    return path


def _render_markdown(view: View) -> str:
    if not isinstance(view, LoopView):
        raise UserError(
            "`--markdown` is about one loop", hint="name it: `untildone report LOOP --markdown`"
        )
    return render_markdown(view)


def _open_page(path: Path, opener: Callable[[str], bool] = webbrowser.open) -> None:
    if not opener(path.absolute().as_uri()):
        click.echo(f"no browser could be started; open {path} yourself", err=True)
