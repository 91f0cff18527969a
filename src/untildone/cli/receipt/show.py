"""`untildone receipt show`: the receipt as text, JSON, in-toto statement or trailer."""

from pathlib import Path

import click

from untildone.cli.loops import choose_loop_to_show, open_context
from untildone.cli.options import json_option, loop_argument, print_report, project_option
from untildone.core.text import escape_controls
from untildone.engine.receipts import load_receipt
from untildone.receipts.notes import find_commit
from untildone.receipts.statement import build_statement, format_trailer
from untildone.report.receipt import Receipt
from untildone.report.receipt_text import render_receipt


@click.command("show")
@loop_argument
@click.option("--in-toto", is_flag=True, help="As an in-toto statement about the git tree.")
@click.option("--trailer", is_flag=True, help="As one line for a commit message.")
@project_option
@json_option
def show_command(
    loop: str | None, *, in_toto: bool, trailer: bool, project: Path | None, as_json: bool
) -> None:
    """Show the receipt of a loop.

    \b
    untildone receipt show
    untildone receipt show 1f2e --in-toto
    git commit --trailer "$(untildone receipt show --trailer)"
    """
    context = open_context()
    receipt = load_receipt(context, choose_loop_to_show(context, loop, project))
    if trailer:
        click.echo(format_trailer(receipt))
    elif in_toto:
        commit = find_commit(receipt.git_tree, cwd=find_repository(receipt))
        print_report(build_statement(receipt, commit=commit), (), as_json=True)
    else:
        text = escape_controls(render_receipt(receipt)).rstrip("\n")
        print_report(receipt, (text,), as_json=as_json)


def find_repository(receipt: Receipt) -> Path:
    """Return the folder that was judged; a worktree may be gone, then that of the contract."""
    judged = Path(receipt.judged_in)
    return judged if receipt.judged_in and judged.is_dir() else Path(receipt.project)
