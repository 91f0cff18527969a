"""Names of test libraries that were given up: what was said with them is said as it is now."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from untildone.integrity.experiments.adaptation import adapt_tests


@pytest.mark.parametrize(
    ("path", "baseline", "now"),
    [
        ("tests/test_a.py", "self.assertEquals(f(), 1)\n", "self.assertEqual(f(), 1)\n"),
        ("tests/test_a.py", "self.assert_(f())\n", "self.assertTrue(f())\n"),
        (
            "tests/test_a.py",
            "with self.assertRaisesRegexp(E, 'x'):\n    f()\n",
            "with self.assertRaisesRegex(E, 'x'):\n    f()\n",
        ),
        (
            "tests/a.test.js",
            "expect(f).toBeCalledWith(1);\nexpect(f).toThrowError('x');\n",
            "expect(f).toHaveBeenCalledWith(1);\nexpect(f).toThrow('x');\n",
        ),
    ],
)
def test_an_old_name_of_the_library_is_said_anew(
    tmp_path: Path, path: str, baseline: str, now: str
) -> None:
    comparison = compare_projects(tmp_path, {path: baseline}, {path: now + "# more\n"})
    assert adapt_tests(comparison) == {path: now}


@pytest.mark.parametrize(
    "baseline",
    [
        "self.assertEquals = check\n",
        "def assertEquals(a, b):\n    assert a == b\n",
        "x = 'assertEquals('\n",
    ],
)
def test_what_is_no_call_of_the_library_stays(tmp_path: Path, baseline: str) -> None:
    comparison = compare_projects(
        tmp_path, {"tests/test_a.py": baseline}, {"tests/test_a.py": "x = 1\n"}
    )
    assert adapt_tests(comparison) == {}
