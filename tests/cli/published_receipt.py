"""A branch with a signed receipt, pushed to a bare repository, and clones of it elsewhere."""

import json
import subprocess
from pathlib import Path
from typing import Any

from client.world import BIN, MEASURED
from receipts.samples import allow, make_key
from untildone.store.home import prepare_home
from world import Machine, World

NOTES = "refs/notes/untildone"
FETCH = ("fetch", "--quiet", "origin", f"+{NOTES}:{NOTES}")


class PublishedReceipt:
    """`author` is the machine on which a loop was done, `origin` what everybody can read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.author = World(folder)
        prepare_home(self.author.state_folder)
        self.origin = folder / "origin.git"
        self.key, self.foreign = make_key(folder), make_key(folder, "foreign")
        self.signers = allow(folder, self.key)
        self._set_up_git()
        self.author.start(task="do it <script>\x1b[31m")
        self.author.finish()
        self.author.stop()
        self.commit(self.author, "done")
        self.tree = self.author.git("rev-parse", "HEAD^{tree}")
        self.sign("--note")
        self.author.git("push", "--quiet", "origin", "work", NOTES)

    def _set_up_git(self) -> None:
        git = self.author.git
        git("init", "--quiet", "--initial-branch=main")
        git("init", "--quiet", "--bare", "--initial-branch=main", str(self.origin))
        git("remote", "add", "origin", str(self.origin))
        settings = {
            **{"user.name": "Alice", "user.email": "alice@example.org", "gpg.format": "ssh"},
            "user.signingkey": f"{self.key}.pub",
        }
        for name, value in settings.items():
            git("config", "--global", name, value)
        signers = self.signers.read_text(encoding="utf-8")
        folders = (".github", ".gitlab")
        self.author.write_all({f"{folder}/allowed_signers": signers for folder in folders})
        self.commit(self.author, "first")
        git("push", "--quiet", "origin", "main")
        git("switch", "--quiet", "--create", "work")

    @property
    def environ(self) -> dict[str, str]:
        """What the author's terminal has."""
        return {
            "HOME": str(self.folder),
            "PATH": f"{BIN}:/usr/bin:/bin",
            "UNTILDONE_HOME": str(self.author.state_folder),
            **MEASURED,
        }

    def sign(self, *options: str, key: Path | None = None) -> str:
        chosen = ("--key", str(key)) if key else ()
        command = [BIN / "untildone", "receipt", "sign", *options, *chosen]
        place, environ = self.author.project, self.environ
        signed = subprocess.run(command, cwd=place, env=environ, check=True, capture_output=True)
        return signed.stdout.decode()

    @staticmethod
    def commit(machine: Machine, message: str) -> None:
        machine.git("add", "--all")
        machine.git("commit", "--quiet", "--message", message)

    def clone(self, folder: Path, *, notes: bool = True) -> Machine:
        """The branch as a reviewer or CI has it, on a machine without our state."""
        clone = Machine(folder, project="clone")
        clone.git("clone", "--quiet", "--branch", "work", str(self.origin), ".")
        if notes:
            clone.git(*FETCH)
        return clone

    def read_envelope(self) -> dict[str, Any]:
        note = self.author.git("notes", f"--ref={NOTES}", "show", "HEAD^{tree}")
        return dict(json.loads(note))


def attach(machine: Machine, document: object, revision: str = "HEAD") -> None:
    """Attach any JSON to a revision's tree, with nothing but git."""
    note = machine.folder / "note.json"
    note.write_text(json.dumps(document), encoding="utf-8")
    tree = machine.git("rev-parse", f"{revision}^{{tree}}")
    machine.git("notes", f"--ref={NOTES}", "add", "--force", f"--file={note}", tree)
