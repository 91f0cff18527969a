"""Real language servers at fixed versions, with a file that changes."""

import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from tools import missing, tool
from untildone.checks.lsp.client import Client
from untildone.checks.lsp.servers import SERVERS, SelectedServer
from untildone.checks.lsp.watch import Watch

CART = """import os
from prices import price


def total(count: int) -> int:
    return price() + count
"""
PRICES = "def price() -> int:\n    return 1\n"
OTHER_PRICES = 'def price() -> str:\n    return "1"\n'
BROKEN = "def total() -> int:\n    return nothing\n"
CONFIGURATION = {
    "ruff.toml": 'lint.select = ["F"]\n',
    "pyrightconfig.json": '{"typeCheckingMode": "basic"}',
}


class Case(NamedTuple):
    """What is found: at first, after the other file has changed, in a file newly written."""

    server: str
    program: Callable[[], str]
    first: set[str]
    then: set[str]
    last: set[str]


def ruff() -> str:
    found = shutil.which("ruff", path=str(Path(sys.executable).parent))
    return found or missing("`ruff` is not installed beside this Python")


def find_program_beside(program: str, name: str) -> str:
    return str(Path(word(program)).with_name(name))


def word(program: str) -> str:
    (path,) = shlex.split(tool(program))
    return path


CASES = [
    Case("ruff", ruff, {"F401 error 1"}, {"F401 error 1"}, {"F821 error 2"}),
    Case(
        "basedpyright",
        lambda: find_program_beside("basedpyright", "basedpyright-langserver"),
        set(),
        {"reportOperatorIssue error 6"},
        {"reportUndefinedVariable error 2"},
    ),
    Case(
        "ty",
        lambda: word("ty"),
        set(),
        {"unsupported-operator error 6"},
        {"unresolved-reference error 2"},
    ),
    Case(
        "pyrefly",
        lambda: word("pyrefly"),
        set(),
        {"unsupported-operation error 6"},
        {"unknown-name error 2"},
    ),
]


@contextmanager
def talking_to(server: str, program: str, project: Path) -> Iterator[Client]:
    (found,) = (one for one in SERVERS if one.name == server)
    client = Client(SelectedServer(server=found, program=program), project)
    try:
        yield client
    finally:
        client.close()


def find_diagnostics(client: Client, file: Path) -> set[str]:
    answer = client.diagnose([file], deadline=time.monotonic() + 60)
    assert answer.reasons == ()
    return {f"{found.code} {found.severity} {found.line}" for found in answer.found[file]}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.server)
def test_says_what_is_wrong_with_python(case: Case, tmp_path: Path) -> None:
    project = tmp_path / "a shop"
    project.mkdir()
    for name, text in {**CONFIGURATION, "cart.py": CART, "prices.py": PRICES}.items():
        (project / name).write_text(text, encoding="utf-8")
    cart, watch = project / "cart.py", Watch(project)
    with talking_to(case.server, case.program(), project) as client:
        first = find_diagnostics(client, cart)
        (project / "prices.py").write_text(OTHER_PRICES, encoding="utf-8")
        client.note_changes(watch.find_changes())
        then = find_diagnostics(client, cart)
        cart.write_text(BROKEN, encoding="utf-8")
        last = find_diagnostics(client, cart)

    assert (first, then, last) == (case.first, case.then, case.last)


def test_says_what_is_wrong_with_typescript(tmp_path: Path) -> None:
    cart, prices = tmp_path / "cart.ts", tmp_path / "prices.ts"
    (tmp_path / "tsconfig.json").write_text('{"compilerOptions": {"strict": true}}', "utf-8")
    cart.write_text('import { price } from "./prices";\nexport const a: number = price;\n', "utf-8")
    prices.write_text("export const price: number = 1;\n", encoding="utf-8")
    watch = Watch(tmp_path)
    with talking_to("tsc", word("tsc"), tmp_path) as client:
        first = find_diagnostics(client, cart)
        prices.write_text('export const price: string = "1";\n', encoding="utf-8")
        client.note_changes(watch.find_changes())
        then = find_diagnostics(client, cart)

    assert (first, then) == (set(), {"TS2322 error 2"})
