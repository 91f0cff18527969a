"""`untildone trust`: allow the commands that the repository's configuration names."""

import difflib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from untildone.cli.authority import require_user_of_machine
from untildone.cli.lasting_approvals import forget_approval, list_trust
from untildone.cli.loops import open_context
from untildone.cli.options import find_project, json_option, project_option
from untildone.config.proposals import Proposal, combine_digests, load_proposals
from untildone.core.text import escape_controls
from untildone.engine.context import Context
from untildone.engine.project_checks import find_configured_folder
from untildone.errors import UserError
from untildone.features.importers import trusted_projects
from untildone.features.importers.formats import LOOP_FORMATS
from untildone.features.plans.plan_file import list_plans, read_plan
from untildone.features.plans.task_checks import list_commands, trust_plan
from untildone.features.spec.shape_file import (
    SHAPE_FILE,
    ShapeFile,
    load_shape_file,
    parse_shape_file,
)
from untildone.store.home import prepare_home
from untildone.store.sessions import list_sessions
from untildone.store.trusted_files import read_trusted_text, record_trust


@click.command("trust")
@click.option("--sha256", metavar="H", help="Trust only if the content has this hash (for CI).")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option(
    "--dialects/--no-dialects",
    default=None,
    help="Obey loop files of other tools in this project, or stop obeying them.",
)
@click.option("--shape", "what", flag_value="shape", help=f"Trust the commands of `{SHAPE_FILE}`.")
@click.option("--plan", "what", flag_value="plan", help="Trust the commands of the plans here.")
@click.option("--list", "what", flag_value="list", help="Show what you trust and always approve.")
@click.option("--forget", metavar="N", help="Take back an `approve --always`, by number or name.")
@project_option
@json_option
def trust_command(
    *,
    sha256: str | None,
    yes: bool,
    dialects: bool | None,
    what: str | None,
    **values: Any,  # noqa: ANN401  click's own values
) -> int:
    """Trust this repository's current `untildone.toml`; any change revokes the trust.

    The files of that name in subfolders are trusted together with it.

    \b
    untildone trust                                        show the content and ask
    untildone trust --sha256 "$(sha256sum <reviewed.toml | cut -c1-64)"    in CI
    untildone trust --shape                                the commands of SHAPE.md
    untildone trust --plan                                 the commands of TASKS.json
    untildone trust --dialects                             `.claude/ralph-loop.local.md` and others
    untildone trust --list                                 with what you approved by `--always`
    untildone trust --forget 2
    """
    context = open_context()
    folder = find_project(values["project"])
    if sha256 is not None and (dialects is not None or what):
        raise UserError(
            "`--sha256` applies to `untildone.toml` only", hint="use `--yes` to trust what is shown"
        )
    if values["forget"]:
        return forget_approval(context, folder, values["forget"])
    if what == "list":
        return list_trust(context, folder, as_json=values["as_json"])
    if dialects is not None:
        _trust_dialects(context, folder, wanted=dialects)
        return 0
    if what == "shape":
        return _trust_shape(context, folder, yes=yes)
    if what == "plan":
        return _trust_plans(context, folder, yes=yes)
    return _trust_configuration(context, find_configured_folder(folder), sha256=sha256, yes=yes)


def _trust_configuration(context: Context, project: Path, *, sha256: str | None, yes: bool) -> int:
    files = load_proposals(project)
    if not files:
        raise UserError(
            f"there is no `untildone.toml` in `{project}`",
            hint="detected checks need no trust: `untildone detect` lists them",
        )
    require_user_of_machine(context, "trust")
    combined = combine_digests(files)
    if sha256 is not None and sha256.lower() != combined:
        raise UserError(
            f"`{files[0].path}`{' and its folders' if len(files) > 1 else ''}"
            f" has sha256 {combined}, not {sha256 or 'an empty one'}",
            hint="`untildone trust` shows the content",
        )
    if not _confirm(_describe_proposals(context, files), yes=bool(sha256) or yes):
        return 1
    _trust_files(context, files)
    if len(files) > 1:
        click.echo(f"together: sha256 {combined}")
    return 0


