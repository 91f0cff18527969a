"""A client's settings file that a test completes: what `init` wrote in it stays."""

import json
from pathlib import Path


def set_values(path: Path, **values: object) -> None:
    settings = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**settings, **values}), encoding="utf-8")
