"""`untildone trust`: the person lets this content of the configuration be run."""

import difflib
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from untildone.cli.authority import require_user_of_machine
from untildone.cli.loops import open_context
from untildone.cli.options import project_option
from untildone.cli.project import find_project
from untildone.config import Proposal, load_proposals
from untildone.engine.context import Context
from untildone.engine.project_checks import find_configured_folder
from untildone.errors import UserError
from untildone.features.importers import trusted_projects as store
from untildone.features.importers.formats import LOOP_FORMATS
from untildone.features.plans.document import read_plan as read_plan
from untildone.features.plans.files import list_plans
from untildone.features.plans.task_checks import list_commands
from untildone.features.plans.trust import trust_plan
from untildone.features.spec.shape_file import SHAPE_FILE, parse_shape_file
from untildone.features.spec.start import load_shape_file
from untildone.store.home import prepare_home
from untildone.store.sessions import list_sessions
from untildone.store.trust import read_trusted_text, record_trust


@click.command("trust")
@click.option("--sha256", metavar="H", help="Trust only if the content has this hash (for CI).")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option(
    "--dialects/--no-dialects",
    default=None,
    help="Obey loop files of other tools in this project (or no longer).",
)
@click.option("--shape", "what", flag_value="shape", help=f"Trust the commands of `{SHAPE_FILE}`.")
@click.option("--plan", "what", flag_value="plan", help="Trust the commands of the plans here.")
@project_option
def command(
    *, sha256: str | None, yes: bool, dialects: bool | None, what: str | None, project: Path | None
) -> int:
    """Trust this repository's `untildone.toml` as it is now; any change revokes it.

    Files of that name in its folders are trusted together with it.

    \b
    untildone trust                                        shows it and asks
    untildone trust --sha256 "$(sha256sum <reviewed.toml | cut -c1-64)"    in CI
    untildone trust --shape                                what must not hold, by SHAPE.md
    untildone trust --plan                                 what the tasks of TASKS.json would run
    untildone trust --dialects                             `.claude/ralph-loop.local.md` and others
    """
    context = open_context()
    if sha256 is not None and (dialects is not None or what):
        raise UserError(
            "`--sha256` is that of `untildone.toml`", hint="`--yes` agrees to what is shown"
        )
    if dialects is not None:
        return _trust_dialects(context, find_project(project), wanted=dialects)
    if what == "shape":
        return _trust_shape(context, find_project(project), yes=yes)
    if what == "plan":
        return _trust_plans(context, find_project(project), yes=yes)
    return _trust_configuration(
        context, find_configured_folder(find_project(project)), sha256=sha256, yes=yes
    )


def _trust_configuration(context: Context, place: Path, *, sha256: str | None, yes: bool) -> int:
    files = load_proposals(place)
    if not files:
        raise UserError(
            f"there is no `untildone.toml` in `{place}`",
            hint="checks that are found need no trust: `untildone detect` lists them",
        )
    require_user_of_machine(context, "trust")
    if sha256 is not None and sha256.lower() != _combine_digests(files):
        raise UserError(
            f"`{files[0].path}`{' and its folders' if len(files) > 1 else ''}"
            f" has sha256 {_combine_digests(files)}, not {sha256 or 'an empty one'}",
            hint="`untildone trust` shows what is in it",
        )
    _print_proposals(context, files)
    if not _confirm(sure=bool(sha256) or yes):
        return 1
    _trust_files(context, files)
    return 0


def _trust_files(context: Context, files: Sequence[Proposal]) -> None:
    prepare_home(context.home)
    for file in files:
        record_trust(context.home, file.path, sha256=file.sha256, text=file.text)
        click.echo(f"trusted: {file.path} (sha256 {file.sha256})")
    if len(files) > 1:
        click.echo(f"together: sha256 {_combine_digests(files)}")


