"""Whether a test fails on the baseline's code only for want of a name that is new."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from untildone.core.check_results import CheckResult, Finding, Tests
from untildone.integrity.experiments.missing_names import (
    find_tests_of_new_names,
    may_not_compile,
)

OLD = {
    "shop.py": "def wrap(f):\n    return f(1, 2).gett()\n",
    "cart.py": "def add(cart):\n    return cart._sum()\n",
    "tests/test_shop.py": "x\n",
}
NEW = {
    **OLD,
    "shop.py": "def wrap(f):\n    return f(1, b=2).get()\n",
    "tests/test_shop.py": "def test_a():\n    assert shop.fare(1) and shop.wrap(f, 1)\n",
}


@pytest.mark.parametrize(
    ("message", "lacks_name", "behind_interface"),
    [
        ("AttributeError: module 'shop' has no attribute 'fare'", True, True),
        ("TypeError: wrap() takes 1 positional argument but 2 were given", True, True),
        (
            "TypeError: test_a.<locals>.f() takes 1 positional argument but 2 were given",
            *2 * (False,),
        ),
        ("AttributeError: 'dict' object has no attribute 'gett'", False, True),
        ("AttributeError: 'dict' object has no attribute 'unknown'", True, True),
        ("AttributeError: 'Cart' object has no attribute '_sum'", False, True),
        ("TypeError: cart._sum is not a function", False, True),
        ("AssertionError: 1 != 2", False, False),
    ],
)
def test_what_a_failing_test_says(
    tmp_path: Path, message: str, lacks_name: bool, behind_interface: bool
) -> None:
    finding = Finding(
        check="test",
        path="tests/test_shop.py",
        line=1,
        code="test_a",
        severity="error",
        text=message,
        fingerprint="1",
    )
    tests = Tests(failed=1, failing=("test_a",))
    result = CheckResult(
        name="test", command="pytest", outcome="red", findings=(finding,), tests=tests
    )
    comparison = compare_projects(tmp_path, OLD, NEW)

    def find(*, by_name: bool) -> bool:
        return bool(find_tests_of_new_names(comparison, [result], ["test_a"], by_name=by_name))

    assert (find(by_name=True), find(by_name=False)) == (lacks_name, behind_interface)


GO = "package shop\n\ntype Cart struct{ n int }\n\nfunc (c Cart) Sum() int { return c.n }\n"
GO_TEST = "package shop\n\nfunc TestSum(t *testing.T) { Cart{}.Sum() }\n"


@pytest.mark.parametrize(
    ("product", "test", "expected"),
    [
        pytest.param("return c.n", "", False, id="another test"),
        pytest.param("return 3", "Cart{}.Sum()", False, id="another body"),
        pytest.param("return 3 }\n\nfunc (c Cart) Add() {", "Cart{}.Add()", True, id="a method"),
        pytest.param("return 3 }\n\nfunc Add() {", "Cart{}.Sum()", False, id="not used"),
        pytest.param("return c.total", "Cart{total: 3}.Sum()", True, id="a field"),
    ],
)
def test_whether_tests_compile_on_the_baseline(
    tmp_path: Path, product: str, test: str, expected: bool
) -> None:
    old = {"shop.go": GO, "shop_test.go": GO_TEST}
    more = f"\nfunc TestMore(t *testing.T) {{ {test} }}\n"
    new = {"shop.go": GO.replace("return c.n", product), "shop_test.go": GO_TEST + more}

    assert may_not_compile(compare_projects(tmp_path, old, new)) is expected


def test_a_changed_signature_may_not_compile(tmp_path: Path) -> None:
    old = {"shop.go": GO, "shop_test.go": GO_TEST}
    new = {
        "shop.go": GO.replace("Sum() int", "Sum(tax int) int"),
        "shop_test.go": GO_TEST.replace("Sum()", "Sum(1)"),
    }

    assert may_not_compile(compare_projects(tmp_path, old, new))


def test_python_finds_a_name_only_when_it_runs(tmp_path: Path) -> None:
    new = {**NEW, "shop.py": NEW["shop.py"] + "\n\ndef fare(n):\n    return n\n"}

    assert not may_not_compile(compare_projects(tmp_path, OLD, new))
