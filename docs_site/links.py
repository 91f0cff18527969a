"""Reads the built pages: which links lead nowhere, what other hosts a page would load from."""

from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

# What a browser loads by itself; other links are followed only by the reader.
_LOADED = {"script", "img", "iframe", "source", "video", "audio", "object", "embed", "input"}
_LOADED_RELATIONS = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "modulepreload"}


class Link(NamedTuple):
    page: str
    target: str
    is_loaded: bool

    def __str__(self) -> str:
        return f"{self.page}: {self.target}"


class Findings(NamedTuple):
    broken: tuple[Link, ...]
    # Loaded from another host: there must be none.
    foreign: tuple[Link, ...]
    # Addresses elsewhere that a reader may follow; they are not fetched.
    external: tuple[str, ...]


class _PageReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.targets: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[key] for key in ("id", "name") if values.get(key)}
        relations = set(values.get("rel", "").split())
        is_loaded = tag in _LOADED or (tag == "link" and bool(relations & _LOADED_RELATIONS))
        for key in ("href", "src", "data"):
            if values.get(key):
                self.targets.append((values[key], is_loaded))


def check_links(site: Path) -> Findings:
    pages = {page: _read_page(page) for page in sorted(site.rglob("*.html"))}
    links = [
        Link(page.relative_to(site).as_posix(), target, is_loaded)
        for page, reader in pages.items()
        for target, is_loaded in reader.targets
    ]
    outside = [link for link in links if urlsplit(link.target).netloc]
    inside = [
        link
        for link in links
        if not urlsplit(link.target).netloc and urlsplit(link.target).scheme in ("", "file")
    ]
    anchors = {page.resolve(): reader.anchors for page, reader in pages.items()}
    return Findings(
        broken=tuple(link for link in inside if not _leads_somewhere(site, link, anchors)),
        foreign=tuple(link for link in outside if link.is_loaded),
        external=tuple(sorted({link.target for link in outside if not link.is_loaded})),
    )


def _read_page(page: Path) -> _PageReader:
    reader = _PageReader()
    reader.feed(page.read_text(encoding="utf-8"))
    return reader


def _leads_somewhere(site: Path, link: Link, anchors: dict[Path, set[str]]) -> bool:
    parts = urlsplit(link.target)
    path = unquote(parts.path)
    page = (site / link.page).resolve()
    target = (site / path.lstrip("/") if path.startswith("/") else page.parent / path).resolve()
    target = page if not path else target / "index.html" if target.is_dir() else target
    if not target.is_file():
        return False
    return not parts.fragment or unquote(parts.fragment) in anchors.get(target, {parts.fragment})
