"""`untildone receipt verify`: one receipt, from a file or of a loop on this machine."""

from pathlib import Path

import click

from untildone.cli.loops import choose_loop_to_show, open_context
from untildone.cli.options import EXISTING_FILE, find_project, json_option, project_option
from untildone.cli.receipt.verdict import ReceiptVerdict, accept, print_verdict
from untildone.engine.context import Context
from untildone.engine.receipts import load_receipt
from untildone.errors import UserError
from untildone.receipts.envelope import MAX_SIZE, read_published
from untildone.receipts.notes import read_tree
from untildone.receipts.problem import Problem, RefusedReceiptError
from untildone.receipts.signing_key import find_allowed_signers
from untildone.receipts.verification import (
    Demands,
    verify_against_journal,
    verify_content,
    verify_published,
    verify_seal,
)
from untildone.store.durable_files import DamagedFileError
from untildone.worktree.git_tree import hash_working_tree

_HEAD = "HEAD"


@click.command("verify")
@click.argument("target", metavar="[FILE|LOOP]", required=False)
@click.option("--tree", metavar="REV", default=_HEAD, help="Its tree, if not that of HEAD.")
@click.option(
    "--key",
    metavar="FILE",
    type=EXISTING_FILE,
    help="A public key, or a file of allowed signers, if not git's own.",
)
@click.option("--unsigned", is_flag=True, help="Do not look at the signature.")
@project_option
@json_option
def verify_command(
    target: str | None,
    *,
    tree: str,
    key: Path | None,
    unsigned: bool,
    project: Path | None,
    as_json: bool,
) -> None:
    """Verify that a receipt is of this tree, and that nobody has changed it.

    A file must be signed. A loop on this machine is verified by its contract and journal.

    \b
    untildone receipt verify receipt.dsse.json --key allowed_signers
    untildone receipt verify 1f2e --tree HEAD~1
    """
    folder = find_project(project)
    context = open_context()
    demands = Demands(
        tree=read_tree(tree, cwd=folder),
        revision=tree,
        signers=None if unsigned else key or find_allowed_signers(folder),
        needs_signature=not unsigned,
    )

    def verify() -> ReceiptVerdict:
        if target and (Path(target).is_file() or "/" in target):
            return _verify_file(context, Path(target), demands)
        if key:
            raise UserError("a loop has no signature", hint="name a file to verify with `--key`")
        return _verify_loop(context, target, project, demands)

    print_verdict(verify, as_json=as_json)


def _verify_file(context: Context, path: Path, demands: Demands) -> ReceiptVerdict:
    published = read_published(_read_file(path))
    signed_by = verify_published(published, demands)
    has_journal = verify_against_journal(published.receipt, context.loops)
    return accept(published.receipt, signed_by=signed_by, has_journal=has_journal)


def _verify_loop(
    context: Context, loop: str | None, project: Path | None, demands: Demands
) -> ReceiptVerdict:
    try:
        record = choose_loop_to_show(context, loop, project)
        verify_seal(record.contract.id, context.loops)
        receipt = load_receipt(context, record)
    except DamagedFileError as damage:
        raise RefusedReceiptError(Problem.JOURNAL, damage.reason) from damage
    try:
        verify_content(receipt, demands)
    except RefusedReceiptError as refusal:
        if hash_working_tree(find_project(project)) != receipt.git_tree:
            raise
        reason = f"{refusal.reason}; the files here have the first: commit them"
        raise RefusedReceiptError(refusal.problem, reason) from refusal
    return accept(receipt, signed_by="", has_journal=True)


def _read_file(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_SIZE + 1)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise RefusedReceiptError(Problem.MISSING, f"`{path}`: {reason}") from error
    if len(data) > MAX_SIZE:
        raise RefusedReceiptError(Problem.UNREADABLE, f"`{path}` is larger than {MAX_SIZE} bytes")
    return data
