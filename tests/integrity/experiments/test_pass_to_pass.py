"""Which files of the baseline and which current ones a sandbox gets."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.experiments.renamed_names import find_renamed_only_tests
from untildone.integrity.experiments.rust_inline_tests import restore_inline_tests
from untildone.integrity.experiments.sandbox_files import (
    compose_files,
    make_is_allowed,
    take_tree,
)
from untildone.sandbox.sandbox_source import SandboxFiles

OLD = {
    "app.py": "old",
    "gone.py": "old",
    "tests/test_app.py": "old",
    "tests/test_gone.py": "old",
    "pyproject.toml": "old",
    "README.md": "old",
}
NEW = {
    "app.py": "new",
    "more.py": "new",
    "tests/test_app.py": "new",
    "tests/test_more.py": "new",
    "tests/conftest.py": "new",
    "pyproject.toml": "new",
    "README.md": "new",
}


def contents(found: SandboxFiles) -> dict[str, str]:
    return {
        path: source if isinstance(source, str) else source.read_text(encoding="utf-8")
        for path, source in found.files.items()
    }


def nothing(_: str) -> bool:
    return False


def test_tests_come_from_the_baseline_and_the_product_is_current(tmp_path: Path) -> None:
    found = compose_files(compare_projects(tmp_path, OLD, NEW), uses_current=nothing)

    assert contents(found) == {
        "README.md": "new",
        "app.py": "new",
        "more.py": "new",
        "pyproject.toml": "old",
        "tests/test_app.py": "old",
        "tests/test_gone.py": "old",
    }
    assert found.restored == (
        "pyproject.toml",
        "tests/conftest.py",
        "tests/test_app.py",
        "tests/test_gone.py",
        "tests/test_more.py",
    )


def test_where_nothing_that_judges_changed_nothing_is_restored(tmp_path: Path) -> None:
    comparison = compare_projects(tmp_path, OLD, {**OLD, "app.py": "new"})

    assert compose_files(comparison, uses_current=nothing).restored == ()
    baseline, now = (take_tree(comparison, current=each) for each in (False, True))
    assert (contents(baseline)["app.py"], baseline.restored) == ("old", ("app.py",))
    assert (contents(now)["app.py"], now.restored) == ("new", ())


@pytest.mark.parametrize(
    ("allowance", "path", "expected"),
    [
        ("edit-test:tests/test_app.py", "tests/test_app.py", True),
        ("edit-expected:tests/test_app.py:test_total", "tests/test_app.py", True),
        ("edit-test:tests/test_app.py:test_total#0123456789ab", "tests/test_app.py", True),
        ("edit-test:tests", "tests/test_app.py", True),
        ("edit-test:tests/test_app", "tests/test_app.py", False),
        ("config:pyproject.toml:tool.ruff", "pyproject.toml", True),
        ("remove-test:test_total", "tests/test_app.py", True),
        ("remove-test:tests/test_other.py::test_total", "tests/test_app.py", True),
        ("remove-test:test_other", "tests/test_app.py", False),
    ],
)
def test_what_the_user_allowed_is_judged_as_it_is_now(
    tmp_path: Path, allowance: str, path: str, expected: bool
) -> None:
    comparison = compare_projects(tmp_path, {"tests/test_app.py": "def test_total(): ..."}, {})

    assert make_is_allowed((allowance,), comparison)(path) is expected


PRODUCT = """\
pub fn fee() -> u64 {
    5
}
"""
TESTS = """\
#[cfg(test)]
mod tests {
    #[test]
    fn five() {
        check(5);
    }
}
"""


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        pytest.param(PRODUCT.replace("5", "é") + "\n" + TESTS, None, id="only the product changed"),
        pytest.param(
            PRODUCT + "\n" + TESTS.replace("check(5);", ""), PRODUCT + "\n" + TESTS, id="emptied"
        ),
        pytest.param(
            PRODUCT + "\n" + TESTS.replace("cfg(test)", 'cfg(all(test, feature = "slow"))'),
            PRODUCT + "\n" + TESTS,
            id="switched off",
        ),
        pytest.param(
            TESTS.replace("cfg(test)", 'cfg(feature = "slow")') + "\n" + PRODUCT,
            "\n\n" + PRODUCT + "\n" + TESTS,
            id="no test any more",
        ),
        pytest.param(PRODUCT, PRODUCT + "\n" + TESTS, id="removed"),
        pytest.param(
            "#[cfg(test)]\n" + PRODUCT + "#[cfg(not(test))]\n" + PRODUCT,
            "\n#[cfg(not(test))]\n" + PRODUCT + "\n" + TESTS,
            id="another product under test",
        ),
    ],
)
def test_the_baselines_inline_tests_judge_the_current_code(now: str, expected: str | None) -> None:
    assert restore_inline_tests("src/lib.rs", PRODUCT + "\n" + TESTS, now) == expected


def test_files_without_inline_tests_are_left_alone() -> None:
    assert restore_inline_tests("src/lib.rs", PRODUCT, PRODUCT.replace("5", "6")) is None
    assert restore_inline_tests("src/lib.py", TESTS, PRODUCT) is None


RENAMED = {
    "shop/cost.py": "def cost(total):\n    return total\n",
    "tests/test_cost.py": snippet("""
        from shop.cost import cost

        def test_it():
            assert cost(1) == 2
    """),
    "tests/test_other.py": snippet("""
        from shop.cost import cost

        def test_other():
            assert cost(1)
    """),
}


@pytest.mark.parametrize(
    ("new", "followed"),
    [
        pytest.param(
            {
                "shop/price.py": RENAMED["shop/cost.py"],
                "tests/test_price.py": RENAMED["tests/test_cost.py"].replace(
                    "shop.cost", "shop.price"
                ),
                "tests/test_other.py": RENAMED["tests/test_other.py"].replace("p.cost", "p.price"),
            },
            {"tests/test_cost.py", "tests/test_price.py", "tests/test_other.py"},
            id="a module, with its tests",
        ),
        pytest.param(
            {
                "shop/cost.py": RENAMED["shop/cost.py"].replace("cost(", "sum_up("),
                "tests/test_cost.py": RENAMED["tests/test_cost.py"]
                .replace("import cost", "import sum_up")
                .replace("cost(1)", "sum_up(1)"),
                "tests/test_other.py": RENAMED["tests/test_other.py"].replace("cost(1)", "True"),
            },
            {"tests/test_cost.py"},
            id="a function, and a test that is weaker",
        ),
        pytest.param(
            {
                "shop/cost.py": RENAMED["shop/cost.py"].replace("cost(", "sum_up("),
                "tests/test_cost.py": RENAMED["tests/test_cost.py"]
                .replace("import cost", "import sum_up")
                .replace("    assert cost(1)", "        assert sum_up(1)"),
                "tests/test_other.py": RENAMED["tests/test_other.py"],
            },
            set(),
            id="a function, and a line that is indented",
        ),
        pytest.param(
            {
                "shop/rates/cost.py": RENAMED["shop/cost.py"],
                "tests/test_cost.py": RENAMED["tests/test_cost.py"].replace("p.c", "p.rates.c"),
                "tests/test_other.py": RENAMED["tests/test_other.py"].replace("p.c", "p.rates.c")
                + "\n\ndef test_more():\n    pass\n",
            },
            {"tests/test_cost.py"},
            id="a module into a folder, and a test that has more besides",
        ),
        pytest.param(
            {
                **RENAMED,
                "shop/rates/cost.py": RENAMED["shop/cost.py"],
                "tests/test_cost.py": RENAMED["tests/test_cost.py"].replace("p.c", "p.rates.c"),
            },
            set(),
            id="a second module of the name, while the first is there still",
        ),
        pytest.param(
            {
                **RENAMED,
                "tests/fakes.py": RENAMED["shop/cost.py"],
                "tests/test_cost.py": RENAMED["tests/test_cost.py"].replace(
                    "shop.cost", "tests.fakes"
                ),
            },
            set(),
            id="another module, while the product has it still",
        ),
    ],
)
def test_a_test_that_only_follows_a_new_name_of_the_product_is_taken_as_it_is_now(
    tmp_path: Path, new: dict[str, str], followed: set[str]
) -> None:
    assert find_renamed_only_tests(compare_projects(tmp_path, RENAMED, new)) == followed


def test_tests_that_now_stand_in_a_file_of_their_own_are_left_out() -> None:
    now = PRODUCT + "\n#[cfg(test)]\nmod tests;\n"
    assert restore_inline_tests("src/lib.rs", PRODUCT, now) == PRODUCT


def test_a_product_file_with_inline_tests_is_of_both_trees(tmp_path: Path) -> None:
    old = {"src/lib.rs": PRODUCT + "\n" + TESTS}
    comparison = compare_projects(tmp_path, old, {"src/lib.rs": PRODUCT.replace("5", "6")})

    found = compose_files(comparison, uses_current=nothing)

    assert contents(found) == {"src/lib.rs": PRODUCT.replace("5", "6") + "\n" + TESTS}
    assert found.restored == ("src/lib.rs",)
    assert compose_files(comparison, uses_current=lambda path: path == "src/lib.rs").restored == ()
