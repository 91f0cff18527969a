"""New modules that are loaded instead of others are reported."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from untildone.integrity.environment import shadowing

START = {
    "price.py": "",
    "tests/test_price.py": "",
    "shop/__init__.py": "",
    "json.py": "",
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["lib/python"]\n',
}


def find_ids(top: Path, *added: str) -> list[str]:
    new = {**START, **dict.fromkeys(added, "x = 1\n")}
    return [
        concern.id.partition("#")[0]
        for concern in shadowing.find_concerns(compare_projects(top, START, new))
    ]


@pytest.mark.parametrize(
    "path",
    [
        *(
            "inspect.py",
            "pytest.py",
            "_pytest/__init__.py",
            "unittest/__init__.py",
            "src/random.py",
        ),
        *("tests/graphlib.py", "lib/python/decimal.py", "sitecustomize.py", "enum.cpython-311.so"),
        *("pluggy/__init__.py", "json/__init__.py"),
    ],
)
def test_a_new_module_that_shadows_a_known_one_is_reported(tmp_path: Path, path: str) -> None:
    assert find_ids(tmp_path, path) == [f"runner:{path}"]


@pytest.mark.parametrize(
    "path",
    [
        *(
            "shop/json.py",
            "shop/random.py",
            "price_list.py",
            "docs/random.py",
            "unittest/notes.txt",
        ),
        *("test/__init__.py", "frontend/types.ts", "src/shop/logging.py"),
    ],
)
def test_a_module_that_shadows_nothing_is_not_reported(tmp_path: Path, path: str) -> None:
    assert find_ids(tmp_path, path) == []


def test_a_new_pytest_plugin_is_reported_unless_the_project_is_one(tmp_path: Path) -> None:
    points = {"shop.egg-info/entry_points.txt": "[pytest11]\nshop = shop.plugin\n"}
    plugin = {"pyproject.toml": '[project.entry-points.pytest11]\nshop = "shop.plugin"\n'}

    reported = shadowing.find_concerns(compare_projects(tmp_path / "a", START, {**START, **points}))
    own = shadowing.find_concerns(compare_projects(tmp_path / "b", plugin, {**plugin, **points}))

    assert [concern.path for concern in reported] == ["shop.egg-info/entry_points.txt"]
    assert list(own) == []


@pytest.mark.parametrize(
    ("path", "task", "reported"),
    [
        ("shop/stock.pyi", "mend the types", True),
        ("typings/shop/stock.pyi", "mend the types", True),
        ("shop-stubs/stock.pyi", "mend the types", True),
        ("stubs/pricing.pyi", "mend the types", True),
        ("shop/stock.pyi", "add a stub for stock", False),
        ("shop/_native.pyi", "mend the types", False),
        ("shop/fresh.pyi", "mend the types", False),
        ("typings/requests/api.pyi", "mend the types", False),
    ],
)
def test_a_stub_may_not_hide_baseline_code_from_type_checkers(
    tmp_path: Path, path: str, task: str, reported: bool
) -> None:
    baseline = {"shop/stock.py": "", "src/pricing.py": "", "shop/_native.c": ""}
    new = {**baseline, "shop/fresh.py": "", path: "def total() -> int: ...\n"}
    found = [
        concern.path
        for concern in shadowing.find_concerns(compare_projects(tmp_path, baseline, new, task=task))
    ]

    assert found == ([path] if reported else [])


@pytest.mark.parametrize(
    ("baseline", "command", "reported"),
    [
        ({}, "python -m pytest", False),
        ({}, "mypy shop", True),
        ({"pyproject.toml": "[tool.mypy]\nstrict = true\n"}, "python -m pytest", True),
        ({"pyrightconfig.json": "{}\n"}, "python -m pytest", True),
        ({"shop/old.py": "import a  # type: ignore\n"}, "python -m pytest", True),
        ({"Makefile": "check:\n\tty check .\n"}, "make check", True),
    ],
)
def test_a_stub_hides_nothing_where_no_type_checker_is_used(
    tmp_path: Path, baseline: dict[str, str], command: str, reported: bool
) -> None:
    old = {"shop/stock.py": "", **baseline}
    new = {**old, "shop/stock.pyi": "def total() -> int: ...\n"}
    found = [
        concern.path
        for concern in shadowing.find_concerns(compare_projects(tmp_path, old, new, command))
    ]

    assert found == (["shop/stock.pyi"] if reported else [])


@pytest.mark.parametrize(
    ("settings", "code", "reported"),
    [
        ('{"compilerOptions": {"checkJs": true}}', "", True),
        ("{}", "// @ts-check\n", True),
        ("{}", "", False),
    ],
)
def test_a_declaration_may_not_hide_type_checked_javascript(
    tmp_path: Path, settings: str, code: str, reported: bool
) -> None:
    baseline = {"src/stock.js": code, "tsconfig.json": settings}
    new = {**baseline, "src/stock.d.ts": "export function total(): number;\n"}
    found = [
        concern.path
        for concern in shadowing.find_concerns(compare_projects(tmp_path, baseline, new))
    ]

    assert found == (["src/stock.d.ts"] if reported else [])
