"""The pages whose tables are made of results of the tests."""

from pathlib import Path
from typing import NamedTuple

TOP = Path(__file__).parents[2]


class Page(NamedTuple):
    """A page with a table between two marks."""

    path: Path
    begin: str
    end: str

    def read_table(self) -> str:
        text = self.path.read_text(encoding="utf-8")
        return text[text.index(self.begin) + len(self.begin) : text.index(self.end)]

    def replace_table(self, table: str) -> None:
        text = self.path.read_text(encoding="utf-8")
        before = self.begin + self.read_table()
        self.path.write_text(text.replace(before, self.begin + table), encoding="utf-8")


AGENTS_PAGE = Page(TOP / "docs" / "agents.md", "<!-- matrix: begin -->\n", "<!-- matrix: end -->\n")
README = Page(TOP / "README.md", "<!-- clients: begin -->\n", "<!-- clients: end -->\n")
