"""The table of README.md: what works with which client, by the scenarios of docs/agents.md."""

import importlib.util
import re
from pathlib import Path

from tools import CLIENTS
from untildone.agents.registry import AGENTS

Results = dict[tuple[str, str], bool]
_RUN = "a headless run goes on until green and knows its cost"
_HELD = "held until green"
_REFUSED = "verbs of the user are refused to the agent"
# The scenario that proves each column, of all clients or of one.
HELD = {"": _HELD, "opencode": f"{_HELD} whatever its agent says"}
GUARD = {"": _REFUSED, "opencode": HELD["opencode"]}
COMMAND = {
    "": "a command typed into the client holds its agent",
    "codex": "trusted hooks run",
    "opencode": "a subagent is not judged",
}
RUN = {"": _RUN}
# Where the cost is known only in part.
_COST = {
    "qwen": "of models with a listed price",
    "copilot": "with a key of your own",
    "opencode": "in `untildone run`",
}
_HEAD = (
    "| client | tried with | held | guarded | start by | cost known | `untildone run` |",
    "| --- | --- | --- | --- | --- | --- | --- |",
)
_ALONE = re.compile(r"^(?P<client>[a-z]+) \S+ alone: (?P<rows>.*)\.$")


def find_claude_version() -> str:
    """The version of the client in the wheel that its own suite drives."""
    spec = importlib.util.find_spec("claude_agent_sdk")
    assert spec is not None
    assert spec.origin is not None
    text = Path(spec.origin).with_name("_cli_version.py").read_text(encoding="utf-8")
    return text.rpartition("= ")[2].strip().strip('"')


def read_table(text: str) -> Results:
    """The results in a table that `matrix.build_table` wrote."""
    head, _, *lines = text.splitlines()
    clients = [cell.partition(" ")[0] for cell in _split(head)[1:]]
    results: Results = {}
    for line in lines:
        if line.startswith("|"):
            row, *cells = _split(line)
            results |= {
                (row, client): cell == "yes"
                for client, cell in zip(clients, cells, strict=True)
                if cell
            }
        elif match := _ALONE.match(line):
            for row in match["rows"].split("; "):
                name = row.removeprefix("**not: ").removesuffix("**")
                results[name, match["client"]] = name == row
    return results


def _split(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def build_short_table(results: Results, claude: str) -> str:
    """The table; `claude` is the version of Claude Code, which has a suite of its own."""
    rows = [_make_row("claude", claude, "yes", "yes", "yes", "yes")]
    for name in (name for name in AGENTS if name in CLIENTS):
        held, guard, command, run = (
            _show(results, name, proof) for proof in (HELD, GUARD, COMMAND, RUN)
        )
        cost = _COST.get(name, run) if run == "yes" else run
        rows.append(_make_row(name, CLIENTS[name].version, held, guard, cost, run, command))
    documented = "by its documentation"
    rows.append(f"| Cursor | not tried | {documented} | {documented} | words | no | {documented} |")
    return "\n".join((*_HEAD, *rows)) + "\n"


def _show(results: Results, client: str, proof: dict[str, str]) -> str:
    passed = results.get((proof.get(client, proof.get("", "")), client))
    return "not tried" if passed is None else "yes" if passed else "**no**"


def _make_row(name: str, version: str, *cells: str) -> str:
    held, guard, cost, run, *command = cells
    layout = AGENTS[name].LAYOUT
    typed = f"`{layout.name_command('test')}`"
    start = typed if command in ([], ["yes"]) else command[0]
    return f"| {layout.title} | {version} | {held} | {guard} | {start} | {cost} | {run} |"
