"""`untildone receipt check`: a required status in CI."""

from pathlib import Path

import click

from untildone.cli.loops import open_context
from untildone.cli.options import EXISTING_FILE, find_project, json_option, project_option
from untildone.cli.receipt.verdict import ReceiptVerdict, accept, print_verdict
from untildone.errors import UserError
from untildone.receipts.envelope import read_published
from untildone.receipts.notes import REF, read_merge_base, read_note, read_tree
from untildone.receipts.problem import Problem, RefusedReceiptError
from untildone.receipts.verification import Demands, verify_against_journal, verify_published
from untildone.store.loops import Loops


@click.command("check")
@click.option("--range", "commits", metavar="BASE..HEAD", help="The commits of a pull request.")
@click.option("--tree", metavar="REV", help="The commit, if not HEAD.")
@click.option(
    "--key", metavar="FILE", type=EXISTING_FILE, help="Allowed signers, or one public key."
)
@click.option("--unsigned", is_flag=True, help="Accept a receipt that anybody could have written.")
@click.option(
    "--require",
    "commands",
    metavar="COMMAND",
    multiple=True,
    help="A check that must be among its green ones; may be repeated.",
)
@project_option
@json_option
def check_command(
    *,
    commits: str | None,
    tree: str | None,
    key: Path | None,
    unsigned: bool,
    commands: tuple[str, ...],
    project: Path | None,
    as_json: bool,
) -> None:
    """Demand a signed receipt of a loop that is done, for exactly this tree.

    The receipt is the note on the tree in `refs/notes/untildone`; fetch that first. It proves what
    was recorded, so let CI run the checks again itself.

    \b
    untildone receipt check --key allowed_signers
    untildone receipt check --range origin/main..HEAD --key allowed_signers --require "npm test"
    """
    base, head = _parse_range(commits, tree)
    if not unsigned:
        _require_key(key)
    folder = find_project(project)
    demands = Demands(
        tree=read_tree(head, cwd=folder),
        revision=head,
        signers=None if unsigned else key,
        needs_signature=not unsigned,
        needs_done=True,
        commands=commands,
    )

    def verify() -> ReceiptVerdict:
        if base and read_merge_base(base, head, cwd=folder) == demands.tree:
            return ReceiptVerdict(
                valid=True, git_tree=demands.tree, reason=f"`{commits}` changes no file"
            )
        return _verify_note(folder, demands, open_context().loops)

    print_verdict(verify, as_json=as_json)


def _require_key(key: Path | None) -> None:
    if key is None:
        raise UserError(
            "no key is given whose receipts count",
            hint="name allowed signers with `--key FILE`, from a place that the change cannot edit",
        )


def _verify_note(folder: Path, demands: Demands, loops: Loops) -> ReceiptVerdict:
    data = read_note(demands.tree, cwd=folder)
    if data is None:
        raise RefusedReceiptError(
            Problem.MISSING,
            f"no receipt is attached to the tree {demands.tree[:12]} of `{demands.revision}` in"
            f" {REF}",
        )
    published = read_published(data)
    signed_by = verify_published(published, demands)
    has_journal = verify_against_journal(published.receipt, loops)
    return accept(published.receipt, signed_by=signed_by, has_journal=has_journal)


def _parse_range(commits: str | None, tree: str | None) -> tuple[str, str]:
    """Return base and head; the base is empty if only a commit is named."""
    if commits is None:
        return "", tree or "HEAD"
    base, dots, head = commits.partition("..")
    if tree or not base or not dots:
        raise UserError(
            "`--range` takes two commits, as `BASE..HEAD`, and no `--tree` beside it",
            hint="for one commit: `--tree REV`",
        )
    return base, head.removeprefix(".") or "HEAD"
