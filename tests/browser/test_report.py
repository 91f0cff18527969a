"""The pages of `untildone report` in a real browser."""

from pathlib import Path
from typing import Literal, TypeAlias

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page

from browser.conftest import Picture
from report.page.sample_loops import HOSTILE, make_history, make_record
from report.page.sample_pages import render_hostile, render_pages
from tools import axe
from untildone.report.page.render import render_loop_page
from untildone.report.page.view import build_loop_view

PAGES = render_pages()
Scheme: TypeAlias = Literal["light", "dark"]
WIDTHS = (360, 480, 680, 681, 768, 1024, 1280, 1600)


def show(page: Page, folder: Path, name: str) -> Page:
    file = folder / f"{name}.html"
    file.write_text(PAGES[name], encoding="utf-8")
    page.goto(file.as_uri())
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_serious(
    page: Page, tmp_path: Path, keep_picture: Picture, name: str, scheme: Scheme
) -> None:
    page.emulate_media(color_scheme=scheme)
    show(page, tmp_path, name)
    open_all(page)
    keep_picture(page, "1280")

    # The page forbids every script; a tool of the browser may run one all the same.
    page.evaluate(axe().read_text(encoding="utf-8"))
    found = page.evaluate("() => axe.run()")

    assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []


def open_all(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")


@pytest.mark.parametrize("name", PAGES)
def test_nothing_scrolls_sideways(
    page: Page, tmp_path: Path, keep_picture: Picture, name: str
) -> None:
    show(page, tmp_path, name)
    open_all(page)

    overflowing = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
            overflowing.append(width)
        if width == WIDTHS[0]:
            keep_picture(page, str(width))

    assert overflowing == []


def test_every_chart_is_drawn_and_is_a_table_too(page: Page, tmp_path: Path) -> None:
    show(page, tmp_path, "loop")

    charts = page.locator("figure.chart")
    drawn = charts.evaluate_all(
        """all => all.map(each => ({
            id: each.id,
            bars: [...each.querySelectorAll('svg rect')].filter(bar => {
                const box = bar.getBoundingClientRect();
                return box.width > 1 && box.height >= 1
                    && getComputedStyle(bar).fill !== 'rgb(0, 0, 0)';
            }).length,
            rows: each.querySelectorAll('tbody tr').length,
            named: each.querySelector('svg title').textContent,
        }))"""
    )
    assert [(each["id"], each["rows"], each["named"]) for each in drawn] == [
        ("chart-findings", 7, "Findings by check"),
        ("chart-tests", 7, "Tests"),
        ("chart-cost", 6, "Cost so far"),
        ("chart-time", 6, "Time of each round"),
    ]
    assert [each["bars"] for each in drawn] == [6, 20, 6, 6]


def test_a_round_opens_by_keyboard_alone(page: Page, tmp_path: Path) -> None:
    show(page, tmp_path, "loop")
    before = page.locator("#round-2").evaluate("each => each.open")

    for _ in range(100):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.parentElement.id") == "round-2":
            break
    page.keyboard.press("Enter")

    after = page.locator("#round-2").evaluate("each => each.open")
    assert (before, after) == (False, True)


def test_it_prints_everything_that_is_folded(page: Page, tmp_path: Path) -> None:
    show(page, tmp_path, "loop")
    page.emulate_media(media="print")

    heights = page.locator("details.round > .inside").evaluate_all(
        "all => all.map(each => each.getBoundingClientRect().height)"
    )
    printed = page.pdf(format="A4")

    assert len(heights) == 6
    assert min(heights) > 0
    assert printed.startswith(b"%PDF")


def test_it_needs_no_script_and_loads_nothing(browser: Browser, tmp_path: Path) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        loaded: list[str] = []
        page.on("request", lambda request: loaded.append(request.url))
        show(page, tmp_path, "loop")

        assert page.get_by_role("heading", level=1).inner_text().endswith("Done, after 6 rounds")
        assert loaded == [(tmp_path / "loop.html").as_uri()]


def test_hostile_text_is_inert(page: Page, tmp_path: Path, keep_picture: Picture) -> None:
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    show(page, tmp_path, "hostile")
    keep_picture(page, "1280")

    text = page.evaluate("document.documentElement.textContent")
    elements = page.locator("script, img, iframe, object, embed, form, a[href^='javascript']")
    assert (dialogs, elements.count()) == ([], 0)
    assert "<script>alert(1)</script>" in text
    assert "{{ 7*7 }}" in text
    assert not set(text) & set("\x1b\u202e\u202c\u200b\x00")


def test_a_line_of_ten_megabytes_is_cut() -> None:
    history = make_history()
    last = replace(history.rounds[-1], message="x" * 10_000_000, notes=("y " * 5_000_000,))
    record = make_record(history, task=HOSTILE + "z" * 10_000_000)

    view = build_loop_view(record, replace(history, rounds=(*history.rounds[:-1], last)))

    assert len(render_loop_page(view)) < 100_000
    assert len(render_hostile()) < 100_000
