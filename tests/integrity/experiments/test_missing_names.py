"""Whether a test fails on the baseline's code only for want of a name that is new."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from untildone.core.check_results import CheckResult, Finding, Tests
from untildone.integrity.experiments.missing_names import find_tests_of_new_names

OLD = {"shop.py": "def wrap(f):\n    return f(1, 2).gett()\n", "tests/test_shop.py": "x\n"}
NEW = {
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
