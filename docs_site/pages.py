"""The folder that the site is built from: all pages beside each other, with their links adapted.

On GitHub a page of `docs/` links to `../ARCHITECTURE.md`, and ARCHITECTURE.md to `docs/agents.md`.
"""

import re
import shutil
from pathlib import Path

from docs_site.navigation import ROOT_PAGES, format_navigation

ROOT = Path(__file__).parents[1]
_SETTINGS = Path(__file__).with_name("zensical.toml")
_ASSETS = ("site.css", "iframe-worker.js")
_CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?P<before>\]\()(?P<target>[^)\s]+)(?=\))")


def write_sources(folder: Path) -> Path:
    """Write all pages and the settings into the folder; return the settings file."""
    pages = folder / "pages"
    shutil.copytree(ROOT / "docs", pages)
    (pages / "assets").mkdir()
    for name in _ASSETS:
        shutil.copy(Path(__file__).with_name(name), pages / "assets" / name)
    for name in ROOT_PAGES:
        shutil.copy(ROOT / name, pages / name)
    names = {path.relative_to(pages).as_posix() for path in pages.rglob("*.md")}
    for name in names:
        page = pages / name
        page.write_text(adapt_links(page.read_text(encoding="utf-8")), encoding="utf-8")
    settings = folder / _SETTINGS.name
    text = _SETTINGS.read_text(encoding="utf-8")
    settings.write_text(text.replace('"@nav"', format_navigation(names)), encoding="utf-8")
    return settings


def adapt_links(text: str) -> str:
    """Return the page with links as they are when all pages lie in one folder."""
    code = [match.span() for match in _CODE.finditer(text)]

    def adapt(link: re.Match[str]) -> str:
        if any(start <= link.start() < end for start, end in code):
            return link[0]
        return link["before"] + _adapt_target(link["target"])

    return _LINK.sub(adapt, text)


def _adapt_target(target: str) -> str:
    path, mark, anchor = target.partition("#")
    path = path.removeprefix("docs/")
    if path.removeprefix("../") in ROOT_PAGES:
        path = path.removeprefix("../")
    if path in ("README.md", "../README.md"):
        path = "index.md"
    return f"{path}{mark}{anchor}"
