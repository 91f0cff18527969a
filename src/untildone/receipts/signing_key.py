"""Which SSH keys git signs with and trusts, as its configuration says."""

from pathlib import Path

from msgspec import Struct

from untildone.errors import UserError
from untildone.process.git import read_git_config

_SETTINGS = r"^(gpg\.format|user\.signingkey|gpg\.ssh\.allowedsignersfile)$"


class SigningKey(Struct, frozen=True, kw_only=True):
    """A file, or the text of a public key whose private key is in the agent."""

    path: Path | None = None
    literal: str = ""


def find_signing_key(cwd: Path) -> SigningKey:
    """Return the key that git signs commits with; raise UserError if that is no SSH key."""
    settings = _read_settings(cwd)
    value = settings.get("user.signingkey", "")
    if settings.get("gpg.format") != "ssh" or not value:
        raise UserError(
            "git has no SSH key to sign with",
            hint="`git config --global gpg.format ssh` and `git config --global user.signingkey"
            " ~/.ssh/id_ed25519.pub`, or name one with `--key FILE`",
        )
    if value.startswith(("key::", "ssh-")):
        return SigningKey(literal=value.removeprefix("key::"))
    return SigningKey(path=_resolve(value, cwd))


def find_allowed_signers(cwd: Path) -> Path | None:
    """Return the file of allowed signers that git verifies with."""
    value = _read_settings(cwd).get("gpg.ssh.allowedsignersfile", "")
    return _resolve(value, cwd) if value else None


def _resolve(value: str, cwd: Path) -> Path:
    return cwd / Path(value).expanduser()


def _read_settings(cwd: Path) -> dict[str, str]:
    """Return the settings; the last of several values counts."""
    return dict(read_git_config(_SETTINGS, cwd=cwd) or ())
