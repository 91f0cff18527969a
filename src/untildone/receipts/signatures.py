"""Signatures by SSH keys: the one place that starts `ssh-keygen`.

securesystemslib has DSSE envelopes but no SSH signatures, which a reviewer can verify with what is
installed everywhere and which work with an agent and with hardware keys.
"""

import base64
import binascii
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from untildone.errors import UserError
from untildone.process.command import filter_environment, find_program
from untildone.process.runner import Finished, run
from untildone.receipts.problem import Problem, RefusedReceiptError
from untildone.receipts.signing_key import SigningKey
from untildone.store.digest import sha256

# Keeps a signature of a receipt from being taken for one of a commit, and the other way round.
NAMESPACE = "untildone-receipt"
_SECONDS = 60.0
_MAX_SIGNATURE = 100_000
_ARMOUR = re.compile(
    rb"-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)-----END SSH SIGNATURE-----\s*"
)
_KEY_TYPES = ("ssh-", "ecdsa-", "sk-")
_ALLOWED_NAME = "signer"


def sign_bytes(data: bytes, key: SigningKey) -> bytes:
    """Return the armoured signature; raise UserError if the key cannot sign."""
    with TemporaryDirectory(prefix="untildone-") as folder:
        arguments = ["-Y", "sign", "-n", NAMESPACE, "-f", os.fspath(key.path or "")]
        if key.literal:
            public = Path(folder, "key.pub")
            public.write_text(f"{key.literal}\n", encoding="utf-8")
            # The private key is in the agent.
            arguments[-1:] = [os.fspath(public), "-U"]
        errors = Path(folder, "errors")
        finished = _run_ssh_keygen(arguments, stdin=data, errors=errors)
        if finished.exit_code != 0:
            raise UserError(
                f"`ssh-keygen` could not sign: {_find_reason(finished, errors)}",
                hint="add the key to your agent with `ssh-add`, or name another with `--key FILE`",
            )
        return finished.head


def find_signer(data: bytes, signature: bytes, signers: Path) -> str:
    """Return who signed the data, by a file of allowed signers or one public key.

    Raises RefusedReceiptError if no allowed key did.
    """
    key = compute_fingerprint(signature)
    with _open_allowed(signers) as (allowed, folder):
        written = folder / "signature"
        written.write_bytes(signature)
        files = ("-f", os.fspath(allowed), "-s", os.fspath(written))
        found = _run_ssh_keygen(["-Y", "find-principals", *files])
        names = found.text.splitlines() if found.exit_code == 0 else []
        for name in names:
            arguments = ["-Y", "verify", "-n", NAMESPACE, "-I", name, *files]
            if _run_ssh_keygen(arguments, stdin=data).exit_code == 0:
                return key if name == _ALLOWED_NAME and allowed != signers else f"{name} ({key})"
    reason = "does not fit what is signed" if names else f"is by {key}, which is not allowed"
    raise RefusedReceiptError(Problem.SIGNATURE, f"its signature {reason}")


def compute_fingerprint(signature: bytes) -> str:
    """Return the key of an armoured signature, as `ssh-keygen -l` names it.

    The blob begins with `SSHSIG`, a version, and the public key with its length.
    """
    armour = _ARMOUR.fullmatch(signature[:_MAX_SIGNATURE])
    body = armour[1].replace(b"\n", b"") if armour else b""
    try:
        blob = binascii.a2b_base64(body, strict_mode=True)
    except binascii.Error:
        blob = b""
    size = int.from_bytes(blob[10:14], "big")
    if not blob.startswith(b"SSHSIG") or not 0 < size <= len(blob) - 14:
        raise RefusedReceiptError(Problem.SIGNATURE, "its signature is none of an SSH key")
    digest = base64.b64encode(sha256(blob[14 : 14 + size]).digest()).decode()
    return f"SHA256:{digest.rstrip('=')}"


@contextmanager
def _open_allowed(signers: Path) -> Iterator[tuple[Path, Path]]:
    """Yield a file of allowed signers, made of a public key if need be, and a folder of ours."""
    try:
        text = signers.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UserError(f"`{signers}`: {reason}", hint="name a file with `--key FILE`") from error
    with TemporaryDirectory(prefix="untildone-") as name:
        folder = Path(name)
        if not text.startswith(_KEY_TYPES):
            yield signers, folder
            return
        allowed = folder / "allowed_signers"
        keys = (line for line in text.splitlines() if line.startswith(_KEY_TYPES))
        lines = "".join(f"{_ALLOWED_NAME} {' '.join(key.split()[:2])}\n" for key in keys)
        allowed.write_text(lines, encoding="utf-8")
        yield allowed, folder


def _run_ssh_keygen(
    arguments: list[str], *, stdin: bytes = b"", errors: Path | None = None
) -> Finished:
    env = filter_environment(os.environ) | {"LC_ALL": "C"}
    program = find_program("ssh-keygen", env)
    if program is None:
        raise UserError("`ssh-keygen` was not found", hint="install OpenSSH's client")
    quiet = errors or Path(os.devnull)
    return run(
        [program, *arguments], cwd=Path.cwd(), timeout=_SECONDS, env=env, stdin=stdin, errors=quiet
    )


def _find_reason(finished: Finished, errors: Path) -> str:
    """Return the last line of what `ssh-keygen` said."""
    if finished.timed_out:
        return "it did not answer"
    lines = errors.read_text(encoding="utf-8", errors="replace").splitlines()
    return lines[-1] if lines else f"exit status {finished.exit_code}"
