"""A page as parts of HTML: each part is sent again by itself when it has changed."""

from msgspec import Struct


class Page(Struct, frozen=True, kw_only=True):
    """`parts` are the HTML of the page's sections by their ids; `events` is where to hear more."""

    title: str
    parts: dict[str, str]
    events: str = ""