def _trust_files(context: Context, files: Sequence[Proposal | ShapeFile]) -> None:
    prepare_home(context.home)
    for file in files:
        record_trust(context.home, file.path, sha256=file.sha256, text=file.text)
        click.echo(f"trusted: {file.path} (sha256 {file.sha256})")


def _trust_dialects(context: Context, project: Path, *, wanted: bool) -> None:
    """Trust the loop files of other tools, or no longer, in running sessions too."""
    require_user_of_machine(context, "trust")
    prepare_home(context.home)
    home = str(context.home)
    trusted_projects.set_trust(home, str(project), wanted=wanted)
    for session in list_sessions(home, context.agent.NAME):
        folder = str(session.read_json("session.json").get("project", ""))
        if trusted_projects.is_within(folder, str(project)):
            trusted_projects.watch_session(session, wanted=wanted)
    if not wanted:
        click.echo(f"loop files of other tools in {project} are no longer obeyed")
        return
    click.echo(f"trusted in {project}, whoever writes them, with the commands they name:")
    for path in sorted(path for dialect in LOOP_FORMATS.values() for path in dialect.AT_STOPS):
        click.echo(f"  {path}")
    click.echo(
        "such a file holds the session that wrote it; `untildone trust --no-dialects` ends this"
    )


def _trust_shape(context: Context, project: Path, *, yes: bool) -> int:
    file = load_shape_file(project)
    if file is None:
        raise UserError(
            f"there is no `{SHAPE_FILE}` in `{project}`", hint="there is nothing to trust"
        )
    require_user_of_machine(context, "trust")
    commands = parse_shape_file(file.text).commands
    if not _confirm([f"must not exit 0: {command}" for command in commands], yes=yes):
        return 1
    _trust_files(context, [file])
    return 0


def _trust_plans(context: Context, project: Path, *, yes: bool) -> int:
    documents = [read_plan(path) for path in list_plans(project)]
    if not documents:
        raise UserError(f"there is no plan in `{project}`", hint="there is nothing to trust")
    documents = [document for document in documents if list_commands(document.plan)]
    if not documents:
        click.echo("there is nothing to trust: no plan runs a command")
        return 0
    require_user_of_machine(context, "trust")
    lines = [
        f"{document.path.name} runs: {command}"
        for document in documents
        for command in list_commands(document.plan)
    ]
    if not _confirm(lines, yes=yes):
        return 1
    for document in documents:
        trust_plan(context, document.path, document.plan)
        click.echo(f"trusted: {document.path}")
    return 0


def _confirm(texts: Sequence[str], *, yes: bool) -> bool:
    """Show the user what would be trusted, and ask."""
    for text in texts:
        click.echo(escape_controls(text))
    try:
        agreed = yes or click.confirm("trust this content?")
    except click.Abort:
        if sys.stdin.isatty():
            raise
        click.echo()
        raise UserError(
            "there is no terminal to ask on",
            hint="use `--yes`, or `--sha256 H` for a known content of `untildone.toml`",
        ) from None
    if not agreed:
        click.echo("not trusted: none of its commands is run", err=True)
    return agreed


def _describe_proposals(context: Context, files: Sequence[Proposal]) -> list[str]:
    """Return new files in full, and changed ones as a diff against the trusted content."""
    texts = {file.name: _describe_change(context, file) for file in files}
    changed = {name: text for name, text in texts.items() if text}
    if not changed:
        return ["unchanged since it was trusted"]
    if len(files) == 1:
        return list(changed.values())
    return [f"== {name}\n{text}" for name, text in changed.items()]


def _describe_change(context: Context, file: Proposal) -> str:
    before = read_trusted_text(context.home, file.path)
    if not before:
        return file.text
    lines = difflib.unified_diff(
        before.splitlines(), file.text.splitlines(), "trusted", "current", lineterm=""
    )
    return "\n".join(lines)
