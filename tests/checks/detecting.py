"""Small projects, and the commands detected in them."""

import json
from pathlib import Path
from typing import TypeAlias

from untildone.checks.detected_checks import detect_checks

Files: TypeAlias = dict[str, str]


def package(**fields: object) -> str:
    return json.dumps(fields)


def scripts(**named: str) -> str:
    return package(scripts=named)


def project(folder: Path, files: Files) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def commands(folder: Path) -> dict[str, str]:
    return {
        check.name: check.command for found in detect_checks(folder).values() for check in found
    }
