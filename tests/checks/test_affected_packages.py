"""Checks of the packages that a change may break, and of no other where that can be told."""

from pathlib import Path

import pytest

from untildone.checks.affected_packages import find_unused_packages, select_affected
from untildone.core.contract import Check

API, WEB, CORE, DOCS = (
    Check(name=f"{name}:test", command="test", cwd=name)
    for name in ("services/api", "web", "core", "docs")
)
TOP = Check(name="lint", command="lint")
FILES = {
    "services/api/pyproject.toml": '[project]\nname = "shop-api"\ndependencies = ["shop-core"]\n',
    "services/api/api.py": "",
    "core/pyproject.toml": '[project]\nname = "shop-core"\n',
    "core/core.py": "",
    "web/package.json": '{"name": "@shop/web"}',
    "web/src/page.ts": "",
    "README.md": "",
    "docs/index.md": "",
}


def select(tmp_path: Path, *changed: str, checks: tuple[Check, ...], **files: str) -> list[str]:
    for name, text in {**FILES, **files}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [check.cwd for check in select_affected(checks, tmp_path, changed)]


@pytest.mark.parametrize(
    ("changed", "affected"),
    [
        pytest.param(("web/src/page.ts",), ["web"], id="of one package"),
        pytest.param(("services/api/api.py",), ["services/api"], id="nothing uses it"),
        pytest.param(("core/core.py",), ["services/api", "core"], id="a manifest names it"),
        pytest.param(("core/gone.py", "web/x"), ["services/api", "web", "core"], id="two"),
        pytest.param(("README.md",), ["services/api", "web", "core"], id="outside of all"),
        pytest.param((), ["services/api", "web", "core"], id="no change"),
    ],
)
def test_only_affected_packages_are_checked(
    tmp_path: Path, changed: tuple[str, ...], affected: list[str]
) -> None:
    assert select(tmp_path, *changed, checks=(API, WEB, CORE)) == affected


def test_a_path_that_climbs_to_a_package_uses_it(tmp_path: Path) -> None:
    page = {"web/src/page.ts": "import rates from '../../core/rates.json'\n"}

    found = select(tmp_path, "core/rates.json", checks=(API, WEB, CORE), **page)

    assert found == ["services/api", "web", "core"]


def test_a_package_is_affected_through_another(tmp_path: Path) -> None:
    files = {"web/package.json": '{"dependencies": {"api-client": "file:../services/api"}}'}

    assert select(tmp_path, "core/core.py", checks=(API, WEB, CORE), **files) == [
        *("services/api", "web", "core"),
    ]


def test_a_package_inside_another_is_part_of_it(tmp_path: Path) -> None:
    outer = Check(name="services:test", command="test", cwd="services")
    files = {"services/pyproject.toml": ""}

    assert select(tmp_path, "services/api/api.py", checks=(outer, API, WEB), **files) == [
        *("services", "services/api"),
    ]


def test_packages_that_a_package_does_not_use(tmp_path: Path) -> None:
    select(tmp_path, checks=())

    assert find_unused_packages((TOP, API, WEB, CORE, DOCS), tmp_path) == {
        "services/api": ("web",),
        "web": ("core", "services/api"),
        "core": ("services/api", "web"),
    }


def test_what_runs_at_the_top_or_without_a_manifest_always_runs(tmp_path: Path) -> None:
    assert select(tmp_path, "web/src/page.ts", checks=(TOP, API, WEB, DOCS)) == ["", "web", "docs"]
