"""The pages say what is so: every command, key and finding of `doctor` is documented."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import msgspec
import pytest
from docs_site import commands
from docs_site.navigation import ROOT_PAGES, list_pages
from docs_site.pages import adapt_links
from msgspec import Struct
from msgspec.structs import fields

from doctor_messages import list_messages
from untildone.config.proposals import load_proposal, load_user_settings
from untildone.config.schema import Configuration, UserSettings

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [*DOCS.glob("*.md"), *(ROOT / name for name in ("README.md", *ROOT_PAGES))]
_FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:)(?P<path>[^)#\s]*)#(?P<anchor>[^)\s]+)\)")


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def read_blocks(page: str, language: str) -> list[str]:
    blocks = _FENCE.finditer(read(DOCS / page))
    return [block["text"] for block in blocks if block["language"] == language]


def test_the_page_of_commands_is_up_to_date() -> None:
    assert read(DOCS / "commands.md") == commands.format_page(), "run `make commands`"


def test_every_page_is_in_the_navigation() -> None:
    listed = list_pages()

    assert len(listed) == len(set(listed))
    assert set(listed) == {*(page.name for page in DOCS.glob("*.md")), *ROOT_PAGES}


def test_every_finding_of_the_doctor_has_an_entry_with_its_remedy() -> None:
    entries = [block.strip("\n") for block in read_blocks("troubleshooting.md", "")]
    messages = list_messages()

    def is_entry(message: str, entry: str) -> bool:
        return re.fullmatch(message, entry, re.DOTALL) is not None

    assert len(messages) > 30
    assert [
        message.place
        for message in messages
        if not any(is_entry(message.pattern, entry) for entry in entries)
    ] == []
    found = [entry for entry in entries if entry.startswith(("error:", "note:"))]
    assert [entry for entry in found if not any(is_entry(m.pattern, entry) for m in messages)] == []


def list_structs(kind: Any) -> Iterator[type[Struct]]:  # noqa: ANN401  a type
    """The structs that a configuration consists of."""
    for argument in get_args(kind):
        yield from list_structs(argument)
    if isinstance(kind, type) and issubclass(kind, Struct):
        yield kind
        for field in fields(kind):
            yield from list_structs(field.type)


def list_values(kind: Any) -> Iterator[str]:  # noqa: ANN401  a type
    for argument in get_args(kind):
        yield from [argument] if get_origin(kind) is Literal else list_values(argument)


def read_key_tables() -> list[dict[str, str]]:
    """The rows of each table of keys: the key, and what stands beside it."""
    tables = re.findall(r"^\| key \|.*\n\|.*\n((?:\|.*\n)+)", read(DOCS / "configuration.md"), re.M)
    return [{row.split("|")[1].strip(" `"): row for row in table.splitlines()} for table in tables]


def test_every_key_of_the_configuration_is_documented() -> None:
    tables = read_key_tables()
    structs = {*list_structs(Configuration), *list_structs(UserSettings)}
    by_keys = {frozenset(field.name for field in fields(struct)): struct for struct in structs}

    assert {frozenset(table) for table in tables} == set(by_keys)
    for table in tables:
        for field in fields(by_keys[frozenset(table)]):
            unsaid = [value for value in list_values(field.type) if value not in table[field.name]]
            assert unsaid == [], field.name


@pytest.mark.parametrize("sample", read_blocks("configuration.md", "toml"))
def test_samples_of_the_configuration_are_valid(tmp_path: Path, sample: str) -> None:
    (tmp_path / "untildone.toml").write_text(sample, encoding="utf-8")

    proposal = load_proposal(tmp_path)

    assert proposal is not None
    assert msgspec.to_builtins(proposal.configuration) != msgspec.to_builtins(Configuration())
    assert load_user_settings(tmp_path / "none") == UserSettings()


def list_anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to the headings."""
    text = _FENCE.sub("", read(page))
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    plain = (re.sub(r"\]\([^)]*\)", "", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", [pytest.param(page, id=page.name) for page in PAGES])
def test_links_lead_to_headings_on_github_too(page: Path) -> None:
    links = list(_LINK.finditer(_FENCE.sub("", read(page))))

    assert [
        link[0]
        for link in links
        if link["anchor"] not in list_anchors(page.parent / link["path"] if link["path"] else page)
    ] == []


@pytest.mark.parametrize("page", [pytest.param(page, id=page.name) for page in PAGES])
def test_lists_stand_apart_as_the_site_needs_it(page: Path) -> None:
    text = _FENCE.sub("", read(page))

    assert re.findall(r"^[^\s|#>*-](?!\. ).*\n(?:[-*]|1\.) .*$", text, re.MULTILINE) == []


def test_links_are_adapted_outside_of_code_only() -> None:
    text = "[a](../ARCHITECTURE.md#state) [b](docs/run.md) `[c](docs/x.md)` [d](../README.md)"

    assert adapt_links(text) == (
        "[a](ARCHITECTURE.md#state) [b](run.md) `[c](docs/x.md)` [d](index.md)"
    )
