"""Plays every scenario with the real clients and compares the result with docs/agents.md.

`make clients` prints what changed; `make clients WRITE=1` writes the table anew. A scenario that a
client's contract does not allow is a test that says so, and stands in the table as a gap.
"""

import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from tools import CLIENTS

FOLDER = Path(__file__).parent
TOP = FOLDER.parents[1]
PAGE = TOP / "docs" / "agents.md"
BEGIN, END = "<!-- matrix: begin -->\n", "<!-- matrix: end -->\n"
_CASE = re.compile(r"test_(?P<row>\w+)\[(?P<client>[a-z]+)")


def main(arguments: list[str]) -> int:
    found = build_table(play())
    page = PAGE.read_text(encoding="utf-8")
    before = page[page.index(BEGIN) + len(BEGIN) : page.index(END)]
    if "--write" in arguments:
        PAGE.write_text(page.replace(BEGIN + before, BEGIN + found), encoding="utf-8")
        return 0
    changes = list_changes(before, found)
    sys.stdout.write("\n".join(changes or ("nothing changed",)) + "\n")
    return int(bool(changes))


def play() -> dict[tuple[str, str], bool]:
    """Whether each scenario passed, by scenario and client."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        command = [sys.executable, "-m", "pytest", "-q", "-m", "slow", f"--junitxml={report}"]
        subprocess.run([*command, str(FOLDER)], cwd=TOP, check=False, env={**os.environ})
        root = ElementTree.parse(report).getroot()  # noqa: S314  our own report
    return read_results(root)


def read_results(root: ElementTree.Element) -> dict[tuple[str, str], bool]:
    results: dict[tuple[str, str], bool] = {}
    for case in root.iter("testcase"):
        match = _CASE.match(case.get("name", ""))
        if match is None:
            continue
        passed = not any(case.find(kind) is not None for kind in ("failure", "error", "skipped"))
        key = (match["row"].replace("_", " "), match["client"])
        # A scenario with several cases works if all of them do.
        results[key] = results.get(key, True) and passed
    return results


def build_table(results: dict[tuple[str, str], bool]) -> str:
    clients = [name for name in CLIENTS if any(client == name for _, client in results)]
    titles = [f"{name} {CLIENTS[name].version}" for name in clients]
    rows = list(dict.fromkeys(row for row, _ in results))
    lines = [f"| | {' | '.join(titles)} |", f"| --- |{' --- |' * len(clients)}"]
    marks = {True: "yes", False: "**no**", None: "not tried"}
    for row in rows:
        cells = " | ".join(marks[results.get((row, client))] for client in clients)
        lines.append(f"| {row} | {cells} |")
    return "\n".join(lines) + "\n"


def list_changes(before: str, after: str) -> list[str]:
    """The lines of the table that differ, as `-` and `+`."""
    old, new = before.splitlines(), after.splitlines()
    return [
        *(f"- {line}" for line in old if line not in new),
        *(f"+ {line}" for line in new if line not in old),
    ]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
