"""A real browser: Debian's Chromium, driven by Playwright; pictures of its pages are kept."""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tools import missing

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
Picture: TypeAlias = Callable[[Page, str], Path]


# Not for the session: its event loop runs until it is closed, which other tests would notice.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = shutil.which("chromium") or missing("`chromium` is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def window(browser: Browser) -> Iterator[BrowserContext]:
    """A window without memory of other tests; it is in no network."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    yield context
    context.close()


@pytest.fixture
def page(window: BrowserContext) -> Iterator[Page]:
    """A page that must not complain: what it logs as an error fails the test."""
    page = window.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda entry: complaints.extend([entry.text] * (entry.type == "error")))
    yield page
    assert complaints == []


@pytest.fixture
def keep_picture(tmp_path: Path, request: pytest.FixtureRequest) -> Picture:
    """Keeps a picture of a page in the folder `UNTILDONE_ARTIFACTS`, else in the test's own."""
    folder = Path(os.environ.get("UNTILDONE_ARTIFACTS") or tmp_path)
    test = re.sub(r"\W+", "-", request.node.name).strip("-")

    def keep(page: Page, name: str) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{test}-{name}.png"
        page.screenshot(path=path, full_page=True)
        return path

    return keep
