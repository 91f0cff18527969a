"""Plays every scenario with the real clients and compares the result with docs/agents.md.

`make clients` prints what changed; `make clients WRITE=1` writes the table anew, and with it the
short one of README.md. A scenario that a
client's contract does not allow is a test that says so, and stands in the table as a gap.
"""

import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from clients.pages import AGENTS_PAGE, README, TOP
from clients.short_table import build_short_table, find_claude_version
from tools import CLIENTS

FOLDER = Path(__file__).parent
_CASE = re.compile(r"test_\w+\[(?P<client>[a-z]+)")


def main(arguments: list[str]) -> int:
    results = play()
    found = build_table(results)
    if "--write" in arguments:
        AGENTS_PAGE.replace_table(found)
        README.replace_table(build_short_table(results, find_claude_version()))
        return 0
    changes = list_changes(AGENTS_PAGE.read_table(), found)
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
        key = read_name(case.get("classname", ""), case.get("name", ""))
        if key is None:
            continue
        passed = not any(case.find(kind) is not None for kind in ("failure", "error", "skipped"))
        # A scenario with several cases works if all of them do.
        results[key] = results.get(key, True) and passed
    return results


def read_name(module: str, test: str) -> tuple[str, str] | None:
    """The scenario and the client of a test: its parameter, or that of `test_codex.py`."""
    match = _CASE.match(test)
    own = module.rpartition("test_")[2]
    client = match["client"] if match and match["client"] in CLIENTS else own
    row = test.partition("[")[0].removeprefix("test_").replace("_", " ")
    row = f"by ACP: {row}" if own == "acp" else row
    return (row, client) if client in CLIENTS else None


def build_table(results: dict[tuple[str, str], bool]) -> str:
    """A table of the scenarios that several clients share, then each client's own."""
    clients = [name for name in CLIENTS if any(client == name for _, client in results)]
    titles = {name: f"{name} {CLIENTS[name].version}" for name in clients}
    lines = [f"| | {' | '.join(titles.values())} |", f"| --- |{' --- |' * len(clients)}"]
    marks = {True: "yes", False: "**no**", None: ""}
    players: dict[str, list[str]] = {}
    for row, client in results:
        players.setdefault(row, []).append(client)
    for row in (row for row, names in players.items() if len(names) > 1):
        cells = " | ".join(marks[results.get((row, client))] for client in clients)
        lines.append(f"| {row} | {cells} |")
    for client in clients:
        own = [row for row, names in players.items() if names == [client]]
        said = [row if results[row, client] else f"**not: {row}**" for row in own]
        lines += ["", f"{titles[client]} alone: {'; '.join(said)}."] if said else []
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
