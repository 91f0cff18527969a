"""Every parser has a test with recorded output, with the real tool, and with noise."""

import pytest

from checks.parsers import test_noise, test_real_programs
from checks.parsers.recording import RECORDED, find_owner
from checks.security import test_check
from untildone.checks.parsers import PARSERS

# The test against the real tool, where it is not `test_NAME` of `test_real_programs`.
REAL = {
    "mypy": test_real_programs.test_type_checkers,
    "pyright": test_real_programs.test_type_checkers,
    "ty": test_real_programs.test_type_checkers,
    "mocha": test_real_programs.test_mocha_and_tap,
    "tap": test_real_programs.test_mocha_and_tap,
    "sarif": test_real_programs.test_sarif_in_the_output_of_ruff,
    "junit": test_real_programs.test_a_junit_report_of_pytest,
    "astgrep": test_check.test_each_finding_is_red_in_the_order_of_the_files,
}


@pytest.mark.parametrize("name", PARSERS)
def test_it_has_read_a_recorded_run(name: str) -> None:
    assert name in {find_owner(path.stem) for path in RECORDED.iterdir()}


@pytest.mark.parametrize("name", PARSERS)
def test_it_has_read_a_run_of_the_real_tool(name: str) -> None:
    assert callable(REAL.get(name) or getattr(test_real_programs, f"test_{name}", None))


@pytest.mark.parametrize("name", PARSERS)
def test_it_has_found_something_known_in_noise(name: str) -> None:
    (known,) = PARSERS[name].parse(test_noise.KNOWN[name])
    assert known.code or known.text
