"""A receipt, and SSH keys made by the real program."""

import subprocess
from pathlib import Path
from typing import Any

from untildone.report.receipt import Receipt
from untildone.report.receipt_checks import ReceiptCheck

TREE = "5fae26eea1909ea77a78568ce649cfb299302952"


def make_receipt(**fields: Any) -> Receipt:  # noqa: ANN401  any field of a receipt
    known: dict[str, Any] = {
        **dict.fromkeys(("agent", "task", "reason", "started_at", "ended_at", "tree"), ""),
        **dict.fromkeys(("promises_said", "allowed", "by_words_alone", "history", "notes"), ()),
        **dict.fromkeys(("spend_usd", "initial", "final", "improved"), None),
        **{"loop": "1f2e", "session": "s1", "project": "/home/alice/shop", "judged_in": "/w"},
        **{"status": "finished", "outcome": "done", "done_when": "checks"},
        **{"rounds": 1, "max_rounds": 10, "claims": {}, "git_tree": TREE},
        "checks": (make_check("test", "green"),),
        "contract_sha256": "c" * 64,
    }
    return Receipt(**{**known, **fields})


def make_check(name: str, outcome: str) -> ReceiptCheck:
    return ReceiptCheck(name=name, command=f"run {name}", outcome=outcome, summary="", seconds=1)


def make_key(folder: Path, name: str = "key", *, passphrase: str = "") -> Path:
    """The private key; the public one is beside it."""
    key = folder / name
    options = ("-q", "-t", "ed25519", "-C", f"{name}@example.org", "-N", passphrase)
    subprocess.run(["ssh-keygen", *options, "-f", key], check=True)
    return key


def public(key: Path) -> Path:
    return key.with_suffix(".pub")


def allow(folder: Path, *keys: Path, options: str = "") -> Path:
    """A file of allowed signers, each named as its key."""
    file = folder / "allowed_signers"
    lines = [f"{key.name}@example.org {options}{public(key).read_text()}" for key in keys]
    file.write_text("".join(["# who may\n", *lines]), encoding="utf-8")
    return file
