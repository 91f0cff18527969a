"""Payloads of Codex 0.166.0."""

import json
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parent / "recorded" / "codex-0.166.0.jsonl"


def load_payload(label: str) -> dict[str, Any]:
    lines = map(json.loads, RECORDED.read_text(encoding="utf-8").splitlines())
    (found,) = [line["stdin"] for line in lines if line["label"] == label]
    return dict(found)
