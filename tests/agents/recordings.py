"""Payloads that the real clients sent to a hook, by their label."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def payload(agent: str, version: str, label: str) -> dict[str, Any]:
    recorded = FOLDER / agent / "recorded" / f"{agent}-{version}.jsonl"
    lines = map(json.loads, recorded.read_text(encoding="utf-8").splitlines())
    (found,) = [line["stdin"] for line in lines if line["label"] == label]
    return dict(found)
