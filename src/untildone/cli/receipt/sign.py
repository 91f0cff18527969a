"""`untildone receipt sign`: a receipt in a signed envelope, printed, written or attached."""

from pathlib import Path

import click

from untildone.cli.authority import require_user
from untildone.cli.loops import choose_loop_to_show, open_context
from untildone.cli.options import EXISTING_FILE, FILE, loop_argument, project_option
from untildone.cli.receipt.show import find_repository
from untildone.engine.receipts import load_receipt
from untildone.errors import UserError
from untildone.receipts.envelope import Signature, encode_envelope, encode_signed_bytes
from untildone.receipts.notes import REF, find_commit, write_note
from untildone.receipts.problem import EXIT_CODES, Problem
from untildone.receipts.signatures import compute_fingerprint, sign_bytes
from untildone.receipts.signing_key import SigningKey, find_signing_key
from untildone.receipts.statement import build_statement, encode_statement
from untildone.report.receipt import Receipt
from untildone.store.durable_files import write_atomically


@click.command("sign")
@loop_argument
@click.option(
    "--key", metavar="FILE", type=EXISTING_FILE, help="An SSH key, if not the one git signs with."
)
@click.option("--output", metavar="FILE", type=FILE, help="Write it there instead of printing it.")
@click.option("--note", is_flag=True, help=f"Attach it to the git tree, in `{REF}`.")
@project_option
def sign_command(
    loop: str | None, *, key: Path | None, output: Path | None, note: bool, project: Path | None
) -> None:
    """Sign the receipt of a loop: an in-toto statement in a DSSE envelope.

    \b
    untildone receipt sign --note            then: git push origin HEAD refs/notes/untildone
    untildone receipt sign --key ~/.ssh/id_ed25519 --output receipt.dsse.json
    """
    context = open_context()
    record = choose_loop_to_show(context, loop, project)
    require_user(context, record, "receipt sign")
    if broken := context.loops.explain_broken_seal(record.contract.id):
        raise UserError(
            f"the loop's files are not as recorded: {broken}",
            hint="`untildone doctor` says more",
            exit_code=EXIT_CODES[Problem.JOURNAL],
        )
    receipt = load_receipt(context, record)
    repository = find_repository(receipt)
    signing_key = SigningKey(path=key.absolute()) if key else find_signing_key(repository)
    envelope, fingerprint = _sign(receipt, signing_key, repository)
    if output:
        write_atomically(output, envelope, keep_previous=False)
        click.echo(f"signed by {fingerprint}, written to {output}")
    if note:
        write_note(receipt.git_tree, envelope, cwd=repository)
        click.echo(f"signed by {fingerprint}, attached to the tree {receipt.git_tree}")
    if not (output or note):
        click.echo(envelope.decode(), nl=False)


def _sign(receipt: Receipt, key: SigningKey, repository: Path) -> tuple[bytes, str]:
    """Return the envelope and the fingerprint of the key."""
    commit = find_commit(receipt.git_tree, cwd=repository)
    payload = encode_statement(build_statement(receipt, commit=commit))
    armoured = sign_bytes(encode_signed_bytes(payload), key)
    fingerprint = compute_fingerprint(armoured)
    return encode_envelope(payload, Signature(sig=armoured, keyid=fingerprint)), fingerprint
