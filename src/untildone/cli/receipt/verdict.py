"""The answer of `verify` and `check`: one line or JSON, and an exit code for each reason."""

from collections.abc import Callable
from typing import Literal

import click
from msgspec import Struct

from untildone.cli.options import print_report
from untildone.core.text import escape_controls, to_one_line
from untildone.receipts.problem import EXIT_CODES, Problem, RefusedReceiptError
from untildone.report.receipt import Receipt

_DIGITS = 12


class ReceiptVerdict(Struct, frozen=True, kw_only=True):
    """`journal`: whether the loop's own journal was read, or is on another machine."""

    valid: bool
    problem: Problem | None = None
    reason: str = ""
    loop: str = ""
    outcome: str | None = None
    git_tree: str = ""
    signed_by: str = ""
    journal: Literal["unbroken", "elsewhere", ""] = ""


def accept(receipt: Receipt, *, signed_by: str, has_journal: bool) -> ReceiptVerdict:
    return ReceiptVerdict(
        valid=True,
        loop=receipt.loop,
        outcome=receipt.outcome,
        git_tree=receipt.git_tree,
        signed_by=signed_by,
        journal="unbroken" if has_journal else "elsewhere",
    )


def print_verdict(verify: Callable[[], ReceiptVerdict], *, as_json: bool) -> None:
    """Print what the verification finds, and exit with its code."""
    try:
        verdict = verify()
    except RefusedReceiptError as refusal:
        verdict = ReceiptVerdict(valid=False, problem=refusal.problem, reason=refusal.reason)
    print_report(verdict, (escape_controls(to_one_line(_describe(verdict))),), as_json=as_json)
    if verdict.problem:
        raise click.exceptions.Exit(EXIT_CODES[verdict.problem])


def _describe(verdict: ReceiptVerdict) -> str:
    if not verdict.valid:
        return f"not valid ({verdict.problem}): {verdict.reason}"
    if verdict.reason:
        return f"valid: {verdict.reason}"
    signed = f"signed by {verdict.signed_by}" if verdict.signed_by else "no signature verified"
    journal = "its journal is unbroken" if verdict.journal == "unbroken" else "no journal here"
    ended = verdict.outcome or "not ended"
    tree = verdict.git_tree[:_DIGITS]
    return f"valid: loop {verdict.loop}, {ended}, tree {tree}, {signed}, {journal}"
