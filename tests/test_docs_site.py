"""The site: built strictly, without a broken link, and complete without a network."""

import re
from pathlib import Path

import pytest
from docs_site.__main__ import build_site
from docs_site.links import check_links
from docs_site.pages import ROOT
from docs_site.picture import draw_screen
from docs_site.scenes import FERRY, SCENES
from playwright.sync_api import Page, sync_playwright

from tools import on_machine

PICTURES = ROOT / "docs" / "pictures"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    build_site(folder)
    return folder / "site"


def test_no_link_is_broken_and_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    findings = check_links(site)

    assert (findings.broken, findings.foreign) == ((), ())
    assert "https://code.claude.com/docs/en/goal" in findings.external


def test_broken_links_and_foreign_files_are_found(tmp_path: Path) -> None:
    page = (
        '<h1 id="a"></h1><a href="b.html#c">x</a><a href="#a">y</a><img src="https://x.org/p.png">'
    )
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    (tmp_path / "b.html").write_text('<a href="a.html#a">x</a><a href="gone.html">y</a>')

    findings = check_links(tmp_path)

    assert list(map(str, findings.broken)) == ["a.html: b.html#c", "b.html: gone.html"]
    assert list(map(str, findings.foreign)) == ["a.html: https://x.org/p.png"]


def test_scenes_are_the_pictures_and_the_project_of_the_pages() -> None:
    pictures = {path.stem.removeprefix("terminal-") for path in PICTURES.glob("terminal-*.svg")}
    text = (PICTURES.parent / "five-minutes.md").read_text(encoding="utf-8")

    assert pictures == set(SCENES)
    for name, code in FERRY.items():
        assert f"`{name}`:\n\n```python\n{code}```\n" in text


@pytest.mark.parametrize(
    "picture", [PICTURES / "loop.svg", *PICTURES.glob("terminal-*.svg")], ids=lambda path: path.name
)
def test_pictures_load_nothing_and_have_dark_colours(picture: Path) -> None:
    text = picture.read_text(encoding="utf-8")

    assert re.findall(r"(?:href|src|url)\W+(?!#)[^\s>]*//|<script|@import|@font-face", text) == []
    assert "prefers-color-scheme" in text
    assert "<title" in text


def test_a_screen_is_drawn_as_text_in_its_colours() -> None:
    drawn = draw_screen("$ \x1b[1;31m<script>\n\ngo on\x1b[0m \x1b[2mdim\x1b[0m\n", title="a & b")

    assert "<title>a &amp; b</title>" in drawn
    assert '<tspan class="red bold">&lt;script&gt;</tspan>' in drawn
    assert '<tspan class="dim">dim</tspan>' in drawn
    assert '<tspan class="red bold">go on</tspan>' in drawn
    assert drawn.count("<text") == 2


def find(page: Page, words: str) -> list[str]:
    page.keyboard.press("/")
    page.keyboard.type(words)
    page.wait_for_selector("text=/\\d+ results/")
    return page.locator("a:has(mark), li:has(mark)").all_inner_texts()


@pytest.mark.slow
def test_the_search_works_from_a_folder(site: Path) -> None:
    chromium = on_machine("chromium").strip("'")
    asked: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto((site / "index.html").as_uri())
        found = find(page, "walls by system")
        browser.close()

    assert any("Security model" in text for text in found)
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
