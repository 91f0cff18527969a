"""Pages as files: whole, closed to the outside, and with all foreign text escaped."""

import base64
import hashlib
import re

import pytest

from report.page.sample_loops import make_history, make_record
from report.page.sample_pages import render_pages
from untildone.report.page.render import mark_code, render_loop_body, render_loop_page
from untildone.report.page.view import build_loop_view

PAGES = render_pages()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_allows_only_its_own_style(name: str) -> None:
    (style,) = re.findall("<style>(.*?)</style>", PAGES[name], re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()

    assert f"default-src &#39;none&#39;; style-src &#39;sha256-{digest}&#39;" in PAGES[name]
    assert not re.search(r"<(?:script|img|link|iframe)|url\(|@import", PAGES[name])
    assert not re.search(r"<\w[^>]*\s(?:on\w+|style)=", PAGES[name])
    assert not re.search(r'(?:src|href)="(?!#)', PAGES[name])


def test_hostile_text_is_escaped_and_without_invisible_characters() -> None:
    page = PAGES["hostile"]

    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "{{ 7*7 }}" in page
    assert not set(page) & set("\x1b\u202e\u202c\u200b\x00")


def test_a_page_takes_in_what_its_caller_adds() -> None:
    history = make_history()
    view = build_loop_view(make_record(history), history)

    page = render_loop_page(view, head_extra="<meta name=a>", controls="<nav>b</nav>")

    assert page.index("<meta name=a>") < page.index("<nav>b</nav>") < page.index("<main>")
    assert render_loop_body(view) in page


def test_code_is_marked_in_escaped_text() -> None:
    assert mark_code("run `a <b>` & go") == "run <code>a &lt;b&gt;</code> &amp; go"
