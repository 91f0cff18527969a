"""The rows, tool by tool, and the page that docs/ has of them."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

TOP = Path(__file__).parents[2]
ROWS = Path(__file__).with_name("rows")
PAGE = TOP / "docs" / "coming-from.md"
_ORDER = ("shipkit", "shipspec", "stravinsky", "hope", "jikime", "ralph-loop")
_SOURCE = "src/untildone"
_HEAD = """\
# Coming from another loop

What other tools promise, what does it here, and the test that proves it. `make coming-from`
switches each row's feature off in a copy of this repository and shows that its test fails then.
Their files are read as they are: [Loop files of other tools](other-tools.md).

`python -m bench.coming_from --write` writes this page from `bench/coming_from/rows/`.
"""


class Row(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`old` stands once in `file`, below the package; with `new` in its place the feature is off.

    `better` says where we differ on purpose.
    """

    name: str
    theirs: str
    ours: str
    better: str = ""
    test: str
    file: str
    old: str
    new: str

    def switched_off(self, top: Path) -> str:
        """The file's text without the feature; raises ValueError if the row is out of date."""
        text = self.path(top).read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise ValueError(f"stands {text.count(self.old)} times in {self.file}: {self.old}")
        return text.replace(self.old, self.new)

    def path(self, top: Path) -> Path:
        return top / _SOURCE / self.file


class Tool(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    title: str
    about: str
    row: tuple[Row, ...]


def read_tools(folder: Path) -> dict[str, Tool]:
    files = {path.stem: path for path in folder.glob("*.toml")}
    names = sorted(files, key=lambda name: (_ORDER.index(name) if name in _ORDER else 99, name))
    return {name: msgspec.toml.decode(files[name].read_bytes(), type=Tool) for name in names}


def render_page(known: dict[str, Tool]) -> str:
    return "\n".join((_HEAD, *(line for tool in known.values() for line in _section(tool))))


def _section(tool: Tool) -> Iterator[str]:
    yield from (f"## {tool.title}", "", tool.about.strip(), "")
    yield from ("| there | here | proved by |", "| --- | --- | --- |")
    for row in tool.row:
        here = f"{row.ours} **Better:** {row.better}" if row.better else row.ours
        proof = row.test.removeprefix("tests/")
        yield f"| {_cell(row.theirs)} | {_cell(here)} | `{proof}` |"
    yield ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
