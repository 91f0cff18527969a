"""`untildone approve`: the user allows the concerns that a loop paused for."""

from pathlib import Path

import click

from untildone.cli.authority import require_user
from untildone.cli.loops import choose_loop, open_context
from untildone.cli.options import json_option, loop_option, print_json, project_option
from untildone.core.concerns import strip_content_digest
from untildone.engine.approval import ALL, ApprovalResult, approve
from untildone.runs import run_memory


@click.command("approve")
@click.argument("findings", nargs=-1)
@click.option(ALL, "everything", is_flag=True, help="Approve every open concern.")
@loop_option
@project_option
@json_option
def command(
    findings: tuple[str, ...],
    *,
    everything: bool,
    loop: str | None,
    project: Path | None,
    as_json: bool,
) -> None:
    """Approve what is removed or loosened since the baseline, as the pause names it.

    An approval holds for the current files: if they change again, you are asked again. If no
    concern is open, `--all` approves the current differences, for example after your `git pull`.

    \b
    untildone show                  the open concerns, with the changes
    untildone approve --all
    untildone approve remove-test:tests/test_old.py::test_gone
    """
    context = open_context()
    record = choose_loop(context, loop, project)
    require_user(context, record, "approve")
    headless = run_memory.read(context, record.contract.id) is not None
    selected = (ALL,) if everything else findings
    approved = approve(context, record, selected, resumes=not headless)
    if as_json:
        print_json(approved)
        return
    click.echo("\n".join(describe_approval(approved, headless=headless)))


def describe_approval(approved: ApprovalResult, *, headless: bool = False) -> list[str]:
    lines = [f"approved {strip_content_digest(finding)}" for finding in approved.approved]
    if approved.left:
        left = ", ".join(strip_content_digest(finding) for finding in approved.left)
        return [*lines, f"still open: {left}"]
    if headless:
        return [*lines, f"run `untildone continue {approved.loop}` to continue"]
    if approved.goes_on:
        return [
            *lines,
            f"loop {approved.loop} continues: prompt the agent, its next stop is judged",
        ]
    return lines
