"""The site: built strictly, without a broken link, and complete without a network."""

import json
import re
from pathlib import Path

import pytest

from docs_site.__main__ import build_site
from docs_site.links import check_links
from docs_site.navigation import list_pages
from docs_site.pages import ROOT


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    build_site(folder)
    return folder / "site"


def test_no_link_is_broken_and_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    findings = check_links(site)

    assert (findings.broken, findings.foreign) == ((), ())
    assert findings.external
