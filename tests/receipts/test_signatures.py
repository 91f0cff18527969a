"""Signatures by the real `ssh-keygen`, with keys in files and in an agent."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from receipts.samples import allow, make_key, public
from untildone.errors import UserError
from untildone.receipts.problem import Problem, RefusedReceiptError
from untildone.receipts.signatures import compute_fingerprint, find_signer, sign_bytes
from untildone.receipts.signing_key import SigningKey, find_allowed_signers, find_signing_key
from world import Machine

DATA = b"what is signed\n"
# Signs with the literal key of its argument, whose private key is in the agent.
_BY_AGENT = """
import sys
from untildone.receipts.signatures import sign_bytes
from untildone.receipts.signing_key import SigningKey
sys.stdout.buffer.write(sign_bytes(b"what is signed\\n", SigningKey(literal=sys.argv[1])))
"""


def _armour(body: bytes) -> bytes:
    begin, end = b"-----BEGIN SSH SIGNATURE-----\n", b"\n-----END SSH SIGNATURE-----\n"
    return begin + body + end


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return make_key(tmp_path)


def read_fingerprint(key: Path) -> str:
    shown = subprocess.run(["ssh-keygen", "-l", "-f", key], check=True, capture_output=True)
    return shown.stdout.decode().split()[1]


def refusal(signature: bytes, signers: Path, data: bytes = DATA) -> str:
    with pytest.raises(RefusedReceiptError) as refused:
        find_signer(data, signature, signers)
    assert refused.value.problem == Problem.SIGNATURE
    return refused.value.reason


def test_the_signer_is_named_by_allowed_signers_or_by_a_public_key(
    tmp_path: Path, key: Path
) -> None:
    signature = sign_bytes(DATA, SigningKey(path=public(key)))

    shown = read_fingerprint(key)
    assert find_signer(DATA, signature, allow(tmp_path, key)) == f"key@example.org ({shown})"
    assert find_signer(DATA, signature, public(key)) == shown
    assert compute_fingerprint(signature) == shown


def test_other_keys_other_data_and_other_purposes_are_refused(tmp_path: Path, key: Path) -> None:
    other = make_key(tmp_path, "other")
    signature = sign_bytes(DATA, SigningKey(path=key))
    command = ["ssh-keygen", "-q", "-Y", "sign", "-n", "git", "-f", str(key)]
    of_git = subprocess.run(command, input=DATA, capture_output=True, check=True).stdout

    misfit = "its signature does not fit what is signed"
    foreign = f"its signature is by {read_fingerprint(key)}, which is not allowed"
    assert refusal(signature, public(key), b"something else") == misfit
    assert refusal(of_git, public(key)) == misfit
    assert refusal(signature, allow(tmp_path, key, options='namespaces="git" ')) == misfit
    assert refusal(signature, allow(tmp_path, other)) == foreign
    assert refusal(signature, public(other)) == foreign


@pytest.mark.parametrize(
    "signature",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\xff\x00", id="no text"),
        pytest.param(_armour(b"A=A"), id="no base64"),
        pytest.param(_armour(b"AAAA"), id="another blob"),
        pytest.param(_armour(b"U1NIU0lHAAAAAf////8="), id="a length beyond its end"),
    ],
)
def test_what_is_no_signature_is_refused(key: Path, signature: bytes) -> None:
    assert refusal(signature, public(key)) == "its signature is none of an SSH key"


def test_a_key_in_the_agent_signs(tmp_path: Path, key: Path) -> None:
    hidden = tmp_path / "hidden"
    key.rename(hidden)
    text = public(key).read_text(encoding="utf-8").strip()
    script = 'ssh-add -q "$1" && exec "$2" -c "$3" "$4"'
    command = ["ssh-agent", "sh", "-c", script, "sh", str(hidden), sys.executable, _BY_AGENT, text]

    signed = subprocess.run(command, capture_output=True, check=True)

    assert find_signer(DATA, signed.stdout, public(key)) == read_fingerprint(public(key))


@pytest.mark.parametrize("kind", ["passphrase", "missing", "agent"])
def test_a_key_that_cannot_sign_is_told(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SSH_AUTH_SOCK", "DISPLAY", "SSH_ASKPASS"):
        monkeypatch.delenv(name, raising=False)
    locked = make_key(tmp_path, passphrase="secret")  # noqa: S106  made up
    keys = {
        "passphrase": SigningKey(path=locked),
        "missing": SigningKey(path=tmp_path / "none"),
        "agent": SigningKey(literal=public(locked).read_text(encoding="utf-8").strip()),
    }

    with pytest.raises(UserError, match="`ssh-keygen` could not sign: ") as refused:
        sign_bytes(DATA, keys[kind])

    assert "`ssh-add`" in refused.value.hint


def test_a_missing_program_and_a_missing_file_are_told(
    tmp_path: Path, key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signature = sign_bytes(DATA, SigningKey(path=key))

    with pytest.raises(UserError, match="no such file"):
        find_signer(DATA, signature, tmp_path / "none")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}.")
    with pytest.raises(UserError, match="`ssh-keygen` was not found"):
        sign_bytes(DATA, SigningKey(path=key))


def test_the_key_is_the_one_that_git_signs_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(tmp_path)
    machine.git("init", "--quiet")
    monkeypatch.setenv("HOME", str(tmp_path))

    def configure(**settings: str) -> None:
        for name, value in settings.items():
            machine.git("config", name.replace("_", "."), value)

    with pytest.raises(UserError, match="git has no SSH key to sign with"):
        find_signing_key(machine.project)
    configure(gpg_format="ssh", user_signingkey="~/k.pub")
    assert find_signing_key(machine.project) == SigningKey(path=tmp_path / "k.pub")
    configure(user_signingkey="key::ssh-ed25519 AAAA")
    assert find_signing_key(machine.project) == SigningKey(literal="ssh-ed25519 AAAA")
    assert find_allowed_signers(machine.project) is None
    configure(gpg_ssh_allowedSignersFile="signers")
    assert find_allowed_signers(machine.project) == machine.project / "signers"