def _trust_dialects(context: Context, place: Path, *, wanted: bool) -> int:
    """Also for the sessions that run already."""
    require_user_of_machine(context, "trust")
    prepare_home(context.home)
    home = str(context.home)
    store.set_trust(home, str(place), wanted=wanted)
    for session in list_sessions(home, context.agent.NAME):
        if store.is_within(str(session.read_json("session.json").get("project", "")), str(place)):
            store.watch_session(session, wanted=wanted)
    if not wanted:
        click.echo(f"loop files of other tools in {place} are no longer obeyed")
        return 0
    paths = sorted(path for dialect in LOOP_FORMATS.values() for path in dialect.AT_STOPS)
    click.echo(f"trusted in {place}, whoever writes them, with the commands they name:")
    for path in paths:
        click.echo(f"  {path}")
    click.echo("a session is held by the file it wrote; `untildone trust --no-dialects` ends this")
    return 0


def _trust_shape(context: Context, project: Path, *, yes: bool) -> int:
    file = load_shape_file(project)
    if file is None:
        raise UserError(
            f"there is no `{SHAPE_FILE}` in `{project}`", hint="nothing needs trust here"
        )
    require_user_of_machine(context, "trust")
    for command in parse_shape_file(file.text).commands:
        click.echo(_escape_controls(f"must not exit 0: {command}"))
    if not _confirm(sure=yes):
        return 1
    prepare_home(context.home)
    record_trust(context.home, file.path, sha256=file.sha256, text=file.text)
    click.echo(f"trusted: {file.path} (sha256 {file.sha256})")
    return 0


def _trust_plans(context: Context, project: Path, *, yes: bool) -> int:
    documents = [read_plan(path) for path in list_plans(project)]
    if not documents:
        raise UserError(f"there is no plan in `{project}`", hint="nothing needs trust here")
    documents = [document for document in documents if list_commands(document.plan)]
    if not documents:
        click.echo("nothing needs trust here: no plan runs a command")
        return 0
    require_user_of_machine(context, "trust")
    for document in documents:
        for command in list_commands(document.plan):
            click.echo(_escape_controls(f"{document.path.name} runs: {command}"))
    if not _confirm(sure=yes):
        return 1
    for document in documents:
        trust_plan(context, document.path, document.plan)
        click.echo(f"trusted: {document.path}")
    return 0


def _combine_digests(files: Sequence[Proposal]) -> str:
    """Of several files that of what `sha256sum` prints for them, so that a script can make it."""
    if len(files) == 1:
        return files[0].sha256
    listed = "".join(f"{file.sha256}  {file.name}\n" for file in files)
    return hashlib.sha256(listed.encode("utf-8", "surrogateescape")).hexdigest()


def _confirm(*, sure: bool) -> bool:
    """Who is `sure` is not asked."""
    try:
        agreed = sure or click.confirm("trust this content?")
    except click.Abort:
        if sys.stdin.isatty():
            raise
        click.echo()
        raise UserError(
            "nobody answered",
            hint="`--yes` agrees to what is shown, `--sha256 H` to one content of `untildone.toml`",
        ) from None
    if not agreed:
        click.echo("not trusted: nothing in it is run", err=True)
    return agreed


def _print_proposals(context: Context, files: Sequence[Proposal]) -> None:
    """What is not trusted yet: whole where it is new, else the difference."""
    shown = {file.name: _describe_change(context, file) for file in files}
    for name, text in shown.items():
        if text and len(files) > 1:
            click.echo(_escape_controls(f"== {name}"))
        if text:
            click.echo(_escape_controls(text))
    if not any(shown.values()):
        click.echo("unchanged since it was trusted")


def _describe_change(context: Context, file: Proposal) -> str:
    before = read_trusted_text(context.home, file.path)
    if not before:
        return file.text
    lines = difflib.unified_diff(
        before.splitlines(), file.text.splitlines(), "trusted", "now", lineterm=""
    )
    return "\n".join(lines)


def _escape_controls(text: str) -> str:
    """Nothing in it may hide or reorder what else is shown."""
    return "".join(
        char if char.isprintable() or char in "\n\t" else char.encode("unicode_escape").decode()
        for char in text
    )
