"""Keeps one comment of untildone on a pull request: writes it, or updates the one that is there.

`python comment.py FOLDER` reads `FOLDER/*/report.md`. The runner's variables say where and who.
"""

import json
import os
import sys
import urllib.request
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

MARKER = "<!-- untildone report -->"
# GitHub takes no comment longer than 65,536 characters.
MAX_LENGTH = 60_000
PAGE_SIZE = 100
SECONDS = 30


def main(folder: Path) -> int:
    body = join_reports(folder)
    if not body:
        return 0
    comments = f"/repos/{os.environ['GITHUB_REPOSITORY']}/issues"
    old = find_comment(f"{comments}/{os.environ['UNTILDONE_PULL']}/comments")
    if old:
        call("PATCH", f"{comments}/comments/{old}", {"body": body})
    else:
        call("POST", f"{comments}/{os.environ['UNTILDONE_PULL']}/comments", {"body": body})
    return 0


def join_reports(folder: Path) -> str:
    """Return the reports of all loops, as many as one comment can hold."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*/report.md"))]
    kept: list[str] = []
    for text in texts:
        if sum(map(len, kept)) + len(text) > MAX_LENGTH:
            kept.append(f"Loops that are only in the job's summary: {len(texts) - len(kept)}\n")
            break
        kept.append(text)
    return "\n".join(kept)


def find_comment(path: str) -> int | None:
    return next((entry["id"] for entry in list_comments(path) if is_ours(entry)), None)


def is_ours(comment: dict[str, Any]) -> bool:
    return str(comment.get("body", "")).startswith(MARKER)


def list_comments(path: str) -> Iterator[dict[str, Any]]:
    for number in count(1):
        found: list[dict[str, Any]] = call("GET", f"{path}?per_page={PAGE_SIZE}&page={number}")
        yield from found
        if len(found) < PAGE_SIZE:
            return


def call(method: str, path: str, data: object = None) -> Any:  # noqa: ANN401  whatever is answered
    request = urllib.request.Request(  # noqa: S310  the runner names the address
        os.environ["GITHUB_API_URL"] + path,
        method=method,
        data=None if data is None else json.dumps(data).encode(),
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {os.environ['UNTILDONE_TOKEN']}",
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310  as above
        return json.load(answer)


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
