"""The record of the configuration files whose content the user trusts on this machine."""

import hashlib
import json
import os
from pathlib import Path

from untildone.store.durable_files import write_atomically


def _get_record_path(home: Path, path: Path) -> Path:
    name = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:32]
    return home / "trust" / f"{name}.json"


def read_trusted_hash(home: Path, path: Path) -> str:
    """Return the SHA-256 of the trusted content of this file; empty if there is none."""
    return _read_field(home, path, "sha256")


def read_trusted_text(home: Path, path: Path) -> str:
    """Return the trusted content, to show what changed since."""
    return _read_field(home, path, "text")


def _read_field(home: Path, path: Path, field: str) -> str:
    try:
        record = json.loads(_get_record_path(home, path).read_bytes())
    except (OSError, ValueError):
        return ""
    return str(record.get(field, "")) if isinstance(record, dict) else ""


def record_trust(home: Path, path: Path, *, sha256: str, text: str) -> None:
    record_path = _get_record_path(home, path)
    record_path.parent.mkdir(mode=0o700, exist_ok=True)
    record = {"path": os.fspath(path.resolve()), "sha256": sha256, "text": text}
    write_atomically(record_path, json.dumps(record).encode("utf-8", "surrogateescape"))


def forget_trust_below(home: Path, folder: Path) -> None:
    """Remove the records of files in a folder that is removed, or was."""
    for record_path in (home / "trust").glob("*.json"):
        try:
            record = json.loads(record_path.read_bytes())
        except (OSError, ValueError):
            continue
        path = record.get("path", "") if isinstance(record, dict) else ""
        if Path(path).is_relative_to(folder):
            record_path.unlink(missing_ok=True)
